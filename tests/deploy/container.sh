#!/usr/bin/env bash
# The images, the Compose file and the systemd unit, for real: runs the commands of deploy/README.md
# with a Docker engine from Debian's packages, which it starts for itself, on a base image that it makes
# from Debian's packages too. Needs root, the Debian archive and the npm registry, and takes as long as
# a build of everything (some 15 minutes on two processors). Not part of the ordinary tests.
#
#   tests/deploy/container.sh [FOLDER]
#
#   FOLDER    for engine and images (some 5 GB), which the next run finds there; without it they go
#             to a temporary one and are removed
#   BUILD     in the environment: a release build of this machine, which has to be a Debian 12; the
#             images then get its programs, and nothing is compiled (a few minutes)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/deploy/image_limits.sh
. tests/deploy/image_limits.sh
export DOCKER_BUILDKIT=1 PATH=/usr/bin:$PATH
unset "${!RINKD_@}"
passed=0

say() { printf '\n==== %s\n' "$*"; }
die() {
    echo "container: $*" >&2
    exit 1
}
# ok WHAT CONDITION…: reports one check.
ok() {
    local what=$1
    shift
    "$@" >"$work/said" || {
        cat "$work/said"
        die "FAILED: $what"
    }
    passed=$((passed + 1))
    echo "ok: $what"
}
# refuses COMMAND…: succeeds if the command fails.
refuses() { ! "$@" >/dev/null 2>&1; }

[ "$(id -u)" -eq 0 ] || die "needs root: it starts an engine"

# ---- engine ----
say "packages"
missing=()
for package in docker.io docker-compose debootstrap iptables jq curl sqlite3; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    apt-get -q update
    # The package would start an engine other than ours.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -y -o DPkg::Lock::Timeout=300 install \
        --no-install-recommends "${missing[@]}"
fi

work=$(mktemp -d)
keep=${1:-}
engine=${keep:-$work/engine}
mkdir -p "$engine"
engine=$(cd "$engine" && pwd)
dockerd_pid=
on_exit() {
    local status=$?
    trap - EXIT
    if [ -n "$dockerd_pid" ]; then
        docker ps -aq | xargs -r docker rm -f >/dev/null
        docker volume ls -q | xargs -r docker volume rm >/dev/null
        kill "$dockerd_pid"
        wait "$dockerd_pid" || true
        # Left by interrupted containers and builds.
        umount "$work"/exec/netns/* 2>/dev/null || true
    fi
    rm -rf "$work"
    exit $status
}
trap on_exit EXIT

say "engine"
export DOCKER_HOST=unix://$work/docker.sock
dockerd --data-root "$engine/docker" --exec-root "$work/exec" --pidfile "$work/docker.pid" -H "$DOCKER_HOST" \
    --exec-opt native.cgroupdriver=cgroupfs >"$engine/dockerd.log" 2>&1 &
dockerd_pid=$!
for ((k = 0; k < 120; k++)); do
    ! docker info >/dev/null 2>&1 || break
    kill -0 $dockerd_pid 2>/dev/null || break
    sleep 0.5
done
docker info --format 'Docker {{.ServerVersion}}, {{.Driver}}, cgroup {{.CgroupVersion}}' || {
    tail "$engine/dockerd.log"
    die "no engine can be started here"
}

say "base image"
if [ -z "$(docker images -q debian:bookworm-slim)" ]; then
    debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" \
        http://deb.debian.org/debian >"$engine/debootstrap.log"
    printf 'path-exclude /usr/share/%s/*\n' doc man locale >"$work/base/etc/dpkg/dpkg.cfg.d/slim"
    echo 'path-include /usr/share/doc/*/copyright' >>"$work/base/etc/dpkg/dpkg.cfg.d/slim"
    printf 'deb http://deb.debian.org/%s main\n' 'debian bookworm' 'debian bookworm-updates' \
        'debian-security bookworm-security' >"$work/base/etc/apt/sources.list"
    rm -rf "$work"/base/var/{cache/apt,lib/apt/lists}/*
    tar -C "$work/base" --exclude='./proc/*' --exclude='./sys/*' -c . | docker import - debian:bookworm-slim >/dev/null
    rm -rf "$work/base"
fi
docker images debian:bookworm-slim

# ---- the commands of the README ----
free_port() {
    local port
    for port in $(shuf -i 20000-32000 -n 50); do
        if ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    return 1
}
port=$(free_port)
url=http://127.0.0.1:$port
secrets=$work/secrets

# As written, except another port, another folder of secrets, and this machine's certificates, which
# the npm registry may need.
bundle=/etc/ssl/certs/ca-certificates.crt
commands() {
    awk -v name="$1" '
        $0 == "<!-- tests/deploy/container.sh: " name " -->" { wanted = 1; next }
        wanted && /^```/ { if (inside) exit; inside = 1; next }
        wanted && inside' deploy/README.md |
        sed -e "s|127\.0\.0\.1:8080|127.0.0.1:$port|g" -e "s|\$PWD/deploy/secrets|$secrets|g" \
            -e "s|deploy/secrets|$secrets|g" -e "s|rinkd-backup.tar|$work/&|g" \
            -e "s|\([ /\"]\)restored\b|\1$work/restored|g" \
            -e "s|^docker build |&--secret id=ca-certificates,src=$bundle |"
}
# run NAME [sed script]: runs the block of that name.
run() {
    local text
    text=$(commands "$1" | sed -e "${2:-}")
    [ -n "$text" ] || die "deploy/README.md has no commands '$1'"
    printf '    $ %s\n' "${text//$'\n'/$'\n'      }" >&2
    eval "$text"
}
ask() { curl -sS --max-time 60 --fail-with-body -H "Authorization: Bearer $(cat "$secrets/admin.token")" "$@"; }
status_with() { # TOKEN curl-argument…: the HTTP status
    local token=$1
    shift
    curl -sS -o /dev/null -w '%{http_code}' --max-time 60 -H "Authorization: Bearer $token" "$@"
}
is() { [ "$1" = "$2" ]; }
health() { docker inspect -f '{{.State.Health.Status}}' "$1"; }
wait_for_health() { # CONTAINER WANTED
    for ((k = 0; k < 90; k++)); do
        [ "$(health "$1")" != "$2" ] || return 0
        sleep 1
    done
    docker logs --tail 20 "$1"
    return 1
}
# start_time CONTAINER: starts it, and prints the milliseconds until it answers that it is ready.
start_time() {
    local began
    began=$(date +%s%N)
    docker start "$1" >/dev/null
    until curl -fs -o /dev/null --max-time 5 "$url/readyz"; do
        [ $((($(date +%s%N) - began) / 1000000)) -lt 60000 ] || return 1
        sleep 0.02
    done
    echo $((($(date +%s%N) - began) / 1000000))
}
size() { docker image inspect -f '{{.Size}}' "$1"; }
main_pid() { docker inspect -f '{{.State.Pid}}' "$1"; }
look_at_processes() { # a line each
    local pid
    for pid in $(docker top rinkd -o pid | tail -n +2); do
        grep -E '^(Name|Uid|CapEff|State):' "/proc/$pid/status" | tr -s '\t\n' ' '
        echo
    done >"$work/processes"
}

say "build"
if [ -n "${BUILD:-}" ]; then
    # The stage that compiles gives way to one that has its result; all after it is as written.
    mkdir "$work/context"
    DESTDIR=$work/stage cmake --install "$BUILD" --prefix /usr/local --strip >/dev/null
    deploy/image-root.sh "$work/stage" "$work/context/image"
    {
        printf 'FROM scratch AS build\nCOPY image/ /image/\n'
        sed -n '/^# Everything that can change/,$p' deploy/Dockerfile
    } >"$work/context/Dockerfile"
    run build "s|-f deploy/Dockerfile|-f $work/context/Dockerfile|; s|--secret [^ ]*||; s| \\.\$| $work/context|"
    rm -rf "$work/context" "$work/stage"
else
    run build
fi
docker images
ok "rinkd-daemon has at most $((MOST_DAEMON_BYTES / 1000000)) MB ($(($(size rinkd-daemon) / 1000)) kB)" test "$(size rinkd-daemon)" -le "$MOST_DAEMON_BYTES"
ok "rinkd has at most $((MOST_RINKD_BYTES / 1000000)) MB ($(($(size rinkd) / 1000)) kB)" test "$(size rinkd)" -le "$MOST_RINKD_BYTES"
for image in rinkd-daemon rinkd; do
    docker create --name look "$image" >/dev/null
    docker export look | tar -t >"$work/files"
    docker rm look >/dev/null
    ok "$image has no shell, package manager or compiler" \
        refuses grep -E '(^|/)(sh|bash|dash|busybox|apt-get|dpkg|cc|gcc|cc1|ld|perl|python3?)$' "$work/files"
done

say "secrets"
run secrets
said=$(run token)
tail -n 1 <<<"$said" >>"$secrets/tokens"
head -n 1 <<<"$said" >"$secrets/team-a.token"
ok "the tokens file has no token in it" refuses grep -F "$(cat "$secrets/admin.token")" "$secrets/tokens"
said=$(docker run --rm --network none rinkd 2>&1) && die "it starts without tokens"
ok "without tokens it does not start, and says why" grep -q '/run/secrets/rinkd_tokens: No such file' <<<"$said"

for image in rinkd-daemon rinkd; do
    say "run $image"
    docker volume rm rinkd-data >/dev/null 2>&1 || true
    run run "s/ rinkd\$/ $image/"
    ok "it is healthy" wait_for_health rinkd healthy
    look_at_processes
    ok "each process is of user 65532" refuses grep -v 'Uid: 65532 65532' "$work/processes"
    ok "each process has no capability" refuses grep -v 'CapEff: 0000000000000000' "$work/processes"
    run shot >"$work/shot.json"
    ok "a shot from outside" jq -e '.shot.velocity.y > 2 and .simulations > 1000' "$work/shot.json"
    ok "a wrong token is refused" is "$(status_with wrong "$url/v1/jobs")" 401
    run shot 's/admin.token/team-a.token/' >"$work/team.json" 2>/dev/null
    ok "a team gets the same one" is "$(jq -c .shot "$work/team.json")" "$(jq -c .shot "$work/shot.json")"
    ok "and not add a job" is "$(status_with "$(cat "$secrets/team-a.token")" "$url/v1/jobs" --json '{"kind": "diagnose"}')" 403

    say "$image: work, kill, stop"
    ask "$url/v1/jobs" -H 'Prefer: wait=50' --json '{"kind": "match", "spec": {"a": "rink:simulations=500",
        "b": "ai-simple", "profile": "dc2", "ends": 2, "pairs": 4}}' | jq -c '{id, state}' >"$work/job"
    ok "a match is played: $(cat "$work/job")" jq -e '.state == "done"' "$work/job"
    job=$(jq .id "$work/job")
    # A small network on libtorch: one image has libtorch, the other reports that it is missing.
    ask "$url/v1/jobs" -H 'Prefer: wait=50' --json '{"kind": "train", "spec": {"iterations": 64,
        "network": {"architecture": "set"}, "evaluate_every": 0, "opponents": [],
        "hyper": {"warm_up": 64, "batch": 32}}}' | jq -c '{state, error}' >"$work/training"
    case $image in
    rinkd) ok "a training with libtorch: $(cat "$work/training")" jq -e '.state == "done"' "$work/training" ;;
    *) ok "a training without libtorch: $(cat "$work/training")" \
        jq -e '.state == "buried" and (.error.detail | contains("no libtorch here"))' "$work/training" ;;
    esac
    before=$(ask "$url/v1/jobs/$job" | jq -S .)
    docker kill rinkd >/dev/null
    docker start rinkd >/dev/null
    ok "it comes back after a kill" wait_for_health rinkd healthy
    ok "and nothing is lost" is "$(ask "$url/v1/jobs/$job" | jq -S .)" "$before"
    docker stop rinkd >/dev/null
    ok "docker stop ends it with status 0" is "$(docker inspect -f '{{.State.ExitCode}}' rinkd)" 0
    echo "start $image: $(start_time rinkd) ms until it is ready"
    ok "it starts again" wait_for_health rinkd healthy
    # The engine creates the mount point of the tokens itself.
    ok "nothing but the volume was written" is "$(docker diff rinkd | grep -v ' /run')" ''
    look_at_processes
    ok "no process is left that nobody waited for" refuses grep -q 'State: Z' "$work/processes"
    [ "$image" = rinkd ] || docker rm -f rinkd >/dev/null
done

say "health"
kill -STOP "$(main_pid rinkd)"
stopped=$SECONDS
ok "a rinkd that hangs is unhealthy" wait_for_health rinkd unhealthy
echo "after $((SECONDS - stopped)) s"
kill -CONT "$(main_pid rinkd)"
ok "and healthy again when it goes on" wait_for_health rinkd healthy

say "backup, restore"
run backup
run upgrade
run restore
run run 's/rinkd-data:/rinkd-restored:/'
ok "it runs on the restored volume" wait_for_health rinkd healthy
ok "with what it knew" is "$(ask "$url/v1/jobs/$job" | jq -S .)" "$before"

say "upgrade"
run upgrade
run run
ok "another container goes on with the volume" wait_for_health rinkd healthy
ok "with what it knew" is "$(ask "$url/v1/jobs/$job" | jq -S .)" "$before"
docker rm -f rinkd >/dev/null

say "upgrade from the first released schema"
# Version 8, with a job that is done and one that waits.
mkdir "$work/first"
for file in schema/000[1-8]_*.sql; do
    sqlite3 "$work/first/rinkd.db" <"$file"
done
sqlite3 "$work/first/rinkd.db" "PRAGMA user_version = 8; PRAGMA application_id = 1382641259;
    INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms, updated_ms,
                     finished_ms, spec)
    VALUES ('diagnose', 'done', 0, 0, 0, 5, 1, 2, 3, '{}'),
           ('diagnose', 'ready', 1, 0, 0, 5, 1, 2, NULL, '{\"seconds\": 1}')"
docker volume rm rinkd-data >/dev/null
docker create --name first -v rinkd-data:/var/lib/rinkd rinkd >/dev/null
tar -C "$work/first" --owner=65532 --group=65532 -c . | docker cp - first:/var/lib/rinkd
docker rm first >/dev/null
run run
ok "it is healthy" wait_for_health rinkd healthy
ok "with what it knew" is "$(ask "$url/v1/jobs/1" | jq -c '[.id, .kind, .state]')" '[1,"diagnose","done"]'
ok "and does what waited" is "$(ask "$url/v1/jobs/2" -H 'Prefer: wait=50' | jq -r .state)" 'done'
docker rm -f rinkd >/dev/null

say "Compose"
# Debian has Prometheus and no Grafana.
docker build -q -t local-prometheus - >/dev/null <<'DOCKERFILE'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && mkdir /prometheus \
    && chown 65534:65534 /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]
DOCKERFILE
prometheus_port=$(free_port)
export RINKD_SECRETS=$secrets RINKD_PUBLISH=127.0.0.1:$port PROMETHEUS_IMAGE=local-prometheus \
    PROMETHEUS_PUBLISH=127.0.0.1:$prometheus_port
run compose 's/up -d$/up -d rinkd prometheus/'
ok "rinkd is healthy" wait_for_health rinkd_rinkd_1 healthy
ok "Prometheus is healthy" wait_for_health rinkd_prometheus_1 healthy

prometheus() { curl -sS --max-time 10 --get "http://127.0.0.1:$prometheus_port/api/v1/$1" "${@:2}"; }
# A training has curves as soon as it has begun.
ask "$url/v1/jobs" --json '{"kind": "train", "spec": {"evaluate_pairs": 1, "exploitability_every": 20000,
    "exploitability_ends": 2}}' >/dev/null
# Rates need two samples.
for ((k = 0; k < 60; k++)); do
    prometheus query --data-urlencode 'query=rate(rinkd_requests_total{status="2xx"}[5m]) > 0' >"$work/rate.json"
    prometheus query --data-urlencode 'query=rinkd_run_metric' >"$work/live.json"
    ! jq -es 'all(.[]; .data.result | length > 0)' "$work/rate.json" "$work/live.json" >/dev/null || break
    sleep 1
done
ok "Prometheus sees requests and a live curve" \
    jq -es 'all(.[]; .data.result | length > 0)' "$work/rate.json" "$work/live.json"
prometheus rules >"$work/rules.json"
ok "no alert rule fails" jq -e '[.data.groups[].rules[]] | length > 0 and all(.health == "ok" or .health == "unknown")' \
    "$work/rules.json"
empty=()
while IFS= read -r query; do
    answer=$(prometheus query --data-urlencode "query=$query")
    jq -e '.status == "success"' <<<"$answer" >/dev/null || die "Prometheus refuses $query: $answer"
    jq -e '.data.result | length > 0' <<<"$answer" >/dev/null || empty+=("$query")
done < <(jq -r '.panels[].targets[].expr' deploy/grafana/dashboards/rinkd.json |
    sed -e 's/[$]instance/.*/g' -e 's/[$]run/.*/g')
printf 'no data now: %s\n' "${empty[@]}"
# Only values not yet measured, and events that did not happen, may be missing.
ok "the queries of the dashboard have answers" \
    refuses grep -vE 'name=~"exploitability/|^$' <(printf '%s\n' "${empty[@]}")
docker-compose -p rinkd -f deploy/compose.yaml down >/dev/null 2>&1
docker-compose -p rinkd -f deploy/compose.yaml up -d rinkd >/dev/null 2>&1
ok "down and up again" wait_for_health rinkd_rinkd_1 healthy
ok "keeps the data" test "$(ask "$url/v1/jobs" | jq '.items | length')" -ge 1
docker-compose -p rinkd -f deploy/compose.yaml down >/dev/null 2>&1

say "systemd"
# A booted small Debian container for the unit: unrestricted itself, so that systemd can restrict.
mkdir "$work/booted"
cp deploy/rinkd.service "$work/booted/"
sed -n "s/^\(echo .*\) >.etc.rinkd.rinkd.json$/\1/p" deploy/README.md | sh >"$work/booted/rinkd.json"
docker build -q -t local-systemd -f - "$work/booted" >/dev/null <<'DOCKERFILE'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends systemd curl libjansson4 libsqlite3-0 \
    libmicrohttpd12 libuv1 libsodium23 libbox2d2 libcurl4
COPY --from=rinkd-daemon /usr/local/ /usr/local/
COPY rinkd.json /etc/rinkd/
COPY rinkd.service /etc/systemd/system/
RUN systemctl enable rinkd
CMD ["/lib/systemd/systemd"]
DOCKERFILE
docker run -d --name booted -t -e container=docker --cap-add=SYS_ADMIN --cap-add=NET_ADMIN --cap-add=SYS_PTRACE \
    --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cgroupns=host \
    -v /sys/fs/cgroup:/sys/fs/cgroup --tmpfs /run --tmpfs /tmp local-systemd >/dev/null
inside() { docker exec booted "$@"; }
unit() { inside systemctl show rinkd --value -p "$1"; }
answers() {
    for ((k = 0; k < 60; k++)); do
        ! inside curl -fs -o /dev/null http://127.0.0.1:8080/readyz || return 0
        sleep 1
    done
    inside journalctl -u rinkd --no-pager
    return 1
}
ok "the unit starts with the system" answers
ok "by a user of its own" refuses is "$(inside stat -c %U "/proc/$(unit MainPID)")" root
inside curl -sS http://127.0.0.1:8080/v1/jobs -H 'Prefer: wait=50' --json '{"kind": "match", "spec": {
    "a": "rink:simulations=500", "b": "ai-simple", "profile": "dc2", "ends": 1, "pairs": 2}}' |
    jq -c '{id, state}' >"$work/job"
ok "workers work below it: $(cat "$work/job")" jq -e '.state == "done"' "$work/job"
inside systemctl kill -s KILL --kill-who=main rinkd
sleep 2
ok "it comes back after a kill" answers
ok "by systemd" is "$(unit NRestarts)" 1
ok "and nothing is lost" is "$(inside curl -sS http://127.0.0.1:8080/v1/jobs/1 | jq -c '{id, state}')" \
    "$(cat "$work/job")"
inside systemctl stop rinkd
ok "it stops with status 0" is "$(unit Result) $(unit ExecMainStatus)" 'success 0'
docker rm -f booted >/dev/null

say "result"
docker images --format '{{.Repository}} {{.Size}}' | grep '^rinkd'
echo "$passed passed, 0 failed"
