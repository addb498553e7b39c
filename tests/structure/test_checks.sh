#!/usr/bin/env bash
# Tests the checks of this folder: each must accept a sound little tree and refuse the same tree
# with one planted fault, naming the file that has it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cases=0
failed=0

# Makes a tree that breaks no rule, in $scratch/tree.
sound_tree() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree"
    cd "$scratch/tree"
    mkdir -p models/game models/ice models/networks api workers/search service/http service/store tests/unit \
        build
    cp "$here/../../.clang-format" .
    printf '#ifndef RINKD_MODELS_GAME_A_H\n#define RINKD_MODELS_GAME_A_H\n\nint a(void);\n\n#endif\n' \
        >models/game/a.h
    printf '#include "models/game/a.h"\n\n#include <math.h>\n' >models/game/a.c
    printf '#include "models/game/a.h"\n\n#include <Random123/philox.h>\n#include <box2d/box2d.h>\n' \
        >models/ice/b.cpp
    printf '#include <torch/torch.h>\n' >models/networks/net.cpp
    printf '#include "models/game/a.h"\n\n#include <jansson.h>\n' >api/json.c
    printf '#include "api/json.h"\n#include "models/ice/b.h"\n#include "workers/worker.h"\n' \
        >workers/search/main.c
    printf '#include "api/json.h"\n#include "service/store/job.h"\n\n#include <microhttpd.h>\n' \
        >service/http/http.c
    printf '#include "schema/all.h"\n\n#include <sqlite3.h>\n' >service/store/job.c
    printf '#include "service/store/job.h"\n#include "workers/worker.h"\n' >tests/unit/test_job.c
    # shellcheck disable=SC2016 # the script is text here
    printf '#!/bin/sh\necho "$1"\n' >tests/run.sh
    chmod +x tests/run.sh
    mkdir -p service/routes
    printf '/* clang-format off */\n    {"GET", "/a", SCOPE_READ, R, N, NULL, a, PARAMETERS("limit")},\n' >service/routes/routes.c
    # shellcheck disable=SC2016 # "$ref" is text here
    printf 'paths:\n  /a:\n    get:\n      security: [{bearer: [read]}]\n      parameters: [{$ref: "#/components/parameters/limit"}]\n' \
        >api/openapi.yaml
    printf 'int f( );\n#include "../generated.h"\n' >build/generated.c # not part of the tree
}

run_check() {
    "$here/check_$1.sh" "$scratch/tree" >"$scratch/said" 2>&1
}

report() { # report RESULT NAME
    cases=$((cases + 1))
    if [ "$1" = ok ]; then
        echo "ok      $2"
    else
        echo "FAILED  $2; the check said:"
        sed 's/^/        | /' "$scratch/said"
        failed=$((failed + 1))
    fi
}

accepts_sound_tree() { # accepts_sound_tree CHECK
    local status=0
    sound_tree
    run_check "$1" || status=$?
    if [ $status -eq 77 ]; then
        echo "skipped check_$1: its program is not installed"
    elif [ $status -eq 0 ]; then
        report ok "check_$1 accepts a sound tree"
    else
        report no "check_$1 accepts a sound tree"
    fi
    return 0
}

# plant FILE TEXT …: writes each TEXT (printf format) as a new FILE of the sound tree.
plant() {
    sound_tree
    while [ $# -gt 0 ]; do
        mkdir -p "$(dirname "$1")"
        # shellcheck disable=SC2059 # the format is the text
        printf "$2" >"$1"
        shift 2
    done
}

# refuses CHECK FILE TEXT …: the check finds the fault and names the first FILE.
refuses() {
    local check=$1 status=0
    shift
    plant "$@"
    run_check "$check" || status=$?
    [ $status -ne 77 ] || return 0
    if [ $status -ne 0 ] && grep -qF "${1%.*}" "$scratch/said"; then
        report ok "check_$check refuses in $1: $(head -1 <<<"$2")"
    else
        report no "check_$check refuses in $1: $(head -1 <<<"$2")"
    fi
}

# accepts CHECK FILE TEXT …: the check accepts something that only looks like a fault.
accepts() {
    local check=$1 status=0
    shift
    plant "$@"
    run_check "$check" || status=$?
    if [ $status -eq 0 ]; then
        report ok "check_$check accepts in $1: $(head -1 <<<"$2")"
    else
        report no "check_$check accepts in $1: $(head -1 <<<"$2")"
    fi
}

accepts_sound_tree includes
refuses includes models/game/x.c '#include "models/ice/b.h"\n'
refuses includes models/game/x.c '#include "api/json.h"\n'
refuses includes models/game/x.c '#include <jansson.h>\n'
refuses includes models/game/x.c '#include <pthread.h>\n'
refuses includes models/ice/x.c '#include "api/json.h"\n'
refuses includes models/ice/x.c '#include "models/networks/net.h"\n'
refuses includes models/ice/x.c '#include "tests/unit/x.h"\n'
refuses includes models/networks/x.c '#include "models/ice/b.h"\n'
refuses includes models/networks/x.cpp '#include <box2d/b2_world.h>\n'
refuses includes models/ice/x.cpp '#include <torch/script.h>\n'
refuses includes api/x.c '#include "models/ice/b.h"\n'
refuses includes api/x.c '#include "workers/worker.h"\n'
refuses includes workers/search/x.c '#include "service/http/http.h"\n'
refuses includes workers/x.c '#include "workers/search/query.h"\n'
refuses includes workers/search/x.c '#include "workers/evaluate/play/pair.h"\n'
refuses includes workers/search/shots/x.c '#include "workers/search/player/player.h"\n'
refuses includes workers/search/judge/x.c '#include "workers/search/rink/rink.h"\n'
refuses includes workers/search/rink/x.c '#include "workers/search/query.h"\n'
refuses includes workers/evaluate/play/x.c '#include "workers/evaluate/report/report.h"\n'
refuses includes workers/evaluate/report/x.c '#include "workers/evaluate/play_options.h"\n'
refuses includes workers/learn/memory/x.c '#include "workers/learn/algorithms/learner.h"\n'
refuses includes workers/simulate/x.c '#include "workers/search/shots/candidate.h"\n'
refuses includes workers/search/x.c '#include <sqlite3.h>\n'
refuses includes workers/search/x.c '#include <microhttpd.h>\n'
refuses includes workers/search/x.cpp '#include <box2d/box2d.h>\n'
refuses includes service/x.c '#include "workers/worker.h"\n'
refuses includes service/x.c '#include "models/ice/b.h"\n'
refuses includes service/x.c '#include "models/networks/net.h"\n'
refuses includes service/routes/x.c '#include <sqlite3.h>\n'
refuses includes service/store/x.c '#include <microhttpd.h>\n'
refuses includes service/store/x.c '#include "service/http/http.h"\n'
refuses includes service/store/x.c '#include "service/base/core.h"\n'
refuses includes service/store/x.c '#include "models/game/a.h"\n'
refuses includes service/base/x.c '#include "service/http/http.h"\n'
refuses includes service/base/x.c '#include "service/jobs/supervisor.h"\n'
refuses includes service/base/x.c '#include "service/routes/server.h"\n'
refuses includes service/http/x.c '#include "service/routes/server.h"\n'
refuses includes service/http/x.c '#include "service/shots/shots.h"\n'
refuses includes service/models/x.c '#include "service/jobs/job_line.h"\n'
refuses includes service/jobs/x.c '#include "service/http/http.h"\n'
refuses includes service/jobs/x.c '#include "service/shots/pool.h"\n'
refuses includes service/jobs/x.c '#include "service/routes/server.h"\n'
refuses includes service/shots/x.c '#include "service/http/http.h"\n'
refuses includes service/shots/x.c '#include "service/jobs/supervisor.h"\n'
refuses includes service/shots/x.c '#include "service/store/store.h"\n'
refuses includes service/routes/x.c '#include <microhttpd.h>\n'
refuses includes service/routes/x.c '#include <uv.h>\n'
refuses includes service/rinkctl/x.c '#include "service/base/config.h"\n'
refuses includes service/dashboard/x.c '#include "api/json.h"\n'
refuses includes tests/unit/x.c '#include <box2d/box2d.h>\n'
refuses includes models/ice/x.c '#include "b.h"\n'
refuses includes models/ice/x.c '#include "../game/a.h"\n'
refuses includes models/ice/x.c '#include "models/ice/../game/a.h"\n'
refuses includes models/ice/x.c '#include <models/game/a.h>\n'
refuses includes models/ice/x.c ' #  include "api/json.h"\r\n'
refuses includes models/ice/x.c '#include HEADER\n'
refuses includes models/x.c 'int x;\n'
refuses includes lib/x.c 'int x;\n'

accepts_sound_tree circles
refuses circles models/game/a.h '#include "models/game/x.h"\n' \
    models/game/x.h '#include "models/game/a.h"\n'
refuses circles models/game/x.c '#include "models/game/y.h"\n' \
    models/game/x.h '' models/game/y.h '#include "models/game/z.h"\n' \
    models/game/z.c '#include "models/game/x.h"\n'
accepts circles models/game/x_one.c '#include "models/game/x_two.h"\n' \
    models/game/x_two.c '#include "models/game/x_one.h"\n'

accepts_sound_tree format
refuses format models/game/x.c 'int  x;\n'
refuses format models/game/x.h 'int f( void );\n'

body=$(printf '    a();\\n%.0s' {1..58})
accepts_sound_tree calls
accepts calls api/base/next_line.c 'getline(&line, &room, file);\n'
accepts calls api/x.c 'next_line(&line, &room, file); /* not\n * getline() */\n'
refuses calls api/x.c 'while (getline(&line, &room, file) > 0)\n'
refuses calls workers/x.c 'if (!fgets(line, 5, file))\n'

accepts_sound_tree arguments
accepts arguments service/x.c 'void f(int *x, int y);\nvoid g(void)\n{\n    f(&x, x);\n}\n'
accepts arguments service/x.c 'int f(const int *x);\nvoid g(void)\n{\n    h(f(&x), x, sizeof x);\n}\n'
accepts arguments service/x.c 'void g(void)\n{\n    if (f(&x) == 0 && x > 0)\n        h(f(&x) && x);\n}\n'
refuses arguments service/x.c 'void g(void)\n{\n    note(s, next(t, &due_ms), due_ms);\n}\n'
refuses arguments workers/x.c 'void g(void)\n{\n    walk(draw(&dice), draw(&dice));\n}\n'
refuses arguments api/x.c 'int f(int *x);\nvoid g(void)\n{\n    h(a(f(&row->due)), 2 * (row->due + 1));\n}\n'
refuses arguments api/x.h 'int f(int *x);\nint f(const int *y, int *x);\nvoid g(void)\n{\n    h(f(y, &x), x);\n}\n'

accepts_sound_tree functions
accepts functions models/game/x.c "static int x(int y)\n{\n$body}\n"
refuses functions models/game/x.c "static int x(int y)\n{\n$body    b();\n}\n"
accepts functions models/networks/end_features.c "int blocks_of_lanes(int y)\n{\n$body    b();\n}\n"

accepts_sound_tree routes
refuses routes service/routes/routes.c '    {"GET", "/a", SCOPE_READ, R, N, NULL, a, NULL},\n'
refuses routes service/routes/routes.c '    {"GET", "/a", SCOPE_NONE, R, N, NULL, a, PARAMETERS("limit")},\n'
refuses routes service/routes/routes.c '    {"PUT", "/a", SCOPE_READ, R, N, NULL, a, PARAMETERS("limit")},\n'
refuses routes api/openapi.yaml 'paths:\n  /b:\n    get:\n      security: []\n'

accepts_sound_tree scripts
# shellcheck disable=SC2016 # the faulty script is text here
refuses scripts tests/x.sh '#!/bin/sh\necho $1\n'
refuses scripts deploy/run '#!/bin/sh\ntrue\n' # not executable

accepts_sound_tree tree
refuses tree lib/x.txt 'x\n'
refuses tree x.txt 'x\n'
refuses tree deploy/x.txt "see /h""ome/someone/x\n"
refuses tree README.md "(/w""ork/x)\n"

accepts_sound_tree headers
refuses headers api/x.h 'int x(void);\n'
refuses headers api/x.h '#ifndef X_H\n#define X_H\nint x(void);\n#endif\n'
refuses headers api/x.h '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\n#endif\nint x(void);\n#include <stddef.h>\n'
refuses headers api/x.h '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\nuint8_t x(void);\n#endif\n'
refuses headers api/x.h '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\nuint8_t x(void);\n#endif\n' \
    api/x.c '#include <stdint.h>\n#include "api/x.h"\n'
accepts headers api/x.h '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\nuint8_t x(void);\n#endif\n' \
    api/x.c '#include "api/x.h"\n' # the build compiles it, and fails
refuses headers api/x.h '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\nextern "C" int x(void);\n#endif\n'
refuses headers api/x.h \
    '#ifndef RINKD_API_X_H\n#define RINKD_API_X_H\n#ifdef __cplusplus\nextern "C" {\n#endif\nint x(int class);\n#ifdef __cplusplus\n}\n#endif\n#endif\n'

echo "test_checks: $cases cases, $failed failed"
[ "$failed" -eq 0 ] && [ "$cases" -gt 0 ]
