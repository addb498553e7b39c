#!/usr/bin/env bash
# Builds the fast engine and tests/golden/golden.c with several compilers and levels of optimisation
# and holds all of them to the hashes of ice_hashes.txt. The options for floating point come from
# CMakeLists.txt through the environment: FP_OPTIONS for all, GCC_FP_OPTIONS for gcc.
#
#   golden_compilers.sh ROOT
set -euo pipefail
cd "$1"
read -ra fp_options <<<"${FP_OPTIONS:?options for all compilers}"
read -ra gcc_fp_options <<<"${GCC_FP_OPTIONS?options for gcc}"

sources=(tests/golden/golden.c)
for name in approach batch contact glide noise normal profile quasi random throw throw_fast \
    trajectory; do
    sources+=("models/ice/$name.c")
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

built=0
failed=0
for build in 'gcc -O0' 'gcc -O2' 'gcc -O3' 'clang -O0' 'clang -O2'; do
    compiler=${build% *}
    level=${build#* }
    if ! command -v "$compiler" >/dev/null; then
        echo "$build: left out, $compiler is not installed"
        continue
    fi
    options=("${fp_options[@]}")
    [ "$compiler" != gcc ] || options+=("${gcc_fp_options[@]}")
    throws=20000
    [ "$level" != -O0 ] || throws=2000
    built=$((built + 1))
    if "$compiler" -std=c17 -D_GNU_SOURCE -I. "$level" "${options[@]}" "${sources[@]}" \
        -o "$folder/golden" -lpthread -lm &&
        "$folder/golden" --throws "$throws" tests/golden/ice_hashes.txt >"$folder/lines"; then
        echo "$build: the hashes of $throws throws of each profile are the same"
    else
        echo "$build: FAILED"
        cat "$folder/lines" || true
        failed=$((failed + 1))
    fi
done
echo "golden_compilers: $built builds, $failed failed"
[ "$built" -gt 0 ] && [ "$failed" -eq 0 ]
