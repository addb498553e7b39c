#!/usr/bin/env bash
# The gates of hold'em on hands that nobody has seen: the base, the ensembles and the counters play the
# same sessions, so a difference of two of them is a mean over pairs of sessions, with an interval of
# 95 %. Prints the tables of workers/holdem/holdem.md. Resumes where it was stopped.
#
#   tests/bench/holdem_gates.sh BUILD FOLDER     BUILD: e.g. build/release
#
# SEED: of the first session; the next ones have the next numbers. SESSIONS=100 against an opponent that
# changes, TARGET_SESSIONS=50 against the target of each counter; HANDS=4000 pairs in each. About
# 8 minutes of one core.
set -euo pipefail

if [ $# -ne 2 ] || [ -z "${SEED:-}" ]; then
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 1
fi
evaluate=$1/workers/evaluate/rink-evaluate
folder=$2
sessions=${SESSIONS:-100}
target_sessions=${TARGET_SESSIONS:-50}
mkdir -p "$folder"

# The results of PLAYER against OPPONENT, a line of JSON a session, in the file FOLDER/PLAYER-OPPONENT.
play() { # PLAYER OPPONENT SESSIONS
    local file=$folder/$1-$2.jsonl done=0
    [ ! -e "$file" ] || done=$(wc -l <"$file")
    for ((; done < $3; done++)); do
        "$evaluate" poker -a "poker:$1" -b "poker:$2" -n 1 -H "${HANDS:-4000}" -s $((SEED + done)) -t 1 -J |
            jq -c . >"$file.new"
        cat "$file.new" >>"$file"
    done
    rm -f "$file.new"
}

# shellcheck disable=SC2016 # $n and the others belong to jq
interval='def interval: length as $n | (add / $n) as $mean
    | (1.96 * ((map(. - $mean | . * .) | add) / ($n - 1) / $n | sqrt)) as $half
    | [$mean, $mean - $half, $mean + $half | round] | "\(.[0]) (\(.[1]) to \(.[2]))";'

mean_of() { # PLAYER OPPONENT
    jq -rs "$interval map(.mbb_per_hand) | interval" "$folder/$1-$2.jsonl"
}

difference() { # PLAYER OTHER OPPONENT
    jq -rn --slurpfile a "$folder/$1-$3.jsonl" --slurpfile b "$folder/$2-$3.jsonl" \
        "$interval [\$a, \$b] | transpose | map(.[0].mbb_per_hand - .[1].mbb_per_hand) | interval"
}

echo "| player | against \`poker:random\` |"
echo "|---|---|"
for player in ensemble a-int base a-ave; do
    play "$player" random "$sessions"
    echo "| \`poker:$player\` | $(mean_of "$player" random) |"
done
echo
echo "| difference, same sessions | wins more |"
echo "|---|---|"
for pair in "ensemble a-int" "ensemble base" "ensemble a-ave" "base a-ave"; do
    read -r player other <<<"$pair"
    echo "| $player - $other | $(difference "$player" "$other" random) |"
done
echo
echo "| target | its counter | base | counter - base |"
echo "|---|---|---|---|"
for target in 1 2 3 4 5 6 7 8; do
    play "c$target" "o$target" "$target_sessions"
    play base "o$target" "$target_sessions"
    echo "| o$target | $(mean_of "c$target" "o$target") | $(mean_of base "o$target") |" \
        "$(difference "c$target" base "o$target") |"
done
