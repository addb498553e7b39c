#!/usr/bin/env bash
# Runs the browser tests: gets playwright-core (exactly the version of package-lock.json, held to its
# hash), starts the daemon and drives Debian's chromium. Exit status 77 (skipped) where something is
# missing, and says what.
#
#   run.sh FOLDER RINKD PROGRAM…      FOLDER: for what is fetched; PROGRAM…: those of the workers
#                                     RINKD_PICTURES=FOLDER keeps a picture of every page
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
shift

skip() {
    echo "browser: SKIPPED, $*"
    exit 77
}
for program in node npm chromium; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

mkdir -p "$folder"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
if [ ! -d "$folder/node_modules/playwright-core" ]; then
    (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --silent) ||
        skip "npm could not get playwright-core"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs"
ln -s "${@:2}" "$work/programs/"
cp "$here"/*.mjs "$folder/"
RINKD=$1 RINKD_WORK=$work node --test --test-concurrency=1 "$folder/dashboard_test.mjs"
