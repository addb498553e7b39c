#!/usr/bin/env bash
# Runs a script of this folder, the browser tests or the measurement: gets playwright-core and axe-core
# (exactly the versions of package-lock.json, held to their hashes) for it, and it starts the daemon and
# drives Debian's chromium. Exit status 77 (skipped) where something is missing, and says what.
#
#   run.sh SCRIPT FOLDER RINKD PROGRAM…      FOLDER: for what is fetched; PROGRAM…: those of the workers
#                                            RINKD_PICTURES=FOLDER keeps a picture of every page
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$1
folder=$2
shift 2

skip() {
    echo "browser: SKIPPED, $*"
    exit 77
}
for program in node npm chromium; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

mkdir -p "$folder"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
if ! cmp -s "$here/package-lock.json" "$folder/node_modules/.fetched"; then
    (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --silent) ||
        skip "npm could not get playwright-core and axe-core"
    cp "$here/package-lock.json" "$folder/node_modules/.fetched"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs"
ln -s "${@:2}" "$work/programs/"
cp "$here"/*.mjs "$folder/"
RINKD=$1 RINKD_WORK=$work node "$folder/$script"
