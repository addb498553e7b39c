#!/usr/bin/env bash
# How much of two independent workers two nodes of one core are: the same pairs of a match, once by two
# `rink-evaluate match` side by side, once as a job of a daemon without workers whose two nodes have one
# core each; in turn, so that both meet the same machine.
#
#   node_share.sh [BUILD] [PAIRS] [ROUNDS]     build/release, 2000, 3
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
pairs=${2:-2000} rounds=${3:-3}
players=(rink:simulations=100 ai-simple)
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$scratch"' EXIT

programs=$scratch/programs
mkdir "$programs"
find "$build" -type f -perm -u+x -name 'rink-*' -exec ln -s {} "$programs/" \;

"$build/service/rinkd" --data "$scratch/data" --listen 127.0.0.1:0 --workers 0 --programs "$programs" \
    2>"$scratch/log" &
for _ in $(seq 200); do
    url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$scratch/log" | grep -v ':0$' | head -1 || true)
    [ -z "$url" ] || break
    sleep 0.1
done
for k in 1 2; do
    "$programs/rink-node" --url "$url" --name "node-$k" --cores 1 --cache "$scratch/cache-$k" \
        --programs "$programs" 2>"$scratch/node-$k.log" &
done
for _ in $(seq 300); do
    [ "$(curl -s "$url/v1/nodes" | jq '[.items[] | select(.state == "active")] | length')" = 2 ] && break
    sleep 0.1
done

seconds() { # since the moment $1
    echo "$(date +%s.%N) $1" | awk '{ printf "%.2f", $1 - $2 }'
}

alone() { # SEED
    local began pids=() pid
    began=$(date +%s.%N)
    for k in 1 2; do
        "$programs/rink-evaluate" match --a "${players[0]}" --b "${players[1]}" --ends 1 \
            --pairs $((pairs / 2)) --seed $((2 * $1 + k)) >"$scratch/alone-$k" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    seconds "$began"
}

by_nodes() { # SEED
    local began id state=
    began=$(date +%s.%N)
    id=$(curl -s "$url/v1/jobs" --json "{\"kind\":\"match\",\"spec\":{\"a\":\"${players[0]}\",
        \"b\":\"${players[1]}\",\"ends\":1,\"pairs\":$pairs,\"seed\":$1}}" | jq .id)
    while [ "$state" != "done" ]; do
        sleep 0.1
        state=$(curl -s "$url/v1/jobs/$id" | jq -r .state)
        [ "$state" != buried ] || exit 1
    done
    seconds "$began"
}

for k in $(seq "$rounds"); do
    a=$(alone "$k") b=$(by_nodes "$k")
    echo "$a $b" | awk '{ printf "two workers %.1f s, two nodes %.1f s: %.3f\n", $1, $2, $1 / $2 }'
    echo "$a $b" >>"$scratch/all"
done
awk '{ a += $1; b += $2 } END { printf "all: two nodes are %.3f of two workers\n", a / b }' "$scratch/all"
