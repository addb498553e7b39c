#!/usr/bin/env bash
# Gets the tools pinned in a package-lock.json (this folder's, or that of another one), checked by their
# hashes, from the npm registry into a folder. Once per version: the list they came from is kept with
# them.
#
#   . tools.sh; get_tools FOLDER [LIST_FOLDER]
get_tools() {
    local here folder=$1 program
    here=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}
    for program in node npm; do
        command -v "$program" >/dev/null || {
            echo "$program is not installed (deploy/install-deps.sh --browser)" >&2
            return 1
        }
    done
    mkdir -p "$folder"
    # Tests of one build may need them at the same time.
    exec 9>"$folder/lock"
    flock 9
    cp "$here/package.json" "$here/package-lock.json" "$folder/"
    if ! cmp -s "$here/package-lock.json" "$folder/node_modules/.fetched"; then
        (cd "$folder" && timeout 300 npm ci --ignore-scripts --no-audit --no-fund --silent) || {
            echo "npm could not get the tools of $here/package-lock.json" >&2
            return 1
        }
        cp "$here/package-lock.json" "$folder/node_modules/.fetched"
    fi
    exec 9>&-
}
