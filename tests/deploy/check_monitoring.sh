#!/usr/bin/env bash
# Prometheus and Grafana with rinkd: Prometheus accepts rules and queries, which fire when they should
# and use figures that the daemon really has; a real Prometheus that scrapes a busy daemon has values
# for every query of the dashboard; the dashboard and its provisioning match.
# Exit status 77 (skipped) without prometheus.
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
for program in prometheus promtool jq; do
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
        (.fieldConfig.defaults.unit | length > 0) and
        .gridPos.x + .gridPos.w <= 24 and ([.targets[].refId] | length == (unique | length)) and
        all(.targets[]; (.expr | length > 0) and .datasource.uid == $uid) and
        (.type == "stat" or all(.targets[]; .legendFormat | length > 0))) and
    all(.templating.list[]; .datasource.uid == $uid)' "$dashboard" >/dev/null ||
    die "rinkd.json: a panel without a title, unit, query or legend, or with another data source than '$uid'"
jq -e '[.panels[] | {id, x: .gridPos.x, y: .gridPos.y, r: (.gridPos.x + .gridPos.w), b: (.gridPos.y + .gridPos.h)}] as $all |
    [$all[] as $p | $all[] as $q | select($p.id < $q.id and $p.x < $q.r and $q.x < $p.r and $p.y < $q.b and $q.y < $p.b)] == []' \
    "$dashboard" >/dev/null || die "rinkd.json: panels lie on each other"
# Turns each query into a rule for promtool.
jq -r '["groups:", "- name: dashboard", "  rules:"] + [.panels[].targets[].expr |
    gsub("[$](instance|run)"; ".*") | "  - {record: query, expr: \(@json)}"] | .[]' "$dashboard" \
    >"$work/queries.yml"
# All records here have the same name, which promtool only warns about.
promtool check rules --lint=none "$work/queries.yml"

# Starts Prometheus with deploy/prometheus.yml, except address, token and a shorter interval. Sets $prometheus.
start_prometheus() {
    sed -e "s|rinkd:8080|${url#http://}|" -e 's/_interval: 15s/_interval: 1s/' \
        -e '/authorization:/,/credentials_file:/d' "$deploy/prometheus.yml" >"$work/scrape.yml"
    : >"$work/prometheus.log"
    prometheus --config.file="$work/scrape.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address=127.0.0.1:0 >"$work/prometheus.log" 2>&1 &
    helpers+=($!)
    for ((k = 0; k < 200; k++)); do
        prometheus=$(sed -n 's/.*msg="Listening on" address=\(.*\)/http:\/\/\1/p' "$work/prometheus.log")
        [ -z "$prometheus" ] || ! ask -o /dev/null "$prometheus/-/ready" 2>/dev/null || return 0
        sleep 0.1
    done
    cat "$work/prometheus.log"
    die "Prometheus did not start"
}

echo "monitoring: the figures"
start_rinkd "$@"
ask() {
    curl -fsS --max-time 20 "$@"
}
# A small training that evaluates itself repeatedly and runs until it is cancelled.
ask "$url/v1/jobs" --json '{"kind": "train", "spec": {"iterations": 1000000, "network": {"architecture": "mlp", "hidden": [8]},
    "hyper": {"candidates": 0, "parallel": 4, "batch": 16, "warm_up": 32, "response_memory": 2000,
              "average_memory": 2000},
    "evaluate_every": 50, "evaluate_pairs": 1, "exploitability_every": 1000000, "exploitability_ends": 2}}' >/dev/null
start_prometheus
for ((k = 0; k < 1200; k++)); do
    ask "$url/metrics" >"$work/metrics"
    ! grep -q '^rinkd_run_metric{.*"exploitability/' "$work/metrics" || break
    sleep 0.1
done
promtool check metrics <"$work/metrics" || die "/metrics is not as Prometheus wants it"
# deploy/README.md has the table of all figures.
sed '/^<!-- figures -->$/,/^<!-- end of figures -->$/!d; /^<!--/d' "$deploy/README.md" >"$work/told"
"$here/figures.sh" <"$work/metrics" >"$work/figures"
diff "$work/told" "$work/figures" >"$work/differs" || {
    cat "$work/differs"
    die "the table of figures in deploy/README.md is not that of /metrics; take the lines with '>'"
}
wanted=$(cat "$dashboard" "$deploy/alerts.yml" | grep -oE '\b(rinkd|process)_[a-z_]+\b' | sort -u)
for name in $wanted; do
    grep -qE "^${name}[{ ]" "$work/metrics" || die "$name is asked for, and /metrics does not have it"
done
# The states and classes in the queries.
for value in $(cat "$dashboard" "$deploy/alerts.yml" | grep -oE '(state|status)=~?\\?"[a-z0-9|]+' |
    sed 's/.*"//' | tr '|' '\n' | sort -u); do
    grep -qE "\"$value\"" "$work/metrics" || die "no figure has the value '$value'"
done
echo "monitoring: $(wc -w <<<"$wanted") names, all there"

echo "monitoring: Prometheus asks for them"
# The query as Grafana sends it with all instances and runs selected.
mapfile -t queries < <(jq -r '.panels[].targets[].expr | gsub("[$](instance|run)"; ".*")' "$dashboard")
has_values() {
    ask -G "$prometheus/api/v1/query" --data-urlencode "query=$1" |
        jq -e '.data.result | length > 0 and all(.[]; .value[1] != "NaN")' >/dev/null
}
for ((k = 0; k < 40; k++)); do
    # Gives the counters something to count.
    ask "$url/v1/shots" --json '{"profile": "dc2", "limits": {"simulations": 500}, "state": {"end": 0, "shot": 0,
        "hammer": "team1", "scores": {"team0": [], "team1": []}, "stones": {"team0": [], "team1": []}}}' >/dev/null
    ask "$url/v1/jobs" --json '{"kind": "match", "spec": {"a": "random", "b": "random", "pairs": 1, "ends": 1}}' >/dev/null
    silent=
    for query in "${queries[@]}"; do
        has_values "$query" || {
            silent=$query
            break
        }
    done
    [ -n "$silent" ] || break
    sleep 1
done
[ -z "$silent" ] || die "no value for $silent"
for variable in instance run; do
    query=$(jq -r --arg name $variable '.templating.list[] | select(.name == $name).query.query' "$dashboard")
    metric=$(sed -E 's/^label_values\((.*), [a-z]+\)$/\1/' <<<"$query")
    ask -G "$prometheus/api/v1/label/$variable/values" --data-urlencode "match[]=$metric" |
        jq -e '.data | length > 0' >/dev/null || die "nothing to choose for $variable: $query"
done
ask "$prometheus/api/v1/rules" | jq -e '[.data.groups[].rules[]] | length > 0 and all(.[]; .health == "ok")' >/dev/null ||
    die "a rule cannot be evaluated"
ask -X POST "$url/v1/jobs/1/cancel" >/dev/null
echo "monitoring: ${#queries[@]} queries, each with a value"
