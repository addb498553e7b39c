#!/usr/bin/env bash
# Holds api/openapi.yaml against a running daemon: makes requests by its schemas, changes them, and
# lets the schemas judge. Valid requests must be accepted, invalid ones refused with a problem, and
# each answer must be one of the contract; raw hostile bytes get a 4xx or the end of the connection.
# Prints what disagrees, then a line with the figures. Needs Node.js, npm and the npm registry.
#
#   mutations.sh BUILD [--requests N (1000)] [--raw M (300)] [--seed S (1)] [--give-up-ms MS]
#   mutations.sh BUILD [--seed S (1)] --plant
#
# BUILD: a folder with rinkd; the tools go there, too. --give-up-ms: closes connections of raw inputs on
# which nothing happens for so long; else each has to end by itself. --plant: puts faults into a copy of
# the contract, and succeeds only if each is found; it asks only the routes that have one.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
shift
options=() plants=false
for option in "$@"; do
    if [ "$option" = --plant ]; then plants=true; else options+=("$option"); fi
done
# shellcheck source=tests/browser/tools.sh
. "$root/tests/browser/tools.sh"
get_tools "$build/contract-tools" "$root/tests/contract"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs" "$work/scripts"
for program in rink-search rink-simulate rink-evaluate rink-learn rink-compete; do
    ln -s "$(find "$build/workers" -name "$program" -type f)" "$work/programs/"
done
ln -s "$build/service/rink-data" "$work/programs/"
# A script looks for its packages beside itself.
cp "$root"/tests/contract/*.mjs "$root/tests/browser/daemon.mjs" "$work/scripts/"
ln -s "$build/contract-tools/node_modules" "$work/scripts/node_modules"
mutate() { # CONTRACT
    RINKD=$build/service/rinkd RINKD_TEST_WORK=$work node "$work/scripts/mutations.mjs" \
        --contract "$1" "${options[@]}"
}

if ! $plants; then
    mutate "$root/api/openapi.yaml"
    exit
fi
# plant FROM TO: changes the copy of the contract.
plant() {
    sed -i "s|$1|$2|" "$work/planted.yaml"
    if cmp -s "$root/api/openapi.yaml" "$work/planted.yaml"; then
        echo "mutations: the contract has no line with $1" >&2
        exit 1
    fi
}
cp "$root/api/openapi.yaml" "$work/planted.yaml"
plant 'minimum: 1, maximum: 500,' 'minimum: -9, maximum: 500,'
plant 'maxItems: 64}$' 'maxItems: 2}'
plant "properties: {status: {type: string}}" "properties: {status: {type: integer}}"
plant "^        '202':" "        '299':"
options+=(--requests 1500 --raw 0 --only '^(GET /v1/(jobs|runs|models)|POST /v1/(metrics/query|jobs)|GET /healthz)$')
mutate "$work/planted.yaml" >"$work/log" && {
    echo "mutations: no planted fault was found"
    exit 1
}
for fault in 'GET /v1/[a-z/{}]+: refused \(400\)' 'POST /v1/metrics/query: accepted' \
    'GET /healthz: the body of 200' 'POST /v1/jobs: status 202 is not in the contract'; do
    grep -qE "$fault" "$work/log" || {
        cat "$work/log"
        echo "mutations: not found: $fault"
        exit 1
    }
done
echo "mutations: every planted fault was found"
