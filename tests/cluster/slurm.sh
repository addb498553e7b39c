#!/usr/bin/env bash
# A real Slurm on this machine alone: a controller and two machines with a core each, all on loopback.
# The daemon does nothing itself; it submits pilots while a tournament has tasks. On the way one pilot
# is preempted, one machine's slurmd is killed, and idle pilots end. The games are the same, to the
# byte but for times, as those of one local worker. Installs Slurm and munge where they are missing
# (as root), leaves nothing running, and is not among the tests that run by themselves.
#
#   tests/cluster/slurm.sh [BUILD]     BUILD: build/release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "${1:-build/release}")
folder=$(mktemp -d)
started=()

say() {
    printf '==== %s\n' "$*"
}
die() {
    echo "slurm.sh: $*" >&2
    tail -n 20 "$folder"/*.log >&2 || true
    exit 1
}
end() {
    [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    for name in n1 n2 ctld munged; do
        [ ! -s "$folder/$name.pid" ] || kill "$(<"$folder/$name.pid")" 2>/dev/null || true
    done
    sleep 1
    rm -rf "$folder"
}
trap end EXIT

# wait_for SECONDS COMMAND …: until it succeeds.
wait_for() {
    local left=$((10 * $1))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || die "in vain: $*"
        sleep .1
    done
}

for name in slurmctld slurmd munged jq; do
    command -v $name >/dev/null || missing=1
done
[ -z "${missing:-}" ] || apt-get install -y --no-install-recommends slurm-wlm munge jq

# ---- Slurm ----
host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf
mkdir "$folder"/{state,munge,n1,n2}
chmod 755 "$folder" "$folder/munge"
head -c 128 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
SlurmdTimeout=5
KillWait=30
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=$host Port=16818 CPUs=1 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=$host Port=16819 CPUs=1 State=UNKNOWN
PartitionName=low Nodes=n1,n2 Default=YES PriorityTier=1 PreemptMode=CANCEL GraceTime=20
PartitionName=high Nodes=n1,n2 PriorityTier=10 PreemptMode=OFF
END
say "start Slurm"
munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge/seed" --force
slurmctld
slurmd -N n1
slurmd -N n2
two_idle() {
    [ "$(sinfo -h -p low -t idle -o %D)" = 2 ]
}
wait_for 30 two_idle

# ---- the daemon, and the tournament by one local worker ----
# start_daemon NAME OPTION …: sets `url`.
start_daemon() {
    local name=$1
    shift
    "$build/service/rinkd" --data "$folder/$name" --listen 127.0.0.1:0 "$@" \
        >"$folder/$name.out" 2>"$folder/$name.log" &
    started+=($!)
    wait_for 30 grep -q '^listening on' "$folder/$name.out"
    url=$(sed -n 's/^listening on //p' "$folder/$name.out")
}
rinkctl() {
    "$build/service/rinkctl/rinkctl" --address "$url" "$@"
}
submit() {
    rinkctl submit tournament rink:simulations=8000 rink:simulations=4000 ai-simple \
        --pairs 60 --seed 20261124 --json | jq -r .id
}
state_is() {
    [ "$(rinkctl job "$1" --json | jq -r .state)" = "$2" ]
}
# The games without the members that tell time.
games() {
    jq -cS 'walk(if type == "object" then del(.cpu_s, .elapsed_s) else . end)' \
        "$folder/$1/jobs/$2/records.jsonl" | sha256sum
}
say "the tournament by one local worker"
start_daemon alone --workers 1
id=$(submit)
wait_for 600 state_is "$id" "done"
alone=$(games alone "$id")

# A port that is known before the daemon starts, as its pilots have to be told.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
say "the same by pilots of Slurm"
node="$build/workers/node/rink-node --programs $folder/programs --url http://127.0.0.1:$port --cache $folder/cache-\$SLURM_JOB_ID"
mkdir -p "$folder/programs"
for program in evaluate learn; do
    ln -s "$build/workers/$program/rink-$program" "$folder/programs/"
done
"$build/service/rinkd" --data "$folder/led" --listen "127.0.0.1:$port" --workers 0 \
    --slurm-max 4 --slurm-idle-s 5 --slurm-time-min 10 --slurm-node "$node" \
    >"$folder/led.out" 2>"$folder/led.log" &
started+=($!)
url=http://127.0.0.1:$port
wait_for 30 curl -fs -o /dev/null "$url/readyz"
id=$(submit)
pilots() {
    squeue -h -p low -t "$1" -o %A | wc -l
}
some_run() {
    [ "$(pilots R)" -ge 1 ]
}
two_run() {
    [ "$(pilots R)" -ge 2 ]
}
# The tries of all tasks, a line each.
tries() {
    curl -fs "$url/v1/jobs/$id/tasks?limit=500" | jq -c '.items[].tries[]'
}
nodes_work() {
    [ "$(tries | jq -s '[.[] | select(.state == "leased" and .node != "")] | length')" -ge "$1" ]
}
wait_for 60 two_run
wait_for 60 nodes_work 2
say "rinkd says why parts wait: $(rinkctl job "$id" --json | jq -r '.waiting_because // "none waits"')"

say "a job of higher priority preempts a pilot"
sbatch --parsable -p high -n 1 --output=/dev/null --wrap 'sleep 5' >/dev/null
preempted() {
    grep -q 'slurm-[0-9]*.*\(leave\|left\|drain\)' "$folder/led.log" || [ "$(pilots R)" -lt 2 ]
}
wait_for 60 preempted

say "the slurmd of a machine is killed"
wait_for 60 some_run
kill -9 "$(<"$folder/n2.pid")"
rm -f "$folder/n2.pid"
sleep 2
wait_for 900 state_is "$id" "done"
led=$(games led "$id")
[ "$(tries | grep -c '"state":"\(released\|lost\)"')" -gt 0 ] || die "no pilot was interrupted at work"
[ "$alone" = "$led" ] || die "the games differ"

say "pilots without work end"
none_left() {
    [ "$(squeue -h -p low -t R,PD -w n1 -o %A | wc -l)" -eq 0 ] && [ "$(pilots PD)" -eq 0 ]
}
wait_for 120 none_left
tries | jq -rs '[.[] | [.node, .state]] | group_by(.) | .[] | "\(length) tries: \(.[0] | join(" "))"'
say "the same games: ${led%% *}"
