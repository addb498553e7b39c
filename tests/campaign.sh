#!/usr/bin/env bash
# The long forms of the tests of reliability, one after the other, with a log of each and a table. A
# stage that has passed before in OUT is not run again.
#
#   campaign.sh OUT [STAGE…]      OUT: a folder for the logs and table.txt; without STAGE, all
#   campaign.sh --list
#
# Builds what it needs: the preset dev, and fuzz for the stage of that name. BUILD (build/dev) names
# another build folder, which is then used as it is. SCALE (100): the length of each stage in percent.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
scale=${SCALE:-100}
build=${BUILD:-$root/build/dev}
fuzz=$root/build/fuzz
most_s=43200 # of a stage; a stage that hangs has failed
fuzz_runs=$((50000000 * scale / 100))

of() { # N: that number at this scale, at least 1
    echo $((($1 * scale + 99) / 100))
}

# A stage is a function, its targets, and a pattern of the lines with its figures.
stages=(kill_daemon kill_worker kill_webhooks forge mutations full_disk disk_errors memory requests hours clock fuzz)
declare -A targets=(
    [kill_daemon]=test_crash_kill_daemon [kill_worker]=test_crash_kill_worker
    [kill_webhooks]=test_crash_kill_webhooks [forge]=test_forge [full_disk]=test_api_full_disk
    [disk_errors]=test_api_disk_errors [memory]=test_api_memory [requests]=test_soak [hours]=test_soak
    [clock]=test_clock_steps
    [mutations]='rinkd rink-search rink-simulate rink-evaluate rink-learn'
    [fuzz]=tests/fuzz/all)
declare -A figures=(
    [kill_daemon]='kills,|^lost ' [kill_worker]='blows' [kill_webhooks]='kills' [forge]='^forge:' [mutations]='^mutations:'
    [full_disk]='the disk was full' [disk_errors]='refused,' [memory]='answers cut off'
    [requests]='requests: .* at the end' [hours]='hours in' [clock]='clock steps' [fuzz]='^fuzz:')

kill_daemon() { "$build/tests/crash/test_crash_kill_daemon" --kills "$(of 1000)"; }
kill_worker() { "$build/tests/crash/test_crash_kill_worker" --kills "$(of 1000)"; }
kill_webhooks() { "$build/tests/crash/test_crash_kill_webhooks" --kills "$(of 200)"; }
forge() { "$build/tests/cluster/test_forge" --lines "$(of 5000)"; }
mutations() { tests/contract/mutations.sh "$build" --requests "$(of 13000)" --raw "$(of 4000)"; }
full_disk() { "$build/tests/api/test_api_full_disk" --times "$(of 100)"; }
disk_errors() { "$build/tests/api/test_api_disk_errors" --all; }
memory() { "$build/tests/api/test_api_memory" --all; }
requests() { "$build/tests/soak/test_soak" --requests "$(of 1000000)" --hours 0; }
clock() { "$build/tests/soak/test_clock_steps" --steps "$(of 500)"; }
hours() { "$build/tests/soak/test_soak" --requests 0 --hours "$(of 24)"; }

# All targets in turn, ROUND_S seconds each, until the runs of all together are enough. A fast target
# counts for at most a fifth of them. Their corpora and findings stay in the folder of the stage, so
# that it can be resumed.
ROUND_S=120
fuzz() {
    local total=0 most=$((fuzz_runs / 5)) program name before runs counts
    mkdir -p "$out/fuzz"
    while [ "$total" -lt "$fuzz_runs" ]; do
        total=0
        counts=
        for program in $(find "$fuzz/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort); do
            name=${program##*/fuzz_}
            before=$(cat "$out/fuzz/$name.runs" 2>/dev/null || echo 0)
            mkdir -p "$out/fuzz/$name"
            runs=0
            [ "$before" -ge "$most" ] || {
                "$program" -max_total_time=$((ROUND_S * scale / 100 + 1)) -runs=$((most - before)) \
                    -artifact_prefix="$out/fuzz/$name-" "$out/fuzz/$name" "tests/fuzz/corpus/$name" \
                    >"$out/fuzz/$name.log" 2>&1 || {
                    tail -30 "$out/fuzz/$name.log"
                    return 1
                }
                runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$out/fuzz/$name.log")
            }
            runs=$((before + runs))
            echo "$runs" >"$out/fuzz/$name.runs"
            counts+=", $name $runs"
            total=$((total + runs))
        done
        echo "${counts#, }"
    done
    echo "fuzz: $total runs, no finding: ${counts#, }"
}

prepare() { # STAGE
    local preset=dev
    if [ "$1" = fuzz ]; then
        preset=fuzz
    elif [ -n "${BUILD:-}" ]; then
        return
    fi
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
    # shellcheck disable=SC2086 # several targets
    cmake --build --preset "$preset" --target ${targets[$1]}
}

# Prints and keeps the stage's line of the table.
run_stage() { # STAGE
    local stage=$1 status=0 began=$SECONDS
    if [ -f "$out/$stage.passed" ]; then
        cat "$out/$stage.passed"
        return 0
    fi
    # A shell of its own, so that its first error ends it though this one looks at its status.
    timeout "$most_s" "$0" --run "$out" "$stage" >"$out/$stage.log" 2>&1 || status=$?
    local seconds=$((SECONDS - began)) figure
    figure=$(grep -aE "${figures[$stage]}" "$out/$stage.log" | tail -2 | paste -sd' ' || true)
    local line
    line=$(printf '%-14s %-7s %6d s  %s' "$stage" "$([ "$status" -eq 0 ] && echo passed || echo FAILED)" \
        "$seconds" "${figure:-see $stage.log}")
    echo "$line"
    rm -f "$out/$stage.failed"
    echo "$line" >"$out/$stage.$([ "$status" -eq 0 ] && echo passed || echo failed)"
    return "$status"
}

if [ "${1:-}" = --list ]; then
    printf '%s\n' "${stages[@]}"
    exit
fi
if [ "${1:-}" = --run ]; then
    out=$2
    prepare "$3"
    "$3"
    exit
fi
mkdir -p "${1:?a folder for the logs; --list shows the stages}"
out=$(cd "$1" && pwd)
shift
wanted=("${@:-${stages[@]}}")
for stage in "${wanted[@]}"; do
    [ -n "${targets[$stage]:-}" ] || {
        echo "campaign: there is no stage $stage; there are ${stages[*]}" >&2
        exit 2
    }
done
failed=0
for stage in "${wanted[@]}"; do
    run_stage "$stage" || failed=$((failed + 1))
done
{
    date -u '+%F'
    uname -srm
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1
    git log -1 --format='commit %h' 2>/dev/null || true
    for stage in "${stages[@]}"; do
        cat "$out/$stage.passed" "$out/$stage.failed" 2>/dev/null || true
    done
} >"$out/table.txt"
echo "$((${#wanted[@]} - failed)) stages passed, $failed failed; see $out/table.txt"
[ "$failed" -eq 0 ]
