/* Set-up and tear-down. See rig.h. */
#include "tests/unit/service/rig.h"

#include "api/base/clock.h"
#include "service/base/callers.h"
#include "service/base/events.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "tests/patience.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURN_MS = 5 };

static void make_programs(struct rig *rig)
{
    static const char *const names[] = {"rink-compete", "rink-evaluate", "rink-learn",
                                        "rink-search", "rink-simulate"};

    snprintf(rig->config.programs, sizeof rig->config.programs, "%s", rig->folder);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", rig->folder, names[k]);
        assert_int_equal(symlink(STAND_IN, path), 0);
    }
}

int rig_open(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    char error[STORE_ERROR_MAX];

    assert_non_null(rig);
    log_setup(false, LOG_ERROR);
    strcpy(rig->folder, "/tmp/rinkd-rig-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    snprintf(rig->config.data, sizeof rig->config.data, "%s", rig->folder);
    rig->config.workers = 2;
    rig->config.hosted_games = RIG_HOSTED_GAMES;
    rig->config.lease_ms = 30000;
    rig->config.search_processes = 1;
    rig->config.search_threads = 1;
    rig->config.search_waiting_max = 8;
    make_programs(rig);
    rig->base.config = &rig->config;
    rig->base.callers = callers_open(&rig->config);
    rig->base.metrics = metrics_open();
    assert_non_null(rig->base.callers);
    rig->base.events = events_open(clock_wall_ms());
    assert_non_null(rig->base.metrics);
    assert_non_null(rig->base.events);
    if (store_open(rig->folder, false, &rig->store, error) != API_OK)
        fail_msg("%s", error);
    assert_int_equal(core_open(rig->store, rig->base.metrics, &rig->base.core), API_OK);
    *state = rig;
    return 0;
}

int rig_close(void **state)
{
    struct rig *rig = *state;
    char command[128];

    core_close(rig->base.core);
    store_close(rig->store);
    events_close(rig->base.events);
    metrics_close(rig->base.metrics);
    callers_close(rig->base.callers);
    snprintf(command, sizeof command, "rm -rf '%s'", rig->folder);
    int status = system(command);
    free(rig);
    return status;
}

static void on_turn(uv_timer_t *timer)
{
    (void)timer; /* lets the loop return */
}

void rig_turn(struct rig *rig)
{
    static uv_timer_t timer; /* only one loop runs at a time */

    uv_timer_init(core_loop(rig->base.core), &timer);
    uv_timer_start(&timer, on_turn, TURN_MS, 0);
    uv_run(core_loop(rig->base.core), UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(core_loop(rig->base.core), UV_RUN_NOWAIT);
}

void rig_wait(struct rig *rig, bool (*condition)(void *context), void *context)
{
    uint64_t begin = uv_hrtime();

    while (!condition(context)) {
        if (uv_hrtime() - begin > PATIENCE_S * UINT64_C(1000000000))
            fail_msg("waited %d s for nothing", PATIENCE_S);
        rig_turn(rig);
    }
}
