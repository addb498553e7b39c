#!/usr/bin/env bash
# Checks api/openapi.yaml against OpenAPI, and the daemon against api/openapi.yaml: all requests of
# resources_test.c and resource_jobs_test.c of tests/api go through a proxy that checks each answer,
# body and headers, against the contract and turns a violation into an error. Needs Node.js, npm
# and the npm registry.
#
#   tests/contract/run.sh BUILD      a folder in which the tests are built; the tools go there, too
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
tools=$build/contract-tools

# shellcheck source=tests/browser/tools.sh
. "$root/tests/browser/tools.sh"
get_tools "$tools" "$root/tests/contract"

# Both tools would otherwise check for updates.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
echo "contract: lint"
"$tools/node_modules/.bin/redocly" lint --config "$root/tests/contract/redocly.yaml" \
    --max-problems 50 "$root/api/openapi.yaml"

# A free port.
free_port() {
    local port
    for port in $(shuf -i 20000-32000 -n 50); do
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    return 1
}

port=$(free_port)
proxy=$(free_port)
"$tools/node_modules/.bin/prism" proxy "$root/api/openapi.yaml" "http://127.0.0.1:$port" \
    --host 127.0.0.1 --port "$proxy" --errors --validate-request false >"$build/contract-proxy.log" 2>&1 &
prism=$!
trap 'kill $prism 2>/dev/null || true' EXIT
for _ in $(seq 6000); do
    grep -q 'Prism is listening' "$build/contract-proxy.log" && break
    kill -0 "$prism" 2>/dev/null || break
    sleep 0.1
done
grep -q 'Prism is listening' "$build/contract-proxy.log" || {
    cat "$build/contract-proxy.log"
    echo "contract: the proxy does not start"
    exit 1
}

echo "contract: the tests through the proxy"
for name in resources resource_jobs; do
    RINKD_TEST_LISTEN=127.0.0.1:$port RINKD_TEST_PROXY=$proxy timeout 3600 "$build/tests/api/test_api_$name"
done
echo "contract: kept"
