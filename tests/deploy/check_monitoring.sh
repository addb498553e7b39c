#!/usr/bin/env bash
# Prometheus and Grafana beside rinkd: rules and queries are understood by Prometheus, fire when they
# should, and ask for figures that the daemon really has; the dashboard and its provisioning belong
# together. Exit status 77 (skipped) without promtool.
#
#   check_monitoring.sh ROOT RINKD PROGRAM…
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/deploy/daemon.sh
. "$here/daemon.sh"
deploy=$1/deploy
shift

die() {
    echo "monitoring: $*"
    exit 1
}
for program in promtool jq; do
    command -v $program >/dev/null || {
        echo "monitoring: SKIPPED, there is no $program (deploy/install-deps.sh --test --run)"
        exit 77
    }
done

echo "monitoring: rules of Prometheus"
cp "$deploy/alerts.yml" "$deploy/prometheus.yml" "$here/alerts_test.yml" "$work/"
promtool check config --syntax-only "$work/prometheus.yml"
(cd "$work" && promtool check rules alerts.yml && promtool test rules alerts_test.yml)

echo "monitoring: the dashboard"
dashboard=$deploy/grafana/dashboards/rinkd.json
uid=$(sed -n 's/^ *uid: //p' "$deploy/grafana/provisioning/datasources/rinkd.yml")
folder=$(sed -n 's/^ *path: //p' "$deploy/grafana/provisioning/dashboards/rinkd.yml")
grep -qF "./grafana/dashboards:$folder:ro" "$deploy/compose.yaml" ||
    die "compose.yaml does not put the dashboard where its provisioning looks, $folder"
jq -e --arg uid "$uid" '
    ([.panels[].id] | length == (unique | length)) and
    all(.panels[]; (.title | length > 0) and (.targets | length > 0) and .datasource.uid == $uid and
        .gridPos.x + .gridPos.w <= 24 and all(.targets[]; (.expr | length > 0) and .datasource.uid == $uid)) and
    all(.templating.list[]; .datasource.uid == $uid)' "$dashboard" >/dev/null ||
    die "rinkd.json: a panel without a title or a query, or with another data source than '$uid'"
# Each query as a rule, for promtool to read.
jq -r '["groups:", "- name: dashboard", "  rules:"] + [.panels[].targets[].expr |
    gsub("[$](instance|run)"; ".*") | "  - {record: query, expr: \(@json)}"] | .[]' "$dashboard" \
    >"$work/queries.yml"
# Every record has the same name here, which is only worth a warning.
promtool check rules --lint=none "$work/queries.yml"

echo "monitoring: the figures"
start_rinkd "$@"
curl -fsS --max-time 10 "$url/v1/jobs" --json '{"kind": "diagnose", "spec": {"seconds": 30}}' >/dev/null
for ((k = 0; k < 300; k++)); do
    curl -fsS --max-time 10 "$url/metrics" >"$work/metrics"
    ! grep -q '^rinkd_run_metric{' "$work/metrics" || break
    sleep 0.1
done
promtool check metrics <"$work/metrics" || die "/metrics is not as Prometheus wants it"
wanted=$(cat "$dashboard" "$deploy/alerts.yml" | grep -oE '\b(rinkd|process)_[a-z_]+\b' | sort -u)
for name in $wanted; do
    grep -qE "^${name}[{ ]" "$work/metrics" || die "$name is asked for, and /metrics does not have it"
done
# The states and classes that are asked for.
for value in $(cat "$dashboard" "$deploy/alerts.yml" | grep -oE '(state|status)=~?\\?"[a-z0-9|]+' |
    sed 's/.*"//' | tr '|' '\n' | sort -u); do
    grep -qE "\"$value\"" "$work/metrics" || die "no figure has the value '$value'"
done
curl -fsS --max-time 10 -X POST "$url/v1/jobs/1/cancel" >/dev/null
echo "monitoring: $(wc -w <<<"$wanted") names, all there"
