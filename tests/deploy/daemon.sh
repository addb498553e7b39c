#!/usr/bin/env bash
# For the scripts beside this one: the real daemon on a free port, with its data in a folder that goes
# away with the script. Source it; then
#
#   start_rinkd RINKD PROGRAM… [-- flag…]     PROGRAM…: those of the workers; sets $url and $work
#   helpers+=(PID)                            ended before it
set -euo pipefail
unset "${!RINKD_@}"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
work=$(mktemp -d)
url=
rinkd_pid=
helpers=()
end_rinkd() {
    local status=$? pid
    trap - EXIT
    for pid in "${helpers[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" || true
    done
    if [ -n "$rinkd_pid" ]; then
        kill -TERM "$rinkd_pid" 2>/dev/null || true
        wait "$rinkd_pid" || {
            cat "$work/log"
            status=1
        }
    fi
    rm -rf "$work"
    exit "$status"
}
trap end_rinkd EXIT

start_rinkd() {
    local rinkd=$1
    shift
    mkdir "$work/programs"
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        ln -s "$1" "$work/programs/"
        shift
    done
    [ $# -eq 0 ] || shift
    touch "$work/first-line" "$work/log" # they are looked into before rinkd's shell has opened them
    "$rinkd" --data "$work/data" --listen 127.0.0.1:0 --programs "$work/programs" "$@" \
        >"$work/first-line" 2>"$work/log" &
    rinkd_pid=$!
    for ((k = 0; k < 12000; k++)); do
        url=$(sed -n 's/^listening on //p' "$work/first-line")
        [ -z "$url" ] || ! curl -fs -o /dev/null --max-time 5 "$url/readyz" || return 0
        kill -0 "$rinkd_pid" 2>/dev/null || break
        sleep 0.05
    done
    cat "$work/log"
    echo "rinkd did not start"
    return 1
}
