#!/usr/bin/env bash
# Measures the cost of a change: copies the tree, adds throw-away things to the copy in few production
# files, builds it, and checks that they appear everywhere they must, without any other change.
#
#   run.sh ROOT
#
# Each thing is a script of this folder, add_NAME.sh, with three definitions:
#
#   NAME_files_most=N    production files that it may add or change, generated ones left aside
#   NAME_patch           changes the copy, which is the current folder, by put() and insert()
#   NAME_check           asks the programs that were built: $service is the address of a rinkd,
#                        rinkctl is in the PATH; find_in and refuse say what is missing
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$1" && pwd)
things=(job_kind profile)

# Generated from the sources by the build.
generated='api/openapi.yaml'

for program in jq curl cmake ninja; do
    command -v "$program" >/dev/null || {
        echo "throwaway: SKIPPED, nothing was checked: there is no $program"
        exit 77
    }
done
scratch=$(mktemp -d)
service_pid=
finish() {
    [ -z "$service_pid" ] || kill "$service_pid" 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap finish EXIT

refuse() {
    echo "throwaway: $*" >&2
    exit 1
}

# ---- for the scripts ----

# put FILE <TEXT: a new file of the tree.
put() {
    [ ! -e "$1" ] || refuse "$1 is there already"
    cat >"$1"
}

# insert FILE before|after LINE <TEXT: next to the single line equal to LINE, ignoring blanks at its
# ends.
insert() {
    cat >"$scratch/text"
    awk -v place="$2" -v wanted="$3" -v text="$scratch/text" '
    function write(   line) {
        while ((getline line < text) > 0)
            print line
        close(text)
    }
    {
        line = $0
        gsub(/^[ \t]+|[ \t]+$/, "", line)
        found = line == wanted
        times += found
        if (found && place == "before")
            write()
        print
        if (found && place == "after")
            write()
    }
    END { exit times != 1 }' "$1" >"$scratch/new" || refuse "$1 has not one line '$3'"
    cat "$scratch/new" >"$1"
}

# find_in NAME PART <TEXT: checks that the text, called NAME, contains the part.
find_in() {
    cat >"$scratch/text"
    grep -qF -- "$2" "$scratch/text" || refuse "$1 lacks '$2': $(head -c 2000 "$scratch/text")"
}

# ---- the copy ----

for thing in "${things[@]}"; do
    # shellcheck source=/dev/null
    . "$here/add_$thing.sh"
done
mkdir "$scratch/before" "$scratch/tree"
"$here/../list_files.sh" "$root" | tar -C "$root" -cf - -T - | tar -C "$scratch/before" -xf -
cp -a "$scratch/before/." "$scratch/tree"
cd "$scratch/tree"
for thing in "${things[@]}"; do
    "${thing}_patch"
    { diff -rq "$scratch/before" . || true; } >"$scratch/changed"
    count=$(wc -l <"$scratch/changed")
    most="${thing}_files_most"
    cat "$scratch/changed"
    if [ "$count" -eq 0 ] || [ "$count" -gt "${!most}" ]; then
        refuse "$thing changes $count files, not 1 to ${!most}"
    fi
    cp -a . "$scratch/before"
done

# ---- the build ----

build=$scratch/build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DRINKD_WERROR=ON -DRINKD_TORCH=OFF -DRINKD_BOX2D=OFF \
    -DBUILD_TESTING=OFF >"$scratch/log" 2>&1 || refuse "$(cat "$scratch/log")"
for targets in openapi 'rinkd rinkctl rinkctl_manual rink-evaluate rink-search rink-simulate'; do
    # shellcheck disable=SC2086 # words on purpose
    cmake --build "$build" --target $targets >"$scratch/log" 2>&1 ||
        refuse "$(grep -A5 -E 'FAILED|error' "$scratch/log")"
done
diff -rq "$scratch/before" . >"$scratch/changed" || true
for file in $generated; do
    sed -i "\|^Files [^ ]*/$file and |d" "$scratch/changed"
done
[ ! -s "$scratch/changed" ] || refuse "the build changes the tree: $(cat "$scratch/changed")"

# ---- the programs ----

export PATH="$build/service/rinkctl:$PATH" RINKCTL_SERVER=
"$build/service/rinkd" --data "$scratch/data" --listen 127.0.0.1:0 --search-processes 1 \
    >"$scratch/said" 2>"$scratch/log" &
service_pid=$!
for _ in $(seq 300); do
    service=$(sed -n 's/^listening on //p' "$scratch/said")
    [ -z "$service" ] || break
    kill -0 "$service_pid" 2>/dev/null || break
    sleep 0.1
done
[ -n "$service" ] || refuse "rinkd does not start: $(cat "$scratch/log")"
export RINKCTL_SERVER=$service
for thing in "${things[@]}"; do
    "${thing}_check"
    echo "throwaway: $thing is everywhere"
done
