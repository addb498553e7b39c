#!/usr/bin/env bash
# Runs a script of this folder, the browser tests or the measurement: gets playwright-core and
# axe-core, starts the daemon and drives Debian's chromium. Fails if any of these is missing.
#
#   run.sh SCRIPT FOLDER RINKD PROGRAM…      FOLDER: for what is fetched; PROGRAM…: the workers'
#                                            RINKD_PICTURES=FOLDER keeps a picture of every page
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/browser/tools.sh
. "$here/tools.sh"
script=$1
folder=$2
shift 2

command -v chromium >/dev/null || {
    echo "browser: chromium is not installed (deploy/install-deps.sh --browser)" >&2
    exit 1
}
get_tools "$folder"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs" "$work/scripts"
ln -s "${@:2}" "$work/programs/"
# A script looks for its packages beside itself.
cp "$here"/*.mjs "$work/scripts/"
ln -s "$(cd "$folder" && pwd)/node_modules" "$work/scripts/node_modules"
RINKD=$1 RINKD_TEST_WORK=$work node "$work/scripts/$script"
