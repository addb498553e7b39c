#!/usr/bin/env bash
# Checks that calls which are easily misused are made in one place only. Prints file:line and what to
# call instead.
#
#   check_calls.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1

mapfile -t files < <("$here/list_files.sh" "$root" 'api/*.[ch]' 'models/*.[ch]' 'service/*.[ch]' \
    'workers/*.[ch]')
[ ${#files[@]} -gt 0 ] || {
    echo "check_calls: no sources below $root" >&2
    exit 1
}
cd "$root"
bad=0
# only PATTERN PLACE INSTEAD
only() {
    if grep -nE "(^|[^A-Za-z0-9_])($1)\(" /dev/null "${files[@]}" | grep -v "^$2:" |
        grep -vE '^[^:]*:[0-9]*: *(/?\*|//)'; then
        echo "check_calls: call $3 instead"
        bad=1
    fi
}
# Returns the same at the end of a file and when memory is short.
only 'getline|getdelim|fgets' api/base/next_line.c 'next_line(), next_text() or first_line() (api/base/next_line.h)'
echo "check_calls: ${#files[@]} files"
exit $bad
