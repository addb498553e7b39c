#!/usr/bin/env bash
# Checks that the table of routes and the contract agree: every method and path of
# service/routes/routes.c is in api/openapi.yaml and vice versa, with the same query
# parameters and the same scope. Prints differences; the exit status is then 1.
#
#   check_routes.sh ROOT
set -euo pipefail
root=$1
table=$root/service/routes/routes.c
contract=$root/api/openapi.yaml
[ -f "$table" ] || exit 77 # no service in this tree

# GET /v1/jobs read cursor,fields,kind,limit,state
routes_of_table() {
    awk '
    function names(text,   list, n, k, out) {
        gsub(/PAGE/, page, text)
        n = split(text, list, /[^A-Za-z_]+/)
        out = ""
        for (k = 1; k <= n; k++)
            if (list[k] ~ /^[a-z_]+$/)
                out = out list[k] " "
        return out
    }
    /^#define PAGE / { page = $0; sub(/^#define PAGE /, "", page) }
    /^#define [A-Z]+ +PARAMETERS/ { define[$2] = names(substr($0, index($0, "("))) }
    /^    \{"[A-Z]+", "/ {
        split($0, quoted, "\"")
        method = quoted[2]
        path = quoted[4]
        match($0, /SCOPE_[A-Z_]+/)
        scope = tolower(substr($0, RSTART + 6, RLENGTH - 6))
        last = $0
        parameters = ""
        if (match(last, /PARAMETERS\(.*\)/))
            parameters = names(substr(last, RSTART + 11, RLENGTH - 12))
        else if (match(last, /, [A-Z]+\},$/)) {
            name = substr(last, RSTART + 2, RLENGTH - 4)
            parameters = define[name]
        }
        print method, path, scope, parameters
    }' "$table"
}

routes_of_contract() {
    awk '
    function flush() {
        if (method != "")
            print toupper(method), path, scope, parameters
        method = ""
    }
    /^paths:/ { inside = 1; next }
    /^[a-z]/ { flush(); inside = 0 }
    !inside { next }
    /^  \/.*:$/ { flush(); path = $1; sub(/:$/, "", path); next }
    /^    [a-z]+:$/ { flush(); method = $1; sub(/:$/, "", method); scope = "none"; parameters = ""; next }
    /^      security: \[\{bearer: \[/ {
        scope = $0
        sub(/.*bearer: \[/, "", scope)
        sub(/\].*/, "", scope)
        if (scope == "")
            scope = "any"
        if (/\[query\]}, {bearer: \[read\]/)
            scope = "query_or_read"
    }
    /^      [a-z]/ { in_parameters = $1 == "parameters:" }
    in_parameters {
        text = $0
        while (match(text, /parameters\/[a-z_]+/)) {
            parameters = parameters substr(text, RSTART + 11, RLENGTH - 11) " "
            text = substr(text, RSTART + RLENGTH)
        }
        if (match($0, /name: [A-Za-z_-]+, in: query/)) {
            name = substr($0, RSTART + 6)
            sub(/,.*/, "", name)
            parameters = parameters name " "
        } else if (match($0, /- name: [A-Za-z_-]+$/)) {
            pending = $0
            sub(/.*name: /, "", pending)
        } else if (match($0, /^ +in: query$/)) {
            parameters = parameters pending " "
        }
    }
    END { flush() }' "$contract"
}

# Sorts the parameters, so that lines can be compared.
sorted() {
    while read -r method path scope parameters; do
        # shellcheck disable=SC2086 # words on purpose
        printf '%s %s %s %s\n' "$method" "$path" "$scope" \
            "$(printf '%s\n' $parameters | sort | tr '\n' ' ')"
    done | sort
}

left=$(routes_of_table | sorted)
right=$(routes_of_contract | sorted)
[ -n "$left" ] || {
    echo "$table: no routes found" >&2
    exit 1
}
if [ "$left" != "$right" ]; then
    echo "service/routes/routes.c (<) and api/openapi.yaml (>) do not say the same:"
    diff <(printf '%s\n' "$left") <(printf '%s\n' "$right") | grep '^[<>]'
    exit 1
fi
