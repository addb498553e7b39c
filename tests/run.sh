#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: optimised, then the quick start; a debug build,
# which has to link, and one without libtorch and Box2D; all tests under AddressSanitizer +
# UndefinedBehaviorSanitizer, those with threads under ThreadSanitizer, and each fuzz target for a
# short while. A stage that fails does not stop the others. The line "stages:" tells how long each took.
# The last line is the count over all of them; the exit status is 0 only if something passed and nothing
# failed. tests/README.md says more.
#
#   tests/run.sh                 RINKD_FUZZ_S=seconds for each fuzz target (5; 0: none)
#                                RINKD_JOBS=processes at a time (one a core)
#                                RINKD_LIMIT_S=seconds for everything (4800): a stage that is not done
#                                by then is ended and fails, so that a hang is told and not waited for
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null
export UBSAN_OPTIONS=print_stacktrace=1
export TEST_RUN_ID=$$ # marks every process of this run

fuzz_s=${RINKD_FUZZ_S:-5}
limit_s=${RINKD_LIMIT_S:-4800}
jobs=${RINKD_JOBS:-$(nproc)}
tests=$((2 * jobs)) # at a time: many of them wait more than they compute
results=$PWD/build/test-results
passed=0
failed=0
skipped=0
failures=() # one line each, for the end
stages=()   # in their order
declare -A spent=() # seconds of each of them
logs=() # of tests that failed alone too, shown at the end
unsteady=() # tests that passed only alone, at their second try; named at the end
second_tries=6 # of a build; with more failures than this, a loaded machine is not the cause

# The sanitizers of gcc 12 and clang 14 fail with the larger address randomisation of newer kernels.
# If a container forbids switching it off, they run with it.
fixed_addresses=()
! setarch -R true 2>/dev/null || fixed_addresses=(setarch -R)

say() {
    printf '\n==== %s\n' "$*"
}

fail() {
    failed=$((failed + 1))
    failures+=("$1")
    printf '**** FAILED: %s\n' "$1"
}

# timed STAGE COMMAND …: runs it, and adds its time to that of the stage.
timed() {
    local stage=$1 start=$SECONDS status=0
    shift
    "$@" || status=$?
    [ -n "${spent[$stage]:-}" ] || stages+=("$stage")
    spent[$stage]=$((${spent[$stage]:-0} + SECONDS - start))
    return $status
}

# in_time COMMAND …: runs it, and ends it when the time for everything is over (status 124).
in_time() {
    local left=$((limit_s - SECONDS))
    timeout --kill-after=30 $((left > 1 ? left : 1)) "$@"
}

# Ends and names what this run has started and left behind: such a process would keep our output open.
end_leftovers() {
    local folder pid
    for folder in /proc/[0-9]*; do
        pid=${folder#/proc/}
        if [ "$pid" -ne $$ ] && [ "$pid" -ne "$BASHPID" ] &&
            grep -qsz "^TEST_RUN_ID=$TEST_RUN_ID\$" "$folder/environ"; then
            echo "left running: $(tr '\0' ' ' 2>/dev/null <"$folder/cmdline")"
            kill -KILL "$pid" 2>/dev/null
        fi
    done
}

# configure PRESET, build PRESET [TARGET]: a failure counts as one failed test. The rest is still
# built and tested.
configure() {
    say "$1: configure"
    in_time cmake --preset "$1" || {
        fail "$1: configure"
        return 1
    }
}
build() {
    say "$1: build"
    in_time cmake --build --preset "$1" --parallel "$jobs" ${2:+--target "$2"} -- -k 0 ||
        fail "$1: build"
}

# Prints the names of the tests in a JUnit file of ctest with this outcome: passed, skipped, or failed,
# which is anything else (a missing program is "notrun", as is a test that skips itself).
tests_that() {
    awk -v wanted="$1" '
        function attribute(name) {
            return match($0, " " name "=\"[^\"]*\"") \
                ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }
        function end_case() {
            if (name != "" && ended == wanted)
                print name
            name = ""
        }
        /^[ \t]*<testcase / {
            end_case()
            name = attribute("name")
            status = attribute("status")
            ended = status == "run" ? "passed" : status == "disabled" ? "skipped" : "failed"
        }
        /^[ \t]*<skipped message="SKIP_/ && status == "notrun" { ended = "skipped" }
        END { end_case() }' "$2"
}

# passes_alone PRESET TEST: runs it once more, with nothing beside it, and keeps its output for the end.
passes_alone() {
    say "$1: $2 once more, alone"
    in_time "${fixed_addresses[@]}" ctest --preset "$1" -R "^$2\$" --no-tests=error 2>&1 |
        tee "$results/$1-$2.log"
}

# run_ctest PRESET [ctest option …]: runs the tests and adds their results to the count.
run_ctest() {
    local preset=$1 file=$results/$1.xml status=0 name
    shift
    say "$preset: test"
    rm -f "$file"
    in_time "${fixed_addresses[@]}" ctest --preset "$preset" --parallel "$tests" \
        --output-junit "$file" "$@" || status=$?
    if [ ! -s "$file" ]; then
        fail "$preset: ctest wrote no results"
        return
    fi
    passed=$((passed + $(tests_that passed "$file" | wc -l)))
    skipped=$((skipped + $(tests_that skipped "$file" | wc -l)))
    mapfile -t names < <(tests_that failed "$file")
    for name in "${names[@]}"; do
        if [ ${#names[@]} -le $second_tries ] && passes_alone "$preset" "$name"; then
            passed=$((passed + 1))
            unsteady+=("$preset: $name")
        else
            fail "$preset: $name"
            logs+=("$results/$preset-$name.log")
        fi
    done
    [ "$status" -eq 0 ] || [ ${#names[@]} -gt 0 ] || fail "$preset: ctest ended with $status"
}

# Succeeds if this configured preset has a test with this label.
has_label() {
    ctest --preset "$1" -N -L "$2" 2>/dev/null |
        awk '/^ *Test +#/ { found = 1 } END { exit !found }'
}

# fuzz TARGET: runs some seconds, starting from its corpus; findings stay in build/, or a file `good`
# if there are none.
fuzz() {
    local name=${1##*/} found arguments
    found=$results/$name
    rm -rf "$found"
    mkdir -p "$found/new"
    # New inputs go to the first folder; the corpus is only read.
    arguments=("$found/new")
    [ ! -d "tests/fuzz/corpus/${name#fuzz_}" ] ||
        arguments+=("tests/fuzz/corpus/${name#fuzz_}")
    if "${fixed_addresses[@]}" "$1" -max_total_time="$fuzz_s" -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$found/" "${arguments[@]}" >"$found/log" 2>&1; then
        touch "$found/good"
    fi
}

run_fuzz_targets() {
    local target targets=() found
    for target in build/fuzz/tests/fuzz/fuzz_*; do
        [ -d "$target" ] || [ ! -x "$target" ] || targets+=("$target")
    done
    say "fuzz: ${#targets[@]} targets, $fuzz_s s each"
    for target in "${targets[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n
        done
        fuzz "$target" &
    done
    wait
    for target in "${targets[@]}"; do
        found=$results/${target##*/}
        if [ -e "$found/good" ]; then
            passed=$((passed + 1))
            printf '%s: ' "${target##*/}"
            grep '^Done' "$found/log"
        else
            tail -n 60 "$found/log"
            fail "fuzz: ${target##*/} (its log and input are in $found)"
        fi
    done
}

# The first commands of the README, with a separate database and port.
run_quickstart() {
    local folder=$results/quickstart
    say "quick start"
    rm -rf "$folder"
    if in_time deploy/quickstart.sh --data "$folder/data" --port 0; then
        passed=$((passed + 1))
    else
        fail "deploy/quickstart.sh (its log is $folder/data.log)"
    fi
}

mkdir -p "$results"
rm -f "$results"/*-*.log

say "install what is missing"
timed install in_time deploy/install-deps.sh --build --test --run --browser --contract ||
    fail "deploy/install-deps.sh"

if timed 'release build' configure release; then
    timed 'release build' build release
    timed 'release test' run_ctest release
    timed 'quick start' run_quickstart
fi

# README's first build command: the optimised tests have run already, so few are repeated, and only
# what they and users call is built.
if timed 'dev build' configure dev; then
    timed 'dev build' build dev tests_in_debug
    timed 'dev test' run_ctest dev -R '^(asserts|golden|golden_holdem|structure_includes)$'
fi

if timed 'plain build' configure plain; then
    timed 'plain build' build plain tests_without_libraries
    timed 'plain test' run_ctest plain -R '^(asserts|ice_throw_engine|networks_without_torch|rink_simulate_ice|rink_search)$'
fi

if timed 'asan build' configure asan; then
    timed 'asan build' build asan
    # Left out: tests that use no memory of ours (Box2D, the browser, other compilers) or read the
    # tree as text.
    timed 'asan test' run_ctest asan -E '^(acceptance_box2d|browser|contract_proxy|golden_compilers|structure_)'
fi

if timed 'tsan build' configure tsan && has_label tsan threads; then
    timed 'tsan build' build tsan tests_with_threads
    timed 'tsan test' run_ctest tsan -L threads
fi

if [ "$fuzz_s" -gt 0 ] && timed 'fuzz build' configure fuzz; then
    timed 'fuzz build' build fuzz tests/fuzz/all
    timed 'fuzz run' run_fuzz_targets
fi

for log in "${logs[@]}"; do
    if [ -s "$log" ]; then
        say "${log##*/}, its end"
        tail -n 40 "$log"
    fi
done

say "result"
end_leftovers
printf 'stages:'
for stage in "${stages[@]}"; do
    printf ' %s %s s,' "$stage" "${spent[$stage]}"
done
printf ' all %s s\n' "$SECONDS"
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
for name in "${unsteady[@]}"; do
    echo "unsteady: $name passed only when run once more, alone"
done
for failure in "${failures[@]}"; do
    echo "failed: $failure"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
