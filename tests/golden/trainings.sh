#!/usr/bin/env bash
# A short training by each algorithm, on one thread and on two, with hashes of its weights: they
# must not change unnoticed. No training needs libtorch. Lines of TRAININGS: name, hashes of the
# weights (one for each seed, joined by commas), spec. Hashes depend on the last bits of exp() and
# log(), which differ between processors: if libm's own hash is not that of the line "libm", the
# test is skipped (77).
#
#   trainings.sh RINK_LEARN TRAININGS            compares
#   trainings.sh RINK_LEARN TRAININGS --print    prints the lines anew, after a wanted change
set -euo pipefail
learn=$1
trainings=$2
print=${3:-}

libm=$(awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "%.17g %.17g\n", exp(i / 397 - 5), log(i / 17) }' |
    sha256sum | cut -c1-16)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# hashes THREADS SPEC
hashes() {
    rm -rf "$folder/run"
    local more='"evaluate_every":0,"device":"cpu",'
    case $2 in
        *'"algorithm":"evolve"'* | *'"algorithm":"value"'*) more= ;;
        *'"algorithm":"gpi"'*) more='"evaluate_every":0,' ;;
    esac
    printf '%s\n' "${2%\}},$more\"threads\":$1}" >"$folder/spec.json"
    "$learn" train --json --folder="$folder/run" "$folder/spec.json" >"$folder/result.json" &&
        grep -o '"weights_sha256": *"[0-9a-f]*"' "$folder/result.json" |
        grep -o '[0-9a-f]\{64\}' | cut -c1-16 | paste -sd,
}

failed=0
while read -r name expected spec; do
    if [ "$name" = libm ]; then
        [ -z "$print" ] || echo "libm $libm"
        if [ -z "$print" ] && [ "$expected" != "$libm" ]; then
            echo "trainings: this libm rounds differently: skipped"
            exit 77
        fi
        continue
    fi
    for threads in 1 2; do
        found=$(hashes "$threads" "$spec")
        if [ -n "$print" ]; then
            echo "$name $found $spec"
            break
        elif [ "$found" != "$expected" ]; then
            echo "$name on $threads threads: $found, not $expected"
            failed=$((failed + 1))
        fi
    done
done <"$trainings"
[ -n "$print" ] || echo "trainings: $failed failed"
[ "$failed" -eq 0 ]
