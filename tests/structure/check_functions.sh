#!/usr/bin/env bash
# Checks that no C function of production code has more than 60 lines, from its first brace to its
# last. The list names the functions that read better in one piece.
#
#   check_functions.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1
allowed=' models/networks/end_features.c:blocks_of_lanes '

mapfile -t files < <("$here/list_files.sh" "$root" 'api/*.[ch]' 'models/*.[ch]' 'service/*.[ch]' \
    'workers/*.[ch]')
[ ${#files[@]} -gt 0 ] || {
    echo "check_functions: no sources below $root" >&2
    exit 1
}
cd "$root"
# clang-format puts the braces of a function, and the start of its first line, in column 1.
awk -v most=60 -v allowed="$allowed" '
/^[A-Za-z_].*\(/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
}
/^\{/ { begin = FNR }
/^\}$/ && begin {
    lines = FNR - begin + 1
    if (lines > most && !index(allowed, " " FILENAME ":" name " ")) {
        print FILENAME ":" begin ": " name " has " lines " lines, " most " are allowed"
        bad = 1
    }
    functions++
    begin = 0
}
END {
    print "check_functions: " functions + 0 " functions"
    exit bad
}' "${files[@]}"
