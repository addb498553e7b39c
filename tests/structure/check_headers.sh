#!/usr/bin/env bash
# Checks that each header of ROOT has the include guard of its path and compiles alone as C17, and if
# it has extern "C", also as C++17 (compound literals are an extension there, which gcc and clang
# both have). A header that the .c file of its name includes first is compiled alone by each build, so
# that is left to them.
#
#   check_headers.sh ROOT    (compilers: $CC and $CXX, else cc and c++)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1
cc=${CC:-cc}
cxx=${CXX:-c++}
flags=(-I. -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only)

mapfile -t headers < <("$here/list_files.sh" "$root" '*.h')
[ ${#headers[@]} -gt 0 ] || {
    echo "check_headers: no headers below $root" >&2
    exit 1
}
cd "$root"
bad=0
built=0
for header in "${headers[@]}"; do
    guard=RINKD_$(printf '%s' "$header" | tr '[:lower:]' '[:upper:]' | tr -c '[:upper:][:digit:]' _)
    # The first two preprocessor lines open the guard; the last one closes it.
    shape=$(sed -n '/^#/p' "$header" | sed -e 's/[[:space:]]*$//' -e 's,[[:space:]]*/\*.*,,' |
        sed -n '1p;2p;$p')
    [ "$shape" = "#ifndef $guard"$'\n'"#define $guard"$'\n'"#endif" ] || {
        echo "$header: not wrapped in #ifndef $guard / #define $guard / #endif"
        bad=1
    }
    own=${header%.h}.c
    if [ -f "$own" ] && [ "$(grep -m 1 '^#' "$own")" = "#include \"$header\"" ]; then
        built=$((built + 1))
        alone=false
    else
        alone=true
    fi
    # A declaration follows, so that a header with only macros is not an empty translation unit.
    source="#include \"$header\""$'\n'"extern int header_is_complete;"
    ! $alone || "$cc" -x c -std=c17 -Wpedantic "${flags[@]}" - <<<"$source" || {
        echo "$header: does not compile on its own as C17"
        bad=1
    }
    if grep -q 'extern "C"' "$header"; then
        "$cxx" -x c++ -std=c++17 "${flags[@]}" - <<<"$source" || {
            echo "$header: does not compile on its own as C++17"
            bad=1
        }
    fi
done
echo "check_headers: ${#headers[@]} headers, $built of them compiled first by their .c file"
exit $bad
