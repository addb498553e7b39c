#!/usr/bin/env bash
# Checks every #include line below ROOT against the two tables here. Prints file:line and the reason
# for each line that breaks them; the exit status is then 1.
#
#   check_includes.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1

# folder : folders that its files may include from. For each file the longest matching folder counts;
# an allowed folder includes its subfolders, FOLDER/. only its own files.
folders='
models/base     : models/base
models/game     : models/game
models/tables   : models/tables models/game
models/ice      : models/ice models/tables models/game
models/holdem   : models/holdem models/ice
models/networks : models/networks models/tables models/game models/base
api             : api models/tables models/game models/base
api/base        : api/base models/base
api/fields      : api/fields api/base models/tables
api/curling     : api/curling api/fields api/base models/tables models/game models/base
workers         : workers/. api models
workers/search          : workers/search workers/. api models
workers/search/shots    : workers/search/shots models
workers/search/style    : workers/search/style workers/search/shots models
workers/search/player   : workers/search/player workers/search/style workers/search/shots api models
workers/search/judge    : workers/search/judge workers/search/player workers/search/shots models
workers/search/rules    : workers/search/rules workers/search/judge workers/search/player workers/search/shots api models
workers/search/policy   : workers/search/policy workers/search/rules workers/search/player workers/search/shots api models
workers/search/tree     : workers/search/tree workers/search/policy workers/search/judge workers/search/player workers/search/shots api models
workers/search/maps     : workers/search/maps workers/search/rink workers/search/judge workers/search/player workers/search/shots workers/. api models
workers/search/rink     : workers/search/rink workers/search/policy workers/search/judge workers/search/player workers/. api models
workers/holdem              : workers/holdem workers/evaluate/statistics workers/. api models
workers/evaluate            : workers/evaluate workers/holdem workers/search workers/. api models
workers/evaluate/statistics : workers/evaluate/statistics models
workers/evaluate/play       : workers/evaluate/play workers/evaluate/statistics workers/search/judge workers/search/player workers/. api models
workers/evaluate/exploit    : workers/evaluate/exploit workers/evaluate/play workers/search/player workers/. api models
workers/evaluate/regret     : workers/evaluate/regret workers/evaluate/play workers/evaluate/statistics workers/search/rink workers/search/policy workers/search/player workers/. api models
workers/evaluate/report     : workers/evaluate/report workers/evaluate/regret workers/evaluate/exploit workers/evaluate/play workers/. api models
workers/evaluate/review     : workers/evaluate/review workers/search/rink workers/search/judge workers/search/player workers/search/shots workers/. api models
workers/learn            : workers/learn workers/holdem workers/evaluate workers/search workers/. api models
workers/learn/memory     : workers/learn/memory models
workers/learn/games      : workers/learn/games workers/learn/values workers/evaluate/exploit workers/search/player workers/search/shots models
workers/learn/algorithms : workers/learn/algorithms workers/holdem workers/learn/memory workers/learn/games workers/learn/values workers/search/policy workers/. api models
workers/learn/values     : workers/learn/values workers/search/player workers/search/rink models
workers/learn/imitation  : workers/learn/imitation workers/learn/values workers/learn/algorithms workers/learn/games workers/search workers/. models
workers/learn/training   : workers/learn/training workers/learn/algorithms workers/learn/games workers/evaluate workers/search workers/. api models
workers/node             : workers/node workers/. api
workers/post             : workers/post workers/. api
workers/compete          : workers/compete workers/evaluate/review workers/evaluate/play workers/evaluate/statistics workers/search workers/. api models
workers/compete/host     : workers/compete workers/evaluate/play workers/evaluate/statistics workers/search workers/. api models
workers/simulate         : workers/simulate workers/. api models
service           : service api
service/store     : service/store schema api
service/base      : service/base service/store api models/base
service/models    : service/models service/base service/store api models/base
service/http      : service/http service/base service/store api
service/jobs      : service/jobs service/models service/base service/store api
service/data      : service/data service/jobs service/models service/store api
service/upkeep    : service/upkeep service/jobs service/models service/base service/store api
service/placement : service/placement service/base service/store api
service/shots     : service/shots service/models service/base api models/tables
service/webhooks  : service/webhooks service/base service/store api
service/nodes     : service/nodes service/jobs service/http service/models service/base service/store api
service/routes    : service api models/tables models/game
service/dashboard : service/dashboard
service/rinkctl   : service/rinkctl api
schema          : schema
deploy/clients  : deploy/clients
deploy/examples : deploy/examples
tests           : tests api models workers service schema
'

# library header : folders of the first table whose files may include it. Unlisted headers are
# free for all.
libraries='
box2d/       : models/ice
torch/       : models/networks
ATen/        : models/networks
c10/         : models/networks
sqlite3.h    : service/store tests
microhttpd.h : service/http workers/compete/host
gnutls/      : service service/http tests
uv.h         : service service/base service/http service/jobs service/models service/nodes service/placement service/shots service/webhooks tests
'

# models/game uses only these.
libc='assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time wchar'

mapfile -t files < <("$here/list_files.sh" "$root" '*.c' '*.h' '*.cpp' '*.hpp' '*.cc')
[ ${#files[@]} -gt 0 ] || {
    echo "check_includes: no sources below $root" >&2
    exit 1
}

cd "$root"
awk -v folders="$folders" -v libraries="$libraries" -v libc="$libc" '
function read_table(text, table,    lines, i, n, side) {
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], side, / *: */) == 2)
            table[side[1]] = side[2]
}
function starts_with(text, prefix) {
    return substr(text, 1, length(prefix)) == prefix
}
# Returns whether `path` is in one of the folders of the list.
function is_in(path, list,    names, folder, i, n) {
    n = split(list, names, " ")
    for (i = 1; i <= n; i++) {
        folder = names[i]
        if (sub(/\/\.$/, "/", folder)) {
            if (starts_with(path, folder) && index(substr(path, length(folder) + 1), "/") == 0)
                return 1
        } else if (starts_with(path, folder "/")) {
            return 1
        }
    }
    return 0
}
function folder_of(path,    name, best) {
    best = ""
    for (name in may_include)
        if (starts_with(path, name "/") && length(name) > length(best))
            best = name
    return best
}
function refuse(why) {
    printf "%s:%d: %s\n", FILENAME, FNR, why
    refused++
}
BEGIN {
    read_table(folders, may_include)
    read_table(libraries, may_use)
    n = split(libc, names, /[ \n]+/)
    for (i = 1; i <= n; i++)
        is_libc[names[i] ".h"] = 1
}
FNR == 1 {
    home = folder_of(FILENAME)
    if (home == "")
        refuse("no rule says what a file in this folder may include")
}
{ sub(/\r$/, "") }
/^[ \t]*#[ \t]*(include|include_next|import)/ {
    included++
    line = $0
    sub(/^[ \t]*#[ \t]*[a-z_]+[ \t]*/, "", line)
    if (line !~ /^("[^"]+"|<[^>]+>)/) {
        refuse("an #include that names no file cannot be checked")
        next
    }
    quoted = starts_with(line, "\"")
    name = substr(line, 2)
    sub(/[">].*/, "", name)

    if (name ~ /(^|\/)\.\.?\// || name ~ /^\//) {
        refuse("\"" name "\": includes are written from the root of the repository")
    } else if (folder_of(name) != "") {
        if (!quoted)
            refuse("<" name ">: files of the project are included with quotes")
        else if (home != "" && !is_in(name, may_include[home]))
            refuse(home " must not include \"" name "\" (it may include: " may_include[home] ")")
    } else if (quoted) {
        refuse("\"" name "\": includes of the project are written from the root, others with <>")
    } else {
        for (library in may_use)
            if (starts_with(name, library) && index(" " may_use[library] " ", " " home " ") == 0)
                refuse("<" name "> may be included only in: " may_use[library])
        if (home == "models/game" && !(name in is_libc))
            refuse("<" name ">: models/game is written with libc only")
    }
}
END {
    printf "check_includes: %d includes in %d files, %d refused\n", included, ARGC - 1, refused
    exit refused > 0
}' "${files[@]}"
