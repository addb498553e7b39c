#!/usr/bin/env bash
# The release gates of NFSP: how near to an equilibrium rink-learn must be on Kuhn and Leduc poker
# after how much processor time, for three seeds each, that its ablations stay at least three times
# as far away on Kuhn, and that line curling is learned. Prints the tables and a line for each gate;
# the exit status is 1 if one does not hold. Takes 38 minutes of one core with all tables.
#
#   tests/bench/nfsp_gates.sh BUILD [TABLE…]     BUILD: e.g. build/release
#
# Tables: kuhn ablations leduc line; all of them without a name. SEEDS="4 5 6" for other seeds.
set -euo pipefail

[ $# -ge 1 ] || {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 1
}
learn=$1/workers/learn/rink-learn
shift
[ $# -gt 0 ] || set -- kuhn ablations leduc line
read -ra seeds <<<"${SEEDS:-1 2 3}"
failed=0
rows=

# learned GAME ALGORITHM SEED SECONDS: prints the table and keeps its rows.
learned() {
    rows=$("$learn" toy --game "$1" --algorithm "$2" --seed "$3" --seconds "$4" </dev/null)
    printf '%s\n' "$rows"
}

# value SECONDS [COLUMN]: prints a column of the last row up to then, by default the exploitability.
value() {
    awk -v most="$1" -v column="${2:-5}" \
        'NR > 2 && $1 <= most + 1 { found = $column } END { print found }' <<<"$rows"
}

# gate WHAT VALUE MOST: holds if VALUE <= MOST.
gate() {
    if awk -v value="$2" -v most="$3" 'BEGIN { exit !(value != "" && value <= most) }'; then
        echo "gate holds: $1: $2 <= $3"
    else
        echo "GATE FAILS: $1: $2 > $3"
        failed=1
    fi
}

for table in "$@"; do
    for seed in "${seeds[@]}"; do
        case $table in
        kuhn)
            learned kuhn nfsp "$seed" 120
            gate "kuhn, seed $seed, 30 s" "$(value 30)" 0.05
            gate "kuhn, seed $seed, 2 min" "$(value 120)" 0.015
            ;;
        ablations) # at equal processor time
            learned kuhn nfsp "$seed" 20
            third=$(value 20)
            for algorithm in nfsp-fifo nfsp-literal; do
                learned kuhn "$algorithm" "$seed" 20
                gate "kuhn, seed $seed, 20 s: three times nfsp's against $algorithm's" \
                    "$(awk -v e="$third" 'BEGIN { print 3 * e }')" "$(value 20)"
            done
            ;;
        leduc)
            learned leduc nfsp "$seed" 600
            gate "leduc, seed $seed, 30 s" "$(value 30)" 0.95
            gate "leduc, seed $seed, 5 min" "$(value 300)" 0.30
            gate "leduc, seed $seed, 10 min" "$(value 600)" 0.20
            ;;
        line) # uniform: 2.08; the likeliest actions are nearly optimal, as nothing is hidden
            learned line nfsp "$seed" 60
            gate "line curling, seed $seed, 1 min" "$(value 60)" 0.20
            gate "line curling, seed $seed, 1 min, likeliest actions" "$(value 60 8)" 0.10
            ;;
        *)
            echo "nfsp_gates: there is no table '$table'" >&2
            exit 1
            ;;
        esac
    done
done
exit $failed
