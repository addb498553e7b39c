/* Two queues behind one lock, an async handle that wakes the loop, and transactions shared by many
 * tasks. See core.h. */
#include "service/base/core.h"

#include "api/base/clock.h"
#include "service/base/disk.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/store/moments.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Passes of the loop after core_stop(), for handles that are still closing. */
enum { LAST_PASSES = 16 };

enum {
    CLOCK_LOOK_MS = 1000,
    CLOCK_STEP_MS = 250, /* a smaller difference is no step: clocks drift and are slewed */
    CLOCK_READS = 8      /* to get both clocks without a pause between them */
};

/* A group takes no further task after this time: a shot query waits for up to two groups, and a
 * commit takes about 1 ms. */
static const double GROUP_S = 3e-3;

STAILQ_HEAD(task_queue, core_task);

struct core {
    struct metrics *metrics;
    struct disk *disk; /* NULL: none */
    struct store *store;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t clock;
    atomic_int_least64_t ahead_ms; /* of the time of the service, before CLOCK_MONOTONIC */
    bool stopping;                 /* core thread only, like the members above */

    pthread_mutex_t lock; /* guards the two queues */
    /* Two queues, so that a shot query need not wait for the disk to store a job. */
    struct task_queue quick, writing;
    atomic_int waiting; /* in both queues and in the current transaction; grows under the lock */
};

/* ---- the queues ---- */

/* Takes the first task, or NULL. It still counts as waiting. */
static struct core_task *queue_take(struct core *core, struct task_queue *queue)
{
    pthread_mutex_lock(&core->lock);
    struct core_task *task = STAILQ_FIRST(queue);
    if (task)
        STAILQ_REMOVE_HEAD(queue, link);
    pthread_mutex_unlock(&core->lock);
    return task;
}

static bool submit(struct core *core, struct core_task *task, int most)
{
    assert(task->run && task->finish);
    pthread_mutex_lock(&core->lock);
    bool has_room = atomic_load(&core->waiting) < most;
    if (has_room) {
        struct task_queue *queue = task->writes ? &core->writing : &core->quick;
        STAILQ_INSERT_TAIL(queue, task, link);
        atomic_fetch_add(&core->waiting, 1);
    }
    pthread_mutex_unlock(&core->lock);
    if (has_room)
        uv_async_send(&core->wake);
    return has_room;
}

enum api_error core_submit(struct core *core, struct core_task *task)
{
    return submit(core, task, CORE_QUEUE_MAX) ? API_OK : API_BUSY;
}

void core_submit_own(struct core *core, struct core_task *task)
{
    (void)submit(core, task, INT32_MAX);
}

int core_waiting(const struct core *core)
{
    return atomic_load(&core->waiting);
}

/* ---- time ---- */

static int64_t monotonic_ms(void)
{
    return (int64_t)(1e3 * clock_now_s());
}

int64_t core_now_ms(const struct core *core)
{
    return monotonic_ms() + atomic_load(&core->ahead_ms);
}

/* By how much the wall clock is before CLOCK_MONOTONIC, from the pair of readings that were closest
 * together. */
static int64_t wall_ahead_ms(void)
{
    int64_t ahead_ms = 0, closest_ms = INT64_MAX;

    for (int k = 0; k < CLOCK_READS && closest_ms > 1; k++) {
        int64_t before_ms = monotonic_ms(), wall_ms = clock_wall_ms(), after_ms = monotonic_ms();
        if (after_ms - before_ms < closest_ms) {
            closest_ms = after_ms - before_ms;
            ahead_ms = wall_ms - after_ms;
        }
    }
    return ahead_ms;
}

/* Takes the time of the wall clock over if that was set. After an error the old time goes on. */
static void follow_wall_clock(struct core *core)
{
    int64_t ahead_ms = wall_ahead_ms(), step_ms = ahead_ms - atomic_load(&core->ahead_ms);

    if (-CLOCK_STEP_MS < step_ms && step_ms < CLOCK_STEP_MS)
        return;
    enum api_error error = store_begin(core->store);
    if (error == API_OK) {
        error = moments_shift(core->store, step_ms);
        if (error == API_OK)
            error = store_commit(core->store);
        else
            store_rollback(core->store);
    }
    if (error == API_OK) {
        atomic_store(&core->ahead_ms, ahead_ms);
        metrics_count(core->metrics, METRIC_CLOCK_STEPS, 1);
    }
    log_line(LOG_WARNING, error == API_OK ? "the clock was set" : "the clock cannot be followed",
             log_whole("by_ms", step_ms));
}

static void on_clock(uv_timer_t *timer)
{
    follow_wall_clock(timer->data);
}

/* ---- running them ---- */

static void run_quick(struct core *core)
{
    struct core_task *task;

    for (int k = 0; k < CORE_GROUP && (task = queue_take(core, &core->quick)) != NULL; k++) {
        atomic_fetch_sub(&core->waiting, 1);
        task->finish(task, task->run(task, NULL));
    }
}

/* Runs one task in a savepoint: it writes everything or nothing. */
static enum api_error run_writing(struct core *core, struct core_task *task)
{
    enum api_error error = store_savepoint(core->store);

    if (error != API_OK)
        return error;
    error = task->run(task, core->store);
    if (error == API_OK)
        error = store_release(core->store);
    if (error != API_OK)
        store_undo(core->store);
    return error;
}

/* Counts and logs a group that could not be stored. */
static void note_failure(struct core *core, const enum api_error *results, int count,
                         enum api_error shared)
{
    bool lacks_disk = shared == API_STORAGE;

    for (int k = 0; k < count; k++)
        lacks_disk = lacks_disk || results[k] == API_STORAGE;
    if (lacks_disk)
        disk_note_failure(core->disk);
    if (!lacks_disk && shared == API_OK)
        return;
    metrics_count(core->metrics, METRIC_COMMITS_FAILED, 1);
    log_line(LOG_ERROR, "commit failed",
             log_text("error", api_error_slug(lacks_disk ? API_STORAGE : shared)));
}

static void run_group(struct core *core)
{
    struct core_task *group[CORE_GROUP];
    enum api_error results[CORE_GROUP] = {API_OK}, shared;
    struct core_task *task = queue_take(core, &core->writing);
    bool wrote = false;
    int count = 0;

    if (!task)
        return;
    follow_wall_clock(core);
    double began_s = clock_now_s();
    shared = store_begin(core->store);
    while (task) {
        group[count] = task;
        if (shared == API_OK)
            results[count] = run_writing(core, task);
        wrote = wrote || (shared == API_OK && results[count] == API_OK);
        count++;
        bool has_room = count < CORE_GROUP && clock_now_s() - began_s < GROUP_S;
        task = has_room ? queue_take(core, &core->writing) : NULL;
    }
    if (shared == API_OK) {
        if (wrote)
            shared = store_commit(core->store);
        else
            store_rollback(core->store);
    }
    if (wrote && shared == API_OK) {
        metrics_count(core->metrics, METRIC_COMMITS, 1);
        metrics_observe(core->metrics, METRIC_COMMIT_S, clock_now_s() - began_s);
    }
    note_failure(core, results, count, shared);
    atomic_fetch_sub(&core->waiting, count);
    /* A task that failed keeps its own error. */
    for (int k = 0; k < count; k++)
        group[k]->finish(group[k], results[k] != API_OK ? results[k] : shared);
}

/* One group at a time: between groups the loop serves pipes and timers. */
static void on_wake(uv_async_t *wake)
{
    struct core *core = wake->data;

    run_quick(core);
    run_group(core);
    if (core_waiting(core) > 0)
        uv_async_send(&core->wake);
    else if (core->stopping)
        uv_stop(&core->loop);
}

/* ---- life ---- */

enum api_error core_open(struct store *store, struct metrics *metrics, struct core **ret_core)
{
    struct core *core = calloc(1, sizeof *core);

    if (!core)
        return API_NO_MEMORY;
    core->metrics = metrics;
    core->store = store;
    STAILQ_INIT(&core->quick);
    STAILQ_INIT(&core->writing);
    if (uv_loop_init(&core->loop) != 0) {
        free(core);
        return API_NO_MEMORY;
    }
    if (uv_async_init(&core->loop, &core->wake, on_wake) != 0) {
        uv_loop_close(&core->loop);
        free(core);
        return API_NO_MEMORY;
    }
    pthread_mutex_init(&core->lock, NULL);
    uv_timer_init(&core->loop, &core->clock);
    core->wake.data = core->clock.data = core;
    atomic_init(&core->ahead_ms, wall_ahead_ms());
    uv_timer_start(&core->clock, on_clock, CLOCK_LOOK_MS, CLOCK_LOOK_MS);
    uv_unref((uv_handle_t *)&core->clock);
    *ret_core = core;
    return API_OK;
}

void core_watch(struct core *core, struct disk *disk)
{
    core->disk = disk;
}

uv_loop_t *core_loop(struct core *core)
{
    return &core->loop;
}

void core_run(struct core *core)
{
    uv_run(&core->loop, UV_RUN_DEFAULT);
}

void core_stop(struct core *core)
{
    core->stopping = true;
    uv_async_send(&core->wake);
}

void core_close(struct core *core)
{
    if (!core)
        return;
    assert(core_waiting(core) == 0); /* no caller waits for an answer that never comes */
    uv_close((uv_handle_t *)&core->wake, NULL);
    uv_close((uv_handle_t *)&core->clock, NULL);
    for (int k = 0; k < LAST_PASSES; k++)
        uv_run(&core->loop, UV_RUN_NOWAIT);
    if (uv_loop_close(&core->loop) != 0)
        log_line(LOG_ERROR, "core closed", log_text("why", "some handles are still open"));
    pthread_mutex_destroy(&core->lock);
    free(core);
}
