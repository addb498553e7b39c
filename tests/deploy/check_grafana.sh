#!/usr/bin/env bash
# Checks the dashboard of Grafana against Grafana's own schema (@grafana/schema, of the version that
# deploy/compose.yaml runs): unknown or missing members and wrong values are errors. Faults planted in
# a copy must be found. Exit status 77 (skipped) without node, npm or the network.
#
#   check_grafana.sh ROOT BUILD      BUILD: a folder that the tools go to
set -euo pipefail
root=$1
here=$root/tests/deploy
# shellcheck source=tests/deploy/npm_tools.sh
. "$here/npm_tools.sh"
get_npm_tools grafana "$here/grafana/package.json" "$2/grafana-tools"

version=$(sed -n 's/.*"@grafana\/schema": "\(.*\)".*/\1/p' "$here/grafana/package.json")
grep -qF "grafana/grafana-oss:$version}" "$root/deploy/compose.yaml" || {
    echo "grafana: compose.yaml does not run version $version, whose schema this is"
    exit 1
}
# check NAME DASHBOARD: prints faults on standard output.
check() {
    node "$here/grafana/dashboard_as_types.mjs" "$2" >"$tools/$1.ts" &&
        (cd "$tools" && node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module esnext \
            --moduleResolution bundler --target es2022 "$1.ts") 2>&1
}

echo "grafana: the dashboard"
dashboard=$root/deploy/grafana/dashboards/rinkd.json
check dashboard "$dashboard"

echo "grafana: planted faults"
jq '.panels[0].titel = "x" | .panels[6].options.legend.displayMode = "some" | .refresch = "15s" |
    .panels[6].fieldConfig.defaults.custom.lineWith = 2 | del(.panels[3].targets[0].expr) |
    .panels[2].gridPos.w = "4"' "$dashboard" >"$tools/planted.json"
! said=$(check planted "$tools/planted.json") || {
    echo "grafana: planted faults are not found"
    exit 1
}
for word in titel '"some"' refresch lineWith "'expr' is missing" "'string' is not assignable to type 'number'"; do
    grep -qF -- "$word" <<<"$said" || {
        echo "grafana: nothing is said about $word: $said"
        exit 1
    }
done
echo "grafana: all found"
