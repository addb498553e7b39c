#!/usr/bin/env bash
# Builds engine, search and tests/golden/golden.c with several compilers and levels of optimisation
# and checks all of them against hashes.txt. gcc -O0 and -O3 are left out: the presets dev and release
# use them, and their test golden throws more. The options for floating point come from CMakeLists.txt
# through the environment: FP_OPTIONS for all, GCC_FP_OPTIONS for gcc.
#
#   golden_compilers.sh ROOT
set -euo pipefail
cd "$1"
read -ra fp_options <<<"${FP_OPTIONS:?options for all compilers}"
read -ra gcc_fp_options <<<"${GCC_FP_OPTIONS?options for gcc}"

sources=(tests/golden/golden.c workers/pool.c api/fields/player_spec.c api/base/{strict_json,load_json,utf8}.c)
for file in models/{base,game,tables,ice,networks}/*.c workers/search/{players,*/*}.c; do
    case ${file##*/} in
    throw_engine.c) ;;     # includes the reference engine
    compact_position.c) ;; # belongs to learning
    *) sources+=("$file") ;;
    esac
done
# Hold'em needs little of that.
holdem=(tests/golden/golden_holdem.c models/holdem/*.c models/ice/{normal,portable_math,random}.c
    workers/holdem/{feature_tree,network,network_player,player,rule_player,session}.c)
export RINKD_WEIGHTS=$PWD/models/weights

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

built=0
failed=0
for build in 'gcc -O2' 'clang -O0' 'clang -O2'; do
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
    if "$compiler" -std=c17 -D_GNU_SOURCE -I. -DSHARED_FOLDER='""' "$level" "${options[@]}" "${sources[@]}" \
        -o "$folder/golden" -lsodium -lunistring -lz -ljansson -ldl -lpthread -lm &&
        "$folder/golden" --throws "$throws" tests/golden/hashes.txt >"$folder/lines" &&
        "$compiler" -std=c17 -D_GNU_SOURCE -I. "$level" "${options[@]}" "${holdem[@]}" \
            -o "$folder/golden_holdem" -lpthread -lm &&
        "$folder/golden_holdem" tests/golden/holdem.txt >>"$folder/lines"; then
        echo "$build: the hashes of $throws throws of each profile are the same"
    else
        echo "$build: FAILED"
        cat "$folder/lines" || true
        failed=$((failed + 1))
    fi
done
echo "golden_compilers: $built builds, $failed failed"
[ "$built" -gt 0 ] && [ "$failed" -eq 0 ]
