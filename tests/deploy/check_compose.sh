#!/usr/bin/env bash
# Checks that docker-compose reads deploy/compose.yaml, that its services have few rights, and that its
# secrets are those that deploy/make-secrets.sh makes and rinkd accepts. Exit status 77 (skipped) without
# docker-compose; needs no engine.
#
#   check_compose.sh ROOT RINKD
set -euo pipefail
root=$1
rinkd=$2
command -v docker-compose >/dev/null || {
    echo "compose: SKIPPED, there is no docker-compose (deploy/install-deps.sh --test)"
    exit 77
}
unset "${!RINKD_@}" "${!PROMETHEUS_@}" "${!GRAFANA_@}" "${!COMPOSE_@}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
    echo "compose: $*"
    exit 1
}

"$root/deploy/make-secrets.sh" "$work/secrets" "$rinkd"
export RINKD_SECRETS=$work/secrets
docker-compose -p rinkd -f "$root/deploy/compose.yaml" config >"$work/config"
grep -oE "$work/secrets/[a-z.]+" "$work/config" | sort -u >"$work/wanted"
[ "$(wc -l <"$work/wanted")" -eq 3 ] || die "it wants other secrets than before: $(cat "$work/wanted")"
while IFS= read -r file; do
    [ -s "$file" ] || die "make-secrets.sh makes no ${file##*/}"
done <"$work/wanted"
grep -oE '\./(grafana/[a-z]+|[a-z]+\.yml)' "$root/deploy/compose.yaml" | while IFS= read -r path; do
    [ -e "$root/deploy/$path" ] || die "there is no deploy/$path"
done
services=$(docker-compose -f "$root/deploy/compose.yaml" config --services | wc -l)
for word in 'read_only: true' '- no-new-privileges:true' '- ALL' 'mem_limit:' 'pids_limit:'; do
    [ "$(grep -cF -- "$word" "$work/config")" -eq "$services" ] ||
        die "not all of the $services services have '$word'"
done
sed 's/read_only:/readonly:/' "$root/deploy/compose.yaml" >"$work/planted.yaml"
! docker-compose -f "$work/planted.yaml" config >/dev/null 2>&1 || die "an unknown key is not found"

# Existing secrets are kept, and rinkd accepts their tokens.
before=$(cat "$work"/secrets/*)
! "$root/deploy/make-secrets.sh" "$work/secrets" "$rinkd" 2>/dev/null || die "secrets were made twice"
[ "$(cat "$work"/secrets/*)" = "$before" ] || die "secrets were changed"
"$rinkd" --tokens "$work/secrets/tokens" --listen 0.0.0.0:0 --check-config | tr -d ' \n' |
    grep -qF '"tokens":[' || die "rinkd does not take the tokens"
echo "compose: $services services"
