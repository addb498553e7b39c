#!/usr/bin/env bash
# Makes the cause of each alert of deploy/alerts.yml happen to a real rinkd, and waits until a real
# Prometheus says that the alert fires: full and slow disk, dead workers, buried jobs, overload, silent
# receivers of webhooks, backups that fail, a dead daemon. The expressions are those of the file; only `for` and the
# intervals are shorter. Takes about a minute. Needs prometheus, curl, jq, sqlite3, a C compiler, and
# root (or user namespaces) for a small disk of its own; exit status 77 (skipped) without.
#
#   alerts.sh ROOT RINKD PROGRAM…
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in prometheus curl jq sqlite3 cc python3 prlimit; do
    command -v $program >/dev/null || {
        echo "alerts: SKIPPED, there is no $program (deploy/install-deps.sh --test --run)"
        exit 77
    }
done
# A mount of its own, which goes away with the script.
if [ -z "${ALERTS_INSIDE:-}" ]; then
    flags=(--mount)
    [ "$(id -u)" = 0 ] || flags+=(--user --map-root-user)
    unshare "${flags[@]}" true 2>/dev/null || {
        echo "alerts: SKIPPED, unshare cannot make a mount namespace here"
        exit 77
    }
    ALERTS_INSIDE=1 exec unshare "${flags[@]}" "${BASH_SOURCE[0]}" "$@"
fi
# shellcheck source=tests/deploy/daemon.sh
. "$here/daemon.sh"
root=$1
rinkd=$2
shift 2
mkdir "$work/programs" "$work/disk"
ln -s "$@" "$work/programs/"
mount -t tmpfs -o size=64m tmpfs "$work/disk"
cc -shared -fPIC -O1 -o "$work/slow_disk.so" "$here/slow_disk.c"
started=$SECONDS

die() {
    echo "alerts: $*"
    cat "$work/log"
    umount -l "$work/disk"
    exit 1
}
ask() {
    curl -fsS --max-time 30 "$@"
}
# free_port: prints one.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
port=$(free_port)
url=http://127.0.0.1:$port

# begin FLAG…: starts the daemon at $url, with the environment of $variables.
begin() {
    env "${variables[@]}" "$rinkd" --data "$work/disk/data" --listen "127.0.0.1:$port" \
        --programs "$work/programs" --search-processes 1 --search-waiting-max 2 --drain-ms 0 \
        --webhook-addresses any "$@" >>"$work/log" 2>&1 &
    rinkd_pid=$!
    for ((k = 0; k < 1200; k++)); do
        ! curl -fs -o /dev/null --max-time 5 "$url/readyz" || return 0
        sleep 0.05
    done
    die "rinkd did not start"
}
end() {
    kill -"$1" "$rinkd_pid"
    wait "$rinkd_pid" 2>/dev/null || true
    rinkd_pid=
}

firing() {
    ask "$prometheus/api/v1/alerts" | jq -r '.data.alerts[] | select(.state == "firing").labels.alertname' |
        sort -u
}
seen=()
# fires NAME [COMMAND…]: repeats the command until the alert fires.
fires() {
    local name=$1 k
    shift
    for ((k = 0; k < 240; k++)); do
        [ $# -eq 0 ] || "$@"
        if firing | grep -qx "$name"; then
            echo "alerts: $name fires ($((SECONDS - started)) s)"
            seen+=("$name")
            return 0
        fi
        sleep 0.5
    done
    die "$name does not fire; firing are: $(firing | tr '\n' ' ')"
}

# ---- Prometheus ----
sed -E 's/^( *for:) .*/\1 1s/' "$root/deploy/alerts.yml" >"$work/alerts.yml"
sed -e "s|rinkd:8080|127.0.0.1:$port|" -e 's/_interval: 15s/_interval: 1s/' \
    -e '/authorization:/,/credentials_file:/d' "$root/deploy/prometheus.yml" >"$work/prometheus.yml"
touch "$work/log" "$work/prometheus.log" # read before their writers have opened them
variables=(RINKD_LOG_LEVEL=warning)
begin --workers 1
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
    --web.listen-address=127.0.0.1:0 >"$work/prometheus.log" 2>&1 &
helpers+=($!)
prometheus=
for ((k = 0; k < 200; k++)); do
    prometheus=$(sed -n 's/.*msg="Listening on" address=\(.*\)/http:\/\/\1/p' "$work/prometheus.log")
    [ -z "$prometheus" ] || ! ask -o /dev/null "$prometheus/-/ready" 2>/dev/null || break
    sleep 0.1
done
for ((k = 0; k < 100; k++)); do
    ! ask -G "$prometheus/api/v1/query" --data-urlencode 'query=count_over_time(up[1m]) > 3' |
        jq -e '.data.result | length > 0' >/dev/null || break
    sleep 0.2
done
[ -z "$(firing)" ] || die "while all is well, there fires: $(firing)"
echo "alerts: none while all is well"

# ---- a receiver that is gone for good, then silence ----
receiver=$(free_port)
python3 - "$receiver" <<'PYTHON' &
import http.server, sys
class Gone(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(410)
        self.end_headers()
    def log_message(self, *words):
        pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Gone).serve_forever()
PYTHON
receiver_pid=$!
helpers+=("$receiver_pid")
ask "$url/v1/webhooks" --json "{\"url\": \"http://127.0.0.1:$receiver/\"}" >/dev/null
test_hook() {
    ask -X POST "$url/v1/webhooks/1/test" >/dev/null
}
fires RinkdWebhooksLost test_hook
kill "$receiver_pid"
test_hook
# Nobody wants to wait for a quarter of an hour: the message gets older.
sqlite3 "$work/disk/data/rinkd.db" "PRAGMA busy_timeout = 10000;
    UPDATE delivery SET created_ms = created_ms - 1000000 WHERE state = 'waiting'" >/dev/null
fires RinkdWebhooksWait

# ---- overload: one process, two waiting places, many callers ----
overload() {
    local k askers=()
    for ((k = 0; k < 6; k++)); do
        curl -s -o /dev/null --max-time 30 "$url/v1/shots" --json '{"profile": "dc2", "seed": '"$RANDOM$k"',
            "limits": {"time_ms": 1500}, "state": {"end": 0, "shot": 0, "hammer": "team1",
            "scores": {"team0": [], "team1": []}, "stones": {"team0": [], "team1": []}}}' &
        askers+=($!)
    done
    wait "${askers[@]}" || true
}
fires RinkdShotsRefused overload
fires RinkdFails overload
fires RinkdShotsSlow overload

# ---- workers that die, and their job ----
ask "$url/v1/jobs" --json '{"kind": "match", "spec": {"a": "ai-simple", "b": "ai-simple", "pairs": 1000000,
    "ends": 10, "seed": 1}}' >/dev/null
kill_workers() {
    local pid
    for pid in $(ask "$url/v1/workers" | jq '.items[].pid // empty'); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    pkill -KILL -P "$rinkd_pid" rink-search || true
}
fires RinkdWorkersDie kill_workers
fires RinkdJobsBuried kill_workers

# ---- the disk: full, then slow; and nobody works ----
fill() {
    dd if=/dev/zero of="$work/disk/ballast" bs=1M 2>/dev/null || true
}
fires RinkdDiskFull fill
rm "$work/disk/ballast"
end TERM
variables+=(LD_PRELOAD="$work/slow_disk.so" SLOW_DISK_MS=600)
begin --workers 0
submit() {
    ask "$url/v1/jobs" --json '{"kind": "match", "spec": {"a": "random", "b": "random", "pairs": 1, "ends": 1}}' \
        >/dev/null
}
fires RinkdJobsStand submit
fires RinkdDiskSlow submit

# ---- backups that cannot be made, and one that cannot be removed ----
end TERM
variables=(RINKD_LOG_LEVEL=warning)
rm -rf "$work/disk/data/backups"
touch "$work/disk/data/backups"
begin --workers 1 --backup-every-h 1
fires RinkdBackupFails
fires RinkdBackupOld
end TERM
rm "$work/disk/data/backups"
for day in 01 02; do
    mkdir -p "$work/disk/data/backups/202001${day}T000000.000Z.db/not-empty"
done
begin --workers 1 --keep-backups 1
retain() {
    ask -X POST "$url/v1/retention" >/dev/null
}
fires RinkdRetentionFails retain

# ---- the end ----
end KILL
fires RinkdDown

mapfile -t all < <(sed -n 's/^ *- alert: //p' "$root/deploy/alerts.yml" | sort)
mapfile -t fired < <(printf '%s\n' "${seen[@]}" | sort)
[ "${all[*]}" = "${fired[*]}" ] || die "alerts.yml has ${all[*]}, but there fired ${fired[*]}"
umount "$work/disk"
echo "alerts: each of ${#all[@]} has fired, in $((SECONDS - started)) s"
