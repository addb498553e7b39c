#!/usr/bin/env bash
# Checks deploy/kubernetes/ strictly against the API of Kubernetes: an unknown field, a wrong type or a
# value out of range is an error; needs no cluster. Faults planted in a copy must be found.
# Exit status 77 (skipped) without node, npm or the network.
#
#   check_kubernetes.sh ROOT BUILD      BUILD: a folder that the tools go to
set -euo pipefail
root=$1
here=$root/tests/deploy
# shellcheck source=tests/deploy/npm_tools.sh
. "$here/npm_tools.sh"
get_npm_tools kubernetes "$here/kubernetes/package.json" "$2/kubernetes-tools"

# check NAME FILE…: prints faults on standard output.
check() {
    local name=$1
    shift
    node "$here/kubernetes/manifests_as_types.mjs" "$tools/$name.mts" "$@" 2>&1 &&
        (cd "$tools" && node_modules/.bin/tsc --strict --skipLibCheck --module nodenext --target es2022 \
            "$name.mts" && node "$name.mjs") 2>&1
}

echo "kubernetes: the manifests"
check manifests "$root"/deploy/kubernetes/*.yaml

echo "kubernetes: planted faults"
# plant FILE SED
plant() {
    sed "$2" "$root/deploy/kubernetes/$1" >"$tools/planted-$1"
    ! cmp -s "$tools/planted-$1" "$root/deploy/kubernetes/$1" || {
        echo "kubernetes: '$2' changes nothing in $1"
        exit 1
    }
}
plant statefulset.yaml 's/runAsNonRoot/runAsNonroot/; s/periodSeconds: 1$/periodSeconds: "one"/'
plant service.yaml 's/protocol: TCP/protocol: HTTP/'
! said=$(check planted "$tools"/planted-*.yaml) || {
    echo "kubernetes: planted faults are not found"
    exit 1
}
for word in runAsNonroot "'string' is not assignable to type 'number'" '"HTTP"'; do
    grep -qF -- "$word" <<<"$said" || {
        echo "kubernetes: nothing is said about $word: $said"
        exit 1
    }
done
echo "kubernetes: all found"
