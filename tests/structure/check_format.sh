#!/usr/bin/env bash
# Checks that all C and C++ of ROOT follows .clang-format. Exit status 77 (skipped) without
# clang-format.
#
#   check_format.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1

if ! command -v clang-format >/dev/null; then
    echo "check_format: SKIPPED, clang-format is not installed (deploy/install-deps.sh --test)"
    exit 77
fi
mapfile -t files < <("$here/list_files.sh" "$root" '*.c' '*.h' '*.cpp' '*.hpp')
[ ${#files[@]} -gt 0 ] || {
    echo "check_format: no sources below $root" >&2
    exit 1
}
cd "$root"
clang-format --style=file --dry-run -Werror "${files[@]}"
echo "check_format: ${#files[@]} files"
