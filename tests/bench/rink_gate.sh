#!/usr/bin/env bash
# Whether rink is stronger than it was at commit 61f613b, at equal time of the processor: pairs of games of
# two ends, points an end adjusted for luck, and how long a move takes.
#
#   tests/bench/rink_gate.sh BUILD FOLDER     BUILD: e.g. build/release
#
# PROFILE=dc2 or dc3, SEED, PAIRS=4000, THROWS=6000 of the new one against 8,000 of the old one, THREADS=2.
# Resumes where it was stopped, in parts of 500 pairs with the next seeds. A part takes about three
# minutes of two cores.
set -euo pipefail

if [ $# -ne 2 ] || [ -z "${SEED:-}" ]; then
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 1
fi
evaluate=$1/workers/evaluate/rink-evaluate
folder=$2
profile=${PROFILE:-dc2}
before=$(dirname "${BASH_SOURCE[0]}")/../../workers/evaluate/regret/data/referee_$profile.safetensors
parts=$(((${PAIRS:-4000} + 499) / 500))
mkdir -p "$folder"

for ((part = 0; part < parts; part++)); do
    file=$folder/$profile-$part.json
    [ -e "$file" ] && continue
    "$evaluate" match --profile "$profile" --a "rink:simulations=${THROWS:-6000}" \
        --b "rink:simulations=8000,opponent=fallible,values=$(realpath "$before")" \
        --pairs 500 --seed $((SEED + part)) --luck 32 --threads "${THREADS:-2}" --json >"$file.new"
    mv "$file.new" "$file"
done

# shellcheck disable=SC2016 # $n and the others belong to jq
jq -rs 'length as $n
    | (map(.luck.adjusted.points) | add / $n) as $mean
    | (map(.luck.adjusted.standard_error | . * .) | add | sqrt / $n) as $error
    | (map(.luck.played.points) | add / $n) as $played
    | (map(.win_percent) | add / $n) as $won
    | "\(map(.pairs) | add) pairs: \($mean) +- \($error) points an end, at least \($mean - 1.96 * $error)",
      "as played \($played), games won \($won) %, \(map(.a.effort.cpu_ms_per_move) | add / $n) and "
      + "\(map(.b.effort.cpu_ms_per_move) | add / $n) ms of the processor a move"' "$folder/$profile"-*.json
