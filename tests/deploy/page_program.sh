#!/usr/bin/env bash
# In place of a program in the commands of a page (check_pages.sh), by the name it is called by: runs the
# real one against the daemon of the test where that is quick and harmless, has it check its command line
# where it is not, and leaves alone what changes the machine. $programs, $url and $work are in the environment.
set -euo pipefail
: "${programs:?}" "${url:?}" "${work:?}"
name=${0##*/}

# Hosts a game of one end beside the command; its first line goes to $first.
host() {
    local folder
    folder=$(mktemp -d "$work/host-XXXXXX")
    "$programs/rink-compete" host --folder "$folder" --team1 ai-simple --ends 1 --engine fast --time 12 "$@" \
        >"$folder/said" 2>"$folder/log" &
    until [ -s "$folder/said" ]; do
        kill -0 $! || exit 1
        sleep 0.05
    done
    first=$(head -n 1 "$folder/said")
}

# Plays to the end; a busy machine may lose on time (7).
play() {
    local status=0
    "$programs/rink-compete" "$@" || status=$?
    [ $status -eq 0 ] || [ $status -eq 7 ]
    exit
}

case $name in
curl)
    # What is waited for on a page has no time limit here.
    case "$*" in
    *Prefer:\ wait*)
        until "$programs/curl" "$@" >"$work/waited" && grep -qE '"state": *"(done|buried)"' "$work/waited"; do :; done
        exec cat "$work/waited"
        ;;
    *metrics\?names=*)
        for state in ready leased; do
            until [ "$("$programs/curl" -fsS "$url/v1/jobs?state=$state" | jq '.items | length')" = 0 ]; do sleep 0.1; done
        done
        ;;
    esac
    exec "$programs/curl" "$@"
    ;;
rinkctl)
    case " $* " in
    *' submit compete --protocol dc3 '*)
        host
        words=("$@")
        port=$(jq .listening.team0 <<<"$first")
        exec "$programs/rinkctl" "${words[@]/SERVER:PORT/127.0.0.1:$port}"
        ;;
    *' submit '* | *' library-add '*)
        exec "$programs/rinkctl" "$@" --dry-run
        ;;
    esac
    exec "$programs/rinkctl" "$@"
    ;;
rink-compete)
    case $1 in
    dc3)
        host
        shift 3
        play dc3 127.0.0.1 "$(jq .listening.team0 <<<"$first")" "$@"
        ;;
    dc4)
        host --protocol dc4
        words=("$@")
        words[1]=http://127.0.0.1:$(jq .listening.http <<<"$first")
        play "${words[@]/#MATCH/$(jq -r .match <<<"$first")}"
        ;;
    esac
    exec "$programs/rink-compete" "$@" --version
    ;;
rinkd)
    case $1 in
    --new-token) exec "$programs/rinkd" "$@" ;;
    esac
    exec "$programs/rinkd" "$@" --data "$work/elsewhere" --listen 127.0.0.1:0 --check-config
    ;;
rink-*)
    exec "$programs/$name" "$@" --version
    ;;
*)
    # Not a program of ours: docker, kubectl, systemctl …
    ;;
esac
