#!/usr/bin/env bash
# Compares the contract and the options of the programs with promises.txt, those of commit 93b805c6: what
# is gone or narrower has to stand in deploy/CHANGELOG.md. After a release, promises.txt is made anew:
#
#   tests/contract/kept.sh BUILD PROGRAM…
#   tests/contract/kept.sh --print BUILD PROGRAM… >tests/contract/promises.txt
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
how=("$root/tests/contract/promises.txt" "$root/api/openapi.yaml" "$root/deploy/CHANGELOG.md")
if [ "$1" = --print ]; then
    how=(--print "$root/api/openapi.yaml")
    shift
fi
tools=$(cd "$1" && pwd)/contract-tools
shift

# shellcheck source=tests/browser/tools.sh
. "$root/tests/browser/tools.sh"
get_tools "$tools" "$root/tests/contract"
# Scripts look for their packages beside themselves.
cp "$root/tests/contract/promises.mjs" "$root/tests/contract/kept.mjs" "$tools/"
node "$tools/kept.mjs" "${how[@]}" "$@"
