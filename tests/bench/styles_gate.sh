#!/usr/bin/env bash
# Whether rink:opponent=model is as good as the best fixed expectation: it plays the same pairs as
# opponent=fallible and opponent=best against each opponent, and a line tells both results, as played
# and without luck. An opponent that is not in the library of styles (nfsp) and one that changes every
# four games are among them. Resumes where it was stopped.
#
#   tests/bench/styles_gate.sh BUILD FOLDER [OPPONENT…]     BUILD: e.g. build/release
#
# Opponents: ai-simple dc3-rulebased rink nfsp generator switch; all without a name. PAIRS=200 and
# SEED=2122 for others; THROWS=2000 of a move of rink. About 10 minutes of one core.
set -euo pipefail

[ $# -ge 2 ] || {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 1
}
evaluate=$1/workers/evaluate/rink-evaluate
folder=$2
shift 2
[ $# -gt 0 ] || set -- ai-simple dc3-rulebased rink nfsp generator switch
throws=${THROWS:-2000}
strong=rink:simulations=$throws,opponent=best
mkdir -p "$folder"

for opponent in "$@"; do
    profile=dc2
    player=$opponent
    case $opponent in
    dc3-rulebased) profile=dc3 ;;
    rink) player=$strong ;;
    switch) player="switch:ai-simple|$strong|generator,every=4" ;;
    ai-simple | nfsp | generator) ;;
    *)
        echo "styles_gate: there is no opponent '$opponent'" >&2
        exit 1
        ;;
    esac
    for choice in model fallible best; do
        result=$("$evaluate" match --profile "$profile" --ends 2 --pairs "${PAIRS:-200}" \
            --seed "${SEED:-2122}" --luck 96 --threads "${THREADS:-1}" --json \
            --records "$folder/$opponent-$choice.jsonl" \
            --a "rink:simulations=$throws,opponent=$choice" --b "$player" 2>/dev/null)
        jq -r --arg opponent "$opponent" --arg choice "$choice" '
            def interval: map(. * 10 | round / 10 | tostring) | join("-");
            "| `\($opponent)` | \($choice) | \(.pairs) | \(.win_percent * 10 | round / 10)"
            + " (\(.interval_percent | interval)) | \(.luck.win_percent * 10 | round / 10)"
            + " (\(.luck.interval_percent | interval))"
            + " | \(.luck.adjusted.points * 100 | round / 100)"
            + " ± \(.luck.adjusted.standard_error * 100 | round / 100) |"' <<<"$result"
    done
done
