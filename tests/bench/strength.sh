#!/usr/bin/env bash
# Who beats whom, and by how much: plays the matches that the claims of strength rest on and prints
# them as rows of Markdown. Hours long; every match keeps its records in FOLDER, so that the script
# resumes where it was stopped, and a second run only prints.
#
#   tests/bench/strength.sh BUILD FOLDER [TABLE…]     BUILD: e.g. build/release
#
# Tables: goals ladder ablation dc3 tests long elo exploitability; all of them without a name. A number of
# pairs can be scaled for a quick look: PAIRS_PERCENT=10 tests/bench/strength.sh …
set -euo pipefail

[ $# -ge 2 ] || {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 1
}
evaluate=$1/workers/evaluate/rink-evaluate
folder=$2
shift 2
[ $# -gt 0 ] || set -- goals ladder ablation dc3 tests long elo exploitability
mkdir -p "$folder"

scaled() {
    local pairs=$(($1 * ${PAIRS_PERCENT:-100} / 100))
    echo $((pairs > 2 ? pairs : 2))
}

head_row() {
    printf '\n| a | b | profile, ends | pairs | a wins (95 %% by pairs) | ms a move, a / b | throws a move, a / b |\n'
    printf '|---|---|---|---|---|---|---|\n'
}

# The result of a match, kept in a file of its own: played A B PROFILE ENDS PAIRS EXTRA_ENDS
played() {
    local name
    name=$(printf '%s_%s_%s_%s' "$1" "$2" "$3" "$4" | tr ':,=' '---')
    [ "$6" = 0 ] || name=${name}_extra$6
    "$evaluate" match --a "$1" --b "$2" --profile "$3" --ends "$4" --pairs "$(scaled "$5")" \
        --extra-ends "$6" --seed 2026 --threads "${THREADS:-2}" --records "$folder/$name.jsonl" \
        --json </dev/null
}

# match A B PROFILE ENDS PAIRS [EXTRA_ENDS]
match() {
    played "$1" "$2" "$3" "$4" "$5" "${6:-0}" |
        jq -r 'def one: . * 10 | round / 10;
            def extra: if .extra_ends > 0 then
                " and extra ends (\(.games_with_extra_ends) games)" else "" end;
            "| `\(.a.player)` | `\(.b.player)` | \(.profile), \(.ends)\(extra) | \(.pairs) | " +
            "\(.win_percent | one) % (\(.interval_percent[0] | one)-\(.interval_percent[1] | one)) | " +
            "\(.a.effort.cpu_ms_per_move | one) / \(.b.effort.cpu_ms_per_move | one) | " +
            "\(.a.effort.simulations_per_move | round) / \(.b.effort.simulations_per_move | round) |"'
}

# The test used in papers: two ends, seats swapped, scores added. sum_of_two A B PAIRS
sum_of_two() {
    played "$1" "$2" dc2 1 "$3" 0 |
        jq -r 'def one: . * 10 | round / 10; .pair_score as $s |
            "| `\(.a.player)` | `\(.b.player)` | \(.pairs) | " +
            "\($s.percent | one) % (\($s.interval_percent[0] | one)-\($s.interval_percent[1] | one)) | " +
            "\($s.wins) / \($s.draws) / \($s.losses) | " +
            "\(if $s.percent_of_decided then "\($s.percent_of_decided | one) %" else "-" end) |"'
}

printed=kr-uct:simulations=1600,c=0.1,tau=0.607,widening=1,init=30,rollout=5 # as in the papers

for table in "$@"; do
    case $table in
    goals) # throws that take about 0.05, 0.5 and 3.4 s on one core of a small virtual machine
        head_row
        match rink:simulations=20000 ai-simple dc2 2 1000
        match rink:simulations=20000 kr-uct:simulations=1600 dc2 2 1000
        match rink:simulations=8000 kr-uct:simulations=1600 dc2 2 1000 # about as many throws
        match rink:simulations=4000 ai-simple dc2 2 500
        match rink:simulations=4000 kr-uct:simulations=1600 dc2 2 500
        match rink:simulations=200000 ai-simple dc2 2 200
        match rink:simulations=200000 kr-uct:simulations=1600 dc2 2 200
        match rink:simulations=1400000 kr-uct:simulations=1600 dc2 2 30
        ;;
    long)
        head_row
        match rink:simulations=8000 ai-simple dc2 8 200
        match rink:simulations=8000 kr-uct:simulations=1600 dc2 8 200
        match rink:simulations=20000 kr-uct:simulations=1600 dc2 8 100
        ;;
    ladder)
        head_row
        match kr-uct:simulations=1600 ai-simple dc2 2 1000
        match kr-uct:simulations=400 kr-uct:simulations=100 dc2 2 500
        match kr-uct:simulations=1600 kr-uct:simulations=400 dc2 2 500
        match kr-uct:simulations=6400 kr-uct:simulations=1600 dc2 2 200
        match kr-uct:simulations=6400 kr-uct:simulations=1600 dc2 8 60
        match $printed ai-simple dc2 2 200
        match $printed kr-uct:simulations=1600 dc2 2 150
        match rink:simulations=8000 $printed dc2 2 200
        ;;
    dc3)
        head_row
        match rink:simulations=8000 dc3-rulebased dc3 2 500
        match rink:simulations=20000 dc3-rulebased dc3 2 200
        match rink:simulations=8000 dc3-rulebased dc3 8 100
        match rink:simulations=8000 dc3-rulebased dc3 2 200 10 # as the competitions play
        ;;
    tests) # for points, as what is told is points
        printf '\n| a | b | tests | a wins, draws as halves (95 %% by pairs) | won / drawn / lost | of those decided |\n'
        printf '|---|---|---|---|---|---|\n'
        sum_of_two rink:simulations=8000,objective=score kr-uct:simulations=1600,objective=score 500
        sum_of_two rink:simulations=8000,objective=score kr-uct:simulations=400,objective=score 500
        sum_of_two rink:simulations=8000,objective=score "$printed,objective=score" 400
        ;;
    ablation) # one part at a time against the default, at equal simulated throws
        head_row
        match rink:simulations=4000,value=count rink:simulations=4000 dc2 2 500
        match rink:simulations=4000,opponent=best rink:simulations=4000 dc2 2 500
        match rink:simulations=4000,opponent=best ai-simple dc2 2 500
        match rink:simulations=4000,opponent=best kr-uct:simulations=1600 dc2 2 500
        match rink:simulations=4000,refined=0 rink:simulations=4000 dc2 2 500
        match rink:simulations=4000,caution=0 rink:simulations=4000 dc2 2 500
        match rink:simulations=4000,caution=1 rink:simulations=4000 dc2 2 500
        match rink:simulations=4000,objective=score rink:simulations=4000 dc2 2 500
        match rink:simulations=1000 rink:simulations=4000 dc2 2 500
        match rink:simulations=16000 rink:simulations=4000 dc2 2 500
        match rink:simulations=200000,reply_share=0 rink:simulations=200000 dc2 2 100
        ;;
    elo)
        printf '\n'
        "$evaluate" tournament --profile dc2 --ends 2 --pairs "$(scaled 40)" --seed 2026 \
            --threads "${THREADS:-2}" --records "$folder/elo.jsonl" --anchor random \
            random ai-simple:epsilon=0.8 ai-simple:epsilon=0.5 \
            ai-simple:epsilon=0.2 ai-simple ai-simple:best_spin=true \
            generator kr-uct:simulations=100 kr-uct:simulations=400 \
            kr-uct:simulations=1600 rink:simulations=1000 \
            rink:simulations=8000 </dev/null
        ;;
    exploitability)
        printf '\n'
        "$evaluate" exploitability --player ai-simple --profile dc2 --ends 4000 --seed 2026 \
            --responder local --responder ai-simple --responder generator \
            --responder rink:simulations=4000,objective=score --threads "${THREADS:-2}" </dev/null
        ;;
    *)
        echo "strength: there is no table '$table'" >&2
        exit 1
        ;;
    esac
done
