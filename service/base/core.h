/* The core thread: a libuv loop that runs tasks from all threads, the only writer of the store.
 *
 * Up to CORE_GROUP writing tasks (fewer if they take long) share a transaction, each in its own
 * savepoint. They finish after the commit, so no caller sees success before it. */
#ifndef RINKD_SERVICE_BASE_CORE_H
#define RINKD_SERVICE_BASE_CORE_H

#include "service/store/store.h"

#include <sys/queue.h>
#include <uv.h>

struct core;
struct disk;
struct metrics;

enum { CORE_GROUP = 64, CORE_QUEUE_MAX = 4096 };

struct core_task {
    bool writes;
    /* Runs on the core thread. Any result but API_OK undoes what the task wrote. store is NULL
     * for a task that does not write. */
    enum api_error (*run)(struct core_task *task, struct store *store);
    /* Called on the core thread, exactly once, with the result of `run`, or API_STORAGE if the
     * commit failed. The core does not use the task afterwards. */
    void (*finish)(struct core_task *task, enum api_error result);
    STAILQ_ENTRY(core_task) link; /* the core's */
};

/* Opens a core, whose loop does not run yet. The caller keeps store and metrics. */
enum api_error core_open(struct store *store, struct metrics *metrics, struct core **ret_core);
/* Tells the disk of writes that fail; call it before core_run(). */
void core_watch(struct core *core, struct disk *disk);

/* Adds a task, from any thread. API_BUSY: the queue is full, and the task untouched.
 * core_submit_own() is for the core thread's own tasks (lines of workers) and never refuses. */
enum api_error core_submit(struct core *core, struct core_task *task);
void core_submit_own(struct core *core, struct core_task *task);

/* The time of the service, milliseconds since 1970; any thread. It is the wall clock at the start,
 * and goes on with CLOCK_MONOTONIC, so that differences are durations. When the wall clock has been
 * set, the core takes the new time over between two transactions, within a second, and moves what
 * is under way with it (store/moments.h). */
int64_t core_now_ms(const struct core *core);

/* The loop, for timers, children and pipes of the core thread's other parts. */
uv_loop_t *core_loop(struct core *core);

/* Runs until core_stop() is called on the core thread. Finishes all tasks submitted before. */
void core_run(struct core *core);
void core_stop(struct core *core);
void core_close(struct core *core); /* NULL is fine */

/* Returns how many tasks wait to run or to be committed; any thread. */
int core_waiting(const struct core *core);

#endif
