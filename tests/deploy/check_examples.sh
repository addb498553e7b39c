#!/usr/bin/env bash
# Runs the clients of deploy/examples as their first lines describe: they print the shot of the daemon and
# of api/README.md, and the reason when a query is wrong; webhook.py takes messages of rinkd alone. Without python3 the Python part is skipped.
#
#   check_examples.sh ROOT CC RINKD PROGRAM…
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/deploy/daemon.sh
. "$here/daemon.sh"
root=$1
examples=$root/deploy/examples
readme=$1/api/README.md
cc=$2
shift 2

"$cc" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O2 \
    -I "$root/deploy/clients" -o "$work/shot" "$examples/shot.c"
"$cc" -I "$root/deploy/clients" -o "$work/shot" "$examples/shot.c" # as its head says
clients=("$work/shot")
if command -v python3 >/dev/null; then
    clients+=("$examples/shot.py")
else
    echo "examples: without Python, which is not installed"
fi

made=$("$1" --new-token query,train,admin:client)
tail -n 1 <<<"$made" >"$work/tokens"
RINKCTL_TOKEN=$(head -n 1 <<<"$made")
export RINKCTL_TOKEN
start_rinkd "$@" -- --tokens "$work/tokens" --webhook-addresses private
address=${url#http://}
host=${address%:*}
port=${address##*:}
expected=$(curl -fsS --max-time 60 -H "Authorization: Bearer $RINKCTL_TOKEN" "$url/v1/shots" \
    --json @"$examples/shot.json" | jq -r '.shot | "\(.velocity.x) \(.velocity.y) \(.rotation)"')
for client in "${clients[@]}"; do
    said=$("$client" "$host" "$port" <"$examples/shot.json")
    echo "examples: ${client##*/} says $said"
    grep -qxF -- "$said" "$readme" || {
        echo "examples: api/README.md shows another shot"
        exit 1
    }
    paste -d ' ' <(echo "$said") <(echo "$expected") | awk '
        function near(a, b) { return a - b < 1e-6 && b - a < 1e-6 }
        NF != 6 || !near($1, $4) || !near($2, $5) || $3 != $6 || $2 < 1 { exit 1 }' || {
        echo "examples: the daemon says $expected"
        exit 1
    }
    # refused WORD COMMAND…
    refused() {
        local word=$1 status=0
        shift
        said=$("$@" 2>&1 >"$work/output") || status=$?
        if [ $status -ne 1 ] || [ -s "$work/output" ] || ! grep -q -- "$word" <<<"$said"; then
            echo "examples: '$*' ends with $status and says: $said"
            exit 1
        fi
    }
    refused max_ends "$client" "$host" "$port" < <(sed 's/max_end/max_ends/' "$examples/shot.json")
    refused 401 env RINKCTL_TOKEN=wrong "$client" "$host" "$port" <"$examples/shot.json"
    refused . "$client" 127.0.0.1 1 <"$examples/shot.json"
    refused usage "$client" "$host" <"$examples/shot.json"
done

# ---- clients ----
"$cc" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O2 -I "$root/deploy/clients" \
    -o "$work/clients" "$here/clients_check.c"
[ "$("$work/clients" "$host" "$port")" = well ]
if command -v python3 >/dev/null; then
    [ "$(python3 "$here/clients_check.py" "$root/deploy/clients" "$url")" = well ]
fi
echo "examples: the clients do what their heads say"

# ---- webhook.py ----
command -v python3 >/dev/null || exit 0
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
ask() {
    curl -fsS --max-time 30 -H "Authorization: Bearer $RINKCTL_TOKEN" "$@"
}
added=$(ask "$url/v1/webhooks" --json "{\"url\": \"http://127.0.0.1:$port/\"}")
"$examples/webhook.py" "$(jq -r .secret <<<"$added")" "$port" >"$work/received" &
helpers+=($!)
ask -X POST "$url/v1/webhooks/$(jq .id <<<"$added")/test" >/dev/null
# Somebody else's message is not printed.
until status=$(curl -s -o /dev/null -w '%{http_code}' --max-time 5 -H 'webhook-id: msg_1' \
    -H "webhook-timestamp: $(date +%s)" -H 'webhook-signature: v1,AAAA' --json '{"type":"forged"}' \
    "http://127.0.0.1:$port/"); do
    sleep 0.1
done
[ "$status" = 401 ] || {
    echo "examples: webhook.py answers a forged message with $status"
    exit 1
}
for ((k = 0; k < 600; k++)); do
    [ ! -s "$work/received" ] || break
    sleep 0.1
done
grep -qx 'test ' "$work/received" || {
    echo "examples: webhook.py has received: $(cat "$work/received")"
    exit 1
}
echo "examples: webhook.py receives messages of rinkd"
