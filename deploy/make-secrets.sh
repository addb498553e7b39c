#!/usr/bin/env bash
# Makes the tokens that the container, the Kubernetes manifests and the systemd unit expect: one that
# may do everything, one for nodes, which get tasks with it, and one for Prometheus, which may only
# read; and a password for Grafana. Writes
#
#   FOLDER/tokens             who may do what; has no tokens in it but their SHA-256
#   FOLDER/admin.token        for you: Authorization: Bearer $(cat FOLDER/admin.token)
#   FOLDER/node.token         for rink-node
#   FOLDER/prometheus.token   for Prometheus
#   FOLDER/grafana.password   of Grafana's user admin
#
#   deploy/make-secrets.sh FOLDER RINKD…
#
#   RINKD…    how to run rinkd here:  rinkd,  or  docker run --rm --network none rinkd
#
# FOLDER is closed to other users of this machine. Its files are not: in a container, another user
# than you reads them. A folder that has secrets is left as it is.
set -euo pipefail

[ $# -ge 2 ] || {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}
folder=$1
shift
for name in tokens admin.token node.token prometheus.token grafana.password; do
    [ ! -e "$folder/$name" ] || {
        echo "make-secrets: there is $folder/$name already; nothing was changed" >&2
        exit 1
    }
done
mkdir -p "$folder"
chmod 700 "$folder"
umask 022

# new_token NAME SCOPES RINKD…
new_token() {
    local name=$1 scopes=$2 said
    shift 2
    said=$("$@" --new-token "$scopes:$name")
    head -n 1 <<<"$said" >"$folder/$name.token"
    tail -n 1 <<<"$said" >>"$folder/tokens"
    [ -s "$folder/$name.token" ] || {
        echo "make-secrets: '$*' made no token" >&2
        exit 1
    }
}
new_token admin query,train,admin "$@"
new_token node work "$@"
new_token prometheus read "$@"
od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$folder/grafana.password"
echo "make-secrets: $folder/tokens, admin.token, node.token, prometheus.token, grafana.password"
