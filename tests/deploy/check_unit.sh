#!/usr/bin/env bash
# Checks that systemd finds no fault in deploy/rinkd.service, and that the unit is as restricted as
# deploy/README.md says. Exit status 77 (skipped) without systemd-analyze.
#
#   check_unit.sh ROOT RINKD
set -euo pipefail
root=$1
rinkd=$2
most=20 # of 100; the goal is 2.0 of 10

command -v systemd-analyze >/dev/null || {
    echo "unit: SKIPPED, there is no systemd-analyze (deploy/install-deps.sh --test)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# systemd looks for the program, which is not installed here, and for the manual page.
sed -e "s|/usr/local/bin/rinkd|$rinkd|" -e '/^Documentation=/d' "$root/deploy/rinkd.service" \
    >"$work/rinkd.service"
# verify FILE: any output is a fault. systemd only warns about an unknown key.
verify() {
    local said
    said=$(systemd-analyze verify --man=no "$1" 2>&1) || said+=" (status $?)"
    [ -z "$said" ] || {
        echo "$said"
        return 1
    }
}
verify "$work/rinkd.service"
sed 's/^NoNewPrivileges=/NoNewPriviliges=/' "$work/rinkd.service" >"$work/planted.service"
if verify "$work/planted.service" >/dev/null; then
    echo "unit: an unknown key is not found"
    exit 1
fi

systemd-analyze security --offline=true --threshold=$most "$work/rinkd.service" >"$work/security" || {
    cat "$work/security"
    exit 1
}
exposure=$(sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p' "$work/security")
echo "unit: exposure $exposure of 10"
grep -qF "exposure of **$exposure of 10**" "$root/deploy/README.md" || {
    echo "unit: deploy/README.md tells another figure"
    exit 1
}

# rinkd accepts the arguments of ExecStart, with the first settings of deploy/README.md.
config=$(sed -n "s/^echo '\(.*\)' >.etc.rinkd.rinkd.json$/\1/p" "$root/deploy/README.md")
echo "$config" >"$work/rinkd.json"
arguments=$(sed -n 's/^ExecStart=[^ ]* //p' "$work/rinkd.service")
# shellcheck disable=SC2086 # several words
"$rinkd" ${arguments/\/etc\/rinkd/$work} --data "$work/data" --listen 127.0.0.1:0 --check-config
