#!/usr/bin/env bash
# Checks the scripts and style sheets of the dashboard, its tests and tests/contract below ROOT against
# prettier.json and eslint.config.mjs. With "plant": breaks each rule once in a copy, and succeeds only
# if every fault is found.
#
#   lint.sh FOLDER ROOT [plant]         FOLDER: for what is fetched
#   lint.sh FOLDER ROOT write           lays the files out instead
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/browser/tools.sh
. "$here/tools.sh"
folder=$1
root=$(cd "$2" && pwd)
mode=${3:-check}
get_tools "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

prettier() {
    "$folder/node_modules/.bin/prettier" --config "$here/prettier.json" --ignore-path /dev/null \
        --log-level warn "$@"
}
# eslint only reads files beside its configuration, which looks for its packages beside itself.
copy_tree() {
    mkdir "$work/tree"
    cp -r "$root/service/dashboard" "$work/tree/dashboard"
    mkdir "$work/tree/browser"
    cp "$root"/tests/browser/*.mjs "$root"/tests/contract/*.mjs "$work/tree/browser/"
    mv "$work/tree/browser/eslint.config.mjs" "$work/eslint.config.mjs"
    ln -s "$folder/node_modules" "$work/node_modules"
}
# check PATH: a path below the copy; eslint skips style sheets.
check() {
    prettier --check "$work/$1" || return 1
    [[ $1 == *.css ]] || (cd "$work" && node_modules/.bin/eslint --max-warnings 0 "$1")
}

# plant WHAT FILE TEXT: FILE with TEXT appended must be refused.
plant() {
    local file=$work/tree/dashboard/$2 status=0
    cp "$file" "$work/kept"
    printf '%s\n' "$3" >>"$file"
    check "tree/dashboard/$2" >"$work/log" 2>&1 || status=$?
    cp "$work/kept" "$file"
    if [ "$status" -eq 0 ]; then
        echo "lint: $1 was not found"
        return 1
    fi
}
long_function() {
    printf '\nexport function long() {\n'
    yes '  document.title += 1;' | head -n 60
    printf '}'
}

case $mode in
write)
    prettier --write "$root/service/dashboard" "$root"/tests/browser/*.mjs "$root"/tests/contract/*.mjs
    ;;
check)
    copy_tree
    check tree
    echo "lint: $(find "$work/tree" -name '*.js' -o -name '*.mjs' -o -name '*.css' | wc -l) files"
    ;;
plant)
    copy_tree # which mode "check" has found to be clean
    plant "a function that is too long" lib/format.js "$(long_function)"
    plant "a line that is too long" lib/format.js "
// $(printf '%0100d' 0)"
    plant "a name that is not defined" lib/format.js "
export const wrong = () => undefinedName;"
    plant "a name that is not used" lib/format.js "
const unused = 1;"
    plant "a layout of its own" lib/format.js "
export   const wide   = 1;"
    plant "a style sheet with a layout of its own" curling/stones.css ".x{color:red}"
    echo "lint: every planted fault was found"
    ;;
*)
    echo "lint: unknown mode $mode" >&2
    exit 2
    ;;
esac
