#!/usr/bin/env bash
# The systemd unit, for real: a systemd of its own runs deploy/rinkd.service in namespaces, on a copy of
# this machine's files that is thrown away. A game that rinkd hosts has to outlive its daemon
# (KillMode=process), all other workers end with it, and a daemon that was killed comes back. Needs
# root, systemd, util-linux and cgroups; takes a minute. Not part of the ordinary tests.
#
#   tests/deploy/systemd.sh BUILD
#
#   BUILD   a build folder, whose programs are installed in the copy
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
PATIENCE_S=${PATIENCE_S:-300}
passed=0

die() {
    echo "systemd: $*" >&2
    cat "${work:-}/console" >&2 || true
    [ -z "${init:-}" ] || inside journalctl --no-pager -n 40 >&2 || true
    exit 1
}
ok() { # WHAT CONDITION…
    local what=$1
    shift
    "$@" || die "FAILED: $what"
    passed=$((passed + 1))
    echo "ok: $what"
}

[ "$(id -u)" -eq 0 ] || die "needs root"
[ -x /lib/systemd/systemd ] || die "there is no systemd"
unified=$(findmnt -t cgroup2 -n -o TARGET | head -1)
[ -n "$unified" ] || die "there is no cgroup2"

work=$(mktemp -d)
group=$unified/rinkd-test-$$
starter='' init=''
on_exit() {
    local status=$?
    trap - EXIT
    [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true # and with it all of its namespace
    [ -z "$starter" ] || kill -KILL "$starter" 2>/dev/null || true
    [ -z "$starter" ] || wait "$starter" 2>/dev/null || true
    sleep 1
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    umount -R "$work" 2>/dev/null || true
    rm -rf "$work"
    exit $status
}
trap on_exit EXIT

# ---- a root ----
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
top=$work/root
DESTDIR=$top cmake --install "$build" --prefix /usr/local --strip >/dev/null
rm -rf "$top/etc/systemd/system" "$top/etc/rinkd"
mkdir -p "$top/etc/systemd/system" "$top/etc/rinkd" "$top/var/lib"
cp "$root/deploy/rinkd.service" "$top/etc/systemd/system/"
sed -n "s/^\(echo .*\) >.etc.rinkd.rinkd.json$/\1/p" "$root/deploy/README.md" | sh >"$top/etc/rinkd/rinkd.json"
# Nothing else starts, and nothing touches the hardware.
cat >"$top/etc/systemd/system/only.target" <<'UNIT'
[Unit]
Wants=systemd-journald.service rinkd.service
UNIT
for unit in systemd-udevd systemd-udev-trigger systemd-networkd systemd-resolved systemd-timesyncd \
    systemd-logind systemd-sysctl systemd-modules-load systemd-remount-fs getty.target dbus; do
    ln -s /dev/null "$top/etc/systemd/system/${unit%.target}$([[ $unit == *.target ]] && echo .target || echo .service)"
done
: >"$top/etc/fstab"

# ---- boot ----
mkdir "$group"
# shellcheck disable=SC2016 # expanded by the inner shell
start='echo $$ >"$1/cgroup.procs"
    exec unshare --fork --pid --mount --uts --ipc --cgroup --net --kill-child -- sh -c '\''
        set -e
        hostname rinkd-test
        ip link set lo up
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount -t sysfs -o ro sysfs "$1/sys"
        mount -t tmpfs tmpfs "$1/sys/fs/cgroup"
        mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup"
        mount -t tmpfs -o mode=755 tmpfs "$1/run"
        mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
        mount --rbind /dev "$1/dev"
        export container=rinkd-test
        cd "$1"
        pivot_root . . # no user namespace begins below a chroot
        umount -l .
        exec /lib/systemd/systemd --unit=only.target --log-target=journal
    '\'' sh "$2"'
sh -c "$start" sh "$group" "$top" >"$work/console" 2>&1 &
starter=$!
for ((k = 0; k < PATIENCE_S * 5; k++)); do
    init=$(pgrep -P "$starter" | head -1 || true)
    [ -z "$init" ] || [ "$(cat "/proc/$init/comm")" != systemd ] || break
    kill -0 "$starter" 2>/dev/null || die "$(cat "$work/console")"
    sleep 0.2
done
inside() { nsenter -t "$init" -a --root --wd=/ -- env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin HOME=/root "$@"; }
until_true() { # COMMAND…
    for ((k = 0; k < PATIENCE_S; k++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 1
    done
    return 1
}
unit() { inside systemctl show rinkd --value -p "$1"; }
url=http://127.0.0.1:8080
is_ready() { inside curl -fs -o /dev/null "$url/readyz"; }
ask() { inside curl -sS "$@"; }
state_of() { ask "$url/v1/jobs/$1" | jq -r .state; }
is() { [ "$1" = "$2" ]; }
is_state() { [ "$(state_of "$1")" = "$2" ]; }
has_process() { inside pgrep -f "$1"; }
has_no() { ! inside pgrep -f "$1"; }

ok "the unit starts with the system" until_true is_ready
ok "by a user of its own" test "$(inside stat -c %u "/proc/$(unit MainPID)")" -ge 61184

# ---- a game and a match ----
game=$(ask "$url/v1/jobs" --json '{"kind": "host", "spec": {"team0": "ai-simple", "team1": "rink",
    "ends": 2, "engine": "fast", "time": 40}}' | jq .id)
match=$(ask "$url/v1/jobs" --json '{"kind": "match", "spec": {"a": "rink:simulations=2000", "b": "ai-simple",
    "pairs": 100000}}' | jq .id)
game_runs() { [ "$(ask "$url/v1/jobs/$game" | jq -r '.result.shot // 0')" -ge 1 ]; }
ok "a game is hosted" until_true game_runs
ok "a match runs" until_true is_state "$match" leased
host=$(inside pgrep -f 'rink-compete host' | head -1)
ok "by a process of its own" test -n "$host"

inside systemctl stop rinkd
ok "the unit stops with status 0" is "$(unit Result) $(unit ExecMainStatus)" 'success 0'
ok "the game goes on" inside kill -0 "$host"
ok "no worker does" has_no 'rink-evaluate|rink-search|rink-simulate'
inside systemctl start rinkd
ok "the daemon comes back" until_true is_ready
ok "and finds the game" until_true is_state "$game" leased
ok "which is the same process" inside kill -0 "$host"

inside systemctl kill -s KILL --kill-who=main rinkd
sleep 2
ok "it comes back after a kill" until_true is_ready
ok "by systemd" is "$(unit NRestarts)" 1
ask -X POST "$url/v1/jobs/$match/cancel" >/dev/null
ok "the game ends" until_true is_state "$game" 'done'
ask "$url/v1/jobs/$game" | jq -c '{state, attempt, crashes, winner: .result.winner, points: .result.points}'
ok "on its first attempt" is "$(ask "$url/v1/jobs/$game" | jq .crashes)" 0
echo "$passed passed, 0 failed"
