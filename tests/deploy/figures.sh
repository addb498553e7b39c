#!/usr/bin/env bash
# Prints the table of figures of deploy/README.md from a page of /metrics, sorted by name.
#
#   figures.sh <PAGE
set -euo pipefail
awk '
/^# HELP / {
    names[++count] = $3
    help[$3] = substr($0, length("# HELP ") + length($3) + 2)
    next
}
/^# TYPE / { type[$3] = $4; next }
{
    name = $0
    sub(/[{ ].*/, "", name)
    base = name
    sub(/_(bucket|sum|count)$/, "", base)
    if (type[name] == "" && type[base] == "histogram")
        name = base
    if (!match($0, /^[a-z_]+\{[^}]*\}/))
        next
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^{]*\{/, "", text)
    while (match(text, /[a-z_]+="/)) {
        label = substr(text, RSTART, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        sub(/^[^"]*",?/, "", text)
        if (label != "le" && index(" " labels[name] " ", " `" label "` ") == 0)
            labels[name] = labels[name] (labels[name] == "" ? "" : " ") "`" label "`"
    }
}
END {
    print "| figure | type | labels | says |"
    print "|---|---|---|---|"
    fflush()
    sort = "LC_ALL=C sort"
    for (k = 1; k <= count; k++)
        printf "| `%s` | %s | %s | %s |\n", names[k], type[names[k]], labels[names[k]], help[names[k]] | sort
}'
