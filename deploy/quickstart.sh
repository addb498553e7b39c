#!/usr/bin/env bash
# From a fresh Debian 12 machine to a shot: installs what is missing, builds, starts the daemon rinkd
# on a database of its own, asks it for a shot, has two players play a short match and another one
# learn, stops the daemon, starts it again, and shows that everything is still there and the learning
# goes on. Can be run again and again: what is installed and built stays, and each run adds a match; it
# goes on with a training that is not at its end. A daemon that an earlier run left running is used
# and left running.
#
#   deploy/quickstart.sh [--serve] [--data FOLDER] [--port N]
#
#   --serve          leave the daemon running at the end, and the training with it
#   --data FOLDER    where it keeps everything (build/quickstart/data); its log is FOLDER.log
#   --port N         of 127.0.0.1 (8080, or any free one where that is taken)
#
# Exit status: 0 all went well, 1 a step failed, 2 wrong usage.
set -euo pipefail
usage() {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}
say() {
    printf '\n==== %s\n' "$*"
}
die() {
    echo "quickstart: $*" >&2
    exit 1
}
misused() {
    usage >&2
    echo "quickstart: $*" >&2
    exit 2
}

serve=false
data=
port=
while [ $# -gt 0 ]; do
    case $1 in
    --serve) serve=true ;;
    --data | --port)
        [ $# -gt 1 ] || misused "$1 needs a value"
        case $1 in
        --data) data=$(realpath -m -- "$2") ;;
        --port)
            port=$2
            if ! [[ $port =~ ^[0-9]{1,5}$ ]] || [ "$((10#$port))" -gt 65535 ]; then
                misused "--port has to be a whole number from 0 to 65535, not '$port'"
            fi
            ;;
        esac
        shift
        ;;
    --help | -h) usage && exit 0 ;;
    *) misused "unknown argument: $1" ;;
    esac
    shift
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${data:-$PWD/build/quickstart/data}
programs=build/install/bin

workers=$(nproc)
[ "$workers" -ge 2 ] || workers=2

# All requests stay on this machine, whatever its proxy, and only the settings given here count.
export no_proxy='127.0.0.1' NO_PROXY='127.0.0.1'
unset "${!RINKD_@}" RINKCTL_TOKEN

# ---- the daemon ----
pid=      # of the daemon
url=      # where it listens
ours=true # started by this run

answers() {
    curl -fs -o /dev/null --max-time 5 "$1/readyz"
}

taken() {
    (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Its first line on standard output names its address; it answers from then on, and is ready when its
# search processes are.
start_daemon() {
    : >"$data.url"
    # A match does not wait for the training, even with one processor.
    setsid "$programs/rinkd" --data "$data" --listen "127.0.0.1:$port" --workers "$workers" </dev/null \
        >"$data.url" 2>>"$data.log" &
    pid=$!
    echo "$pid" >"$data.pid"
    for ((k = 0; k < 2400; k++)); do
        url=$(sed -n 's/^listening on //p' "$data.url")
        if [ -n "$url" ] && answers "$url"; then
            port=${url##*:} # the same one when it is started again
            return
        fi
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    tail -n 3 "$data.log" >&2
    die "rinkd did not start; its log is $data.log"
}

stop_daemon() {
    kill -TERM "$pid"
    wait "$pid" || die "rinkd ended with status $?; its log is $data.log"
    pid=
    rm -f "$data.pid" "$data.url"
}

on_exit() {
    local status=$?
    trap - EXIT
    if [ -n "$pid" ] && $ours; then
        if [ $status -ne 0 ] || ! $serve; then
            kill -TERM "$pid" 2>/dev/null || true
            wait "$pid" || true
            rm -f "$data.pid" "$data.url"
        fi
    fi
    exit $status
}
trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ask WHAT curl-argument…: prints the answer; a problem is shown and ends the script.
ask() {
    local what=$1 answer
    shift
    answer=$(curl -sS --max-time 60 --fail-with-body "$@") || die "$what failed: $answer"
    printf '%s\n' "$answer"
}

# ---- install, build ----
say "install what is missing"
deploy/install-deps.sh --build --run
say "build"
# A build folder configured for the tests stays so.
[ -f build/release/build.ninja ] || cmake --preset release -DBUILD_TESTING=OFF >/dev/null
cmake --build --preset release
cmake --install build/release --prefix build/install >/dev/null
echo "installed into build/install"

say "start rinkd"
mkdir -p "$(dirname "$data")"
if [ -s "$data.pid" ] && kill -0 "$(cat "$data.pid")" 2>/dev/null &&
    url=$(sed -n 's/^listening on //p' "$data.url" 2>/dev/null) && [ -n "$url" ] && answers "$url"; then
    ours=false
    pid=$(cat "$data.pid")
    [ -z "$port" ] || [ "$port" = "${url##*:}" ] ||
        echo "note: it listens on port ${url##*:}, not on $port"
    echo "already running: $url, process $pid"
else
    if [ -z "$port" ]; then
        port=8080
        ! taken $port || port=0
    fi
    start_daemon
    echo "$url, process $pid, data in $data"
fi

# ---- a shot ----
say "a shot: last end, no points yet, last stone; a guard in front of the opponent's stone"
query='{
  "profile": "dc3",
  "state": {
    "end": 1, "shot": 15, "hammer": "team1",
    "scores": {"team0": [0], "team1": [0]},
    "stones": {
      "team0": [{"position": {"x": 0.1, "y": 38.2}}, {"position": {"x": 0.0, "y": 34.6}},
                null, null, null, null, null, null],
      "team1": [null, null, null, null, null, null, null, null]}},
  "setting": {"max_end": 2},
  "limits": {"simulations": 20000}
}'
shot=$(ask "POST /v1/shots" "$url/v1/shots" --json "$query")
jq -r '
def percent: . * 1000 | round / 10 | "\(.) %";
def hundredths: . * 100 | round / 100;
"\(.player.name) simulated \(.simulations) throws and says:",
"  \(.candidates[0].kind), \(.shot.velocity.y | hundredths) m/s up the sheet and \(.shot.velocity.x * 1000 | round / 1000) m/s across, turning \(
    if .shot.rotation == "cw" then "clockwise" else "counter-clockwise" end)",
"  with the errors of the hand this shot succeeds \(.candidates[0].success | percent) of the time;",
"  over all that can happen, \(.side) wins \(.value.win_probability | percent) of the games and scores \(.value.expected_score | hundredths) points in this end on average"
' <<<"$shot"

# ---- a match ----
say "a match: rink with 5000 throws a move against ai-simple, 10 pairs of games of two ends"
# Another seed each time: repeated games add nothing to the ladder.
accepted=$(ask "POST /v1/jobs" "$url/v1/jobs" --json '{
    "kind": "match",
    "spec": {"a": "rink:simulations=5000", "b": "ai-simple", "profile": "dc2", "ends": 2, "pairs": 10,
             "seed": '"$EPOCHSECONDS"'}}')
job=$(jq .id <<<"$accepted")
echo "accepted as job $job"
"$programs/rinkctl" --address "$url" watch "$job" >/dev/null || {
    "$programs/rinkctl" --address "$url" log "$job" >&2 || true
    die "job $job did not end well"
}
books() {
    ask "GET /v1/jobs/$job" "$url/v1/jobs/$job" | jq -S .
    ask "GET /v1/matches" "$url/v1/matches?job=$job" | jq -S .items
}
before=$(books)
jq -rn --argjson result "$(jq -s '.[0].result' <<<"$before")" '$result |
"rink wins \(.win_percent * 10 | round / 10) % of \(.games) games (95 % interval \(
    .interval_percent | map(round | tostring) | join(" to ")) %)",
"  \(.a.ends.gote.points_per_end * 100 | round / 100) points an end with the hammer, \(
    .a.ends.sente.points_per_end * 100 | round / 100) without"'

# ---- a training ----
say "a training: a player that knows nothing learns dc2 by playing against itself (nfsp)"
for state in leased ready paused; do
    training=$(ask "GET /v1/jobs" "$url/v1/jobs?kind=train&state=$state&limit=1" | jq '.items[0] // empty')
    [ -z "$training" ] || break
done
if [ -n "$training" ]; then
    echo "job $(jq .id <<<"$training") is not at its end"
else
    training=$(ask "POST /v1/jobs" "$url/v1/jobs" --json '{
        "kind": "train",
        "spec": {"algorithm": "nfsp", "profile": "dc2", "iterations": 20000, "seeds": ['"$EPOCHSECONDS"'],
                 "opponents": ["ai-simple"], "evaluate_every": 1000, "evaluate_pairs": 20,
                 "checkpoint_every": 1000}}')
    echo "accepted as job $(jq .id <<<"$training"), 20000 ends"
fi
run=$(jq -r '.runs[0]' <<<"$training")
# step_after STEP: waits for a later point of the curves, and prints its end number.
step_after() {
    local step
    for ((k = 0; k < 6000; k++)); do
        step=$(ask "GET /v1/runs/$run/metrics" "$url/v1/runs/$run/metrics?names=ends_per_s&format=csv" |
            awk -F, 'NR > 1 && NF > 1 { step = $1 } END { print step + 0 }')
        if [ "$step" -gt "$1" ]; then
            echo "$step"
            return
        fi
        sleep 0.1
    done
    "$programs/rinkctl" --address "$url" log "$(jq .id <<<"$training")" >&2 || true
    die "the training does not come on"
}
learnt=$(step_after 0)
echo "its curves have come to end $learnt"

# ---- stop, start, look ----
if $ours; then
    say "stop rinkd, start it again"
    stop_daemon
    start_daemon
    [ "$(books)" = "$before" ] || die "job $job is not what it was before the stop"
    echo "job $job, its match and its result are as they were"
    learnt=$(step_after "$learnt")
    echo "the training goes on; it has come to end $learnt"
fi
# A job of the service computes ratings from all matches.
for ((k = 0; k < 1200; k++)); do
    ladder=$(ask "GET /v1/ratings" "$url/v1/ratings?profile=dc2")
    [ "$(jq '.items | length' <<<"$ladder")" -eq 0 ] || break
    sleep 0.1
done
"$programs/rinkctl" --address "$url" elo

say "where to look"
printf '%-68s %s\n' \
    "$url/" "the dashboard" \
    "$url/#/run/$run" "… the curves of the training" \
    "$url/#/board" "… a board: drag stones, ask for shots" \
    "$url/openapi.yaml" "the contract of the API" \
    "$url/metrics" "figures for Prometheus"
echo
if $serve && $ours; then
    disown "$pid"
    echo "rinkd goes on: $url, log $data.log; end it with: kill $pid"
elif $ours; then
    stop_daemon
    echo "rinkd is stopped; what it knows is in $data. With --serve it would go on."
    echo "To go on from there: $programs/rinkd --data '$data'"
else
    echo "rinkd was running before and goes on: $url; end it with: kill $pid"
fi
