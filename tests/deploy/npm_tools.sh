#!/usr/bin/env bash
# For the scripts beside this one that need tools from the npm registry. Source it; then
#
#   get_npm_tools NAME LIST FOLDER    installs the packages of LIST (a package.json) into FOLDER and sets
#                                     $tools; exit status 77 (skipped) without node, npm or the network
get_npm_tools() {
    local name=$1 list=$2 program
    mkdir -p "$3"
    tools=$(cd "$3" && pwd)
    for program in node npm; do
        command -v "$program" >/dev/null || {
            echo "$name: SKIPPED, there is no $program (deploy/install-deps.sh --contract)"
            exit 77
        }
    done
    # Once per version: the installed tools are kept with the list they came from.
    cmp -s "$list" "$tools/installed.json" || {
        cp "$list" "$tools/package.json"
        timeout 300 npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund --silent || {
            echo "$name: SKIPPED, npm cannot install the tools"
            exit 77
        }
        cp "$tools/package.json" "$tools/installed.json"
    }
}
