#!/usr/bin/env bash
# Checks that all shell scripts of ROOT are executable and pass shellcheck. Exit status 77 (skipped)
# if that is not installed.
#
#   check_scripts.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1

if ! command -v shellcheck >/dev/null; then
    echo "check_scripts: SKIPPED, shellcheck is not installed (deploy/install-deps.sh --test)"
    exit 77
fi
cd "$root"
mapfile -t scripts < <("$here/list_files.sh" . | while IFS= read -r file; do
    read -r first <"$file" || true
    case $first in '#!'*sh) printf '%s\n' "$file" ;; esac
done 2>/dev/null)
[ ${#scripts[@]} -gt 0 ] || {
    echo "check_scripts: no scripts below $root" >&2
    exit 1
}
bad=0
for script in "${scripts[@]}"; do
    [ -x "$script" ] || {
        echo "$script: has a #! line and is not executable"
        bad=1
    }
done
shellcheck "${scripts[@]}" || bad=1
echo "check_scripts: ${#scripts[@]} scripts"
exit $bad
