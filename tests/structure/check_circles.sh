#!/usr/bin/env bash
# Circles of includes: a circle of files is allowed only within one noun. x.h and x.c are
# one file here; a noun is a folder and the first word of the name, as in http/http_answer.c.
# Prints each circle that spans several nouns; the exit status is then 1.
#
#   check_circles.sh ROOT [FOLDER …]        only files below these folders
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1
shift
[ $# -gt 0 ] || set -- .

mapfile -t files < <("$here/list_files.sh" "$root" '*.c' '*.h' '*.cpp')
[ ${#files[@]} -gt 0 ] || {
    echo "check_circles: no sources below $root" >&2
    exit 1
}

cd "$root"
awk -v only="$*" '
function stem(path) {
    sub(/\.[a-z]+$/, "", path)
    return path
}
function noun(path) {
    sub(/_[a-z0-9_]*$/, "", path)
    return path
}
function is_wanted(path,    k) {
    for (k = 1; k <= folders; k++)
        if (folder[k] == "." || index(path, folder[k] "/") == 1)
            return 1
    return 0
}
# Marks everything reachable from `from`.
function walk(from, reached,    to, k, list, n) {
    n = split(edges[from], list, " ")
    for (k = 1; k <= n; k++)
        if (!(list[k] in reached)) {
            reached[list[k]] = 1
            walk(list[k], reached)
        }
}
BEGIN {
    folders = split(only, folder, " ")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    from = stem(FILENAME)
    to = stem(part[2])
    if (from != to && !((from, to) in seen) && is_wanted(from) && is_wanted(to)) {
        seen[from, to] = 1
        edges[from] = edges[from] " " to
    }
}
END {
    for (from in edges) {
        delete reached
        walk(from, reached)
        for (to in reached)
            reaches[from, to] = 1
    }
    for (first in edges) {
        members = ""
        nouns = 0
        is_first = 1 # in the alphabet: each circle is told once
        for (other in edges)
            if ((first, other) in reaches && (other, first) in reaches) {
                if (other < first)
                    is_first = 0
                members = members " " other
                nouns += noun(other) != noun(first)
            }
        if (nouns > 0 && is_first) {
            print "a circle of includes:" members
            circles++
        }
    }
    printf "check_circles: %d files, %d circles\n", ARGC - 1, circles
    exit circles > 0
}' "${files[@]}"
