#!/usr/bin/env bash
# Prints the files of the tree that match the given patterns, one per line, relative to ROOT: those
# that git tracks or would add, or, if ROOT is not a checkout (an unpacked archive), all but build/.
#
#   list_files.sh ROOT [PATTERN …]        patterns as in git ls-files: '*.c' matches in all folders
set -euo pipefail
root=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- '*'

# A checkout may belong to a user other than the one who runs the tests.
git_here() {
    git -c safe.directory='*' -C "$root" "$@" 2>/dev/null
}

cd "$root"
if [ "$(git_here rev-parse --show-toplevel)" = "$root" ]; then
    git_here ls-files --cached --others --exclude-standard -- "$@"
else
    arguments=()
    for pattern in "$@"; do
        arguments+=(-o -path "./$pattern" -o -path "./*/$pattern")
    done
    find . -path ./build -prune -o -type f \( "${arguments[@]:1}" \) -print | sed 's|^\./||'
fi | sort -u | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file" # a tracked file may be deleted in the work tree
done
