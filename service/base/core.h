/* The core thread: a libuv loop that runs tasks from all threads, the only writer of the store.
 *
 * Up to CORE_GROUP writing tasks share a transaction, each in its own savepoint. They finish after
 * the commit, and only then do their callers hear of success. */
#ifndef RINKD_SERVICE_BASE_CORE_H
#define RINKD_SERVICE_BASE_CORE_H

#include "service/store/store.h"

#include <sys/queue.h>
#include <uv.h>

struct core;
struct metrics;

enum { CORE_GROUP = 64, CORE_QUEUE_MAX = 4096 };

struct core_task {
    bool writes;
    /* On the core thread. Anything but API_OK undoes what the task wrote. store is NULL if it does
     * not write. */
    enum api_error (*run)(struct core_task *task, struct store *store);
    /* On the core thread, exactly once, with the result of `run`, or API_STORAGE if the commit
     * failed. The task is not used after this call. */
    void (*finish)(struct core_task *task, enum api_error result);
    STAILQ_ENTRY(core_task) link; /* the core's */
};

/* Store and metrics stay the caller's. The loop does not run yet. */
enum api_error core_open(struct store *store, struct metrics *metrics, struct core **ret_core);

/* From any thread. API_BUSY: the queue is full, and the task untouched. core_submit_own() is for
 * the core thread's own tasks (lines of workers), which are never refused. */
enum api_error core_submit(struct core *core, struct core_task *task);
void core_submit_own(struct core *core, struct core_task *task);

/* The loop, for timers, children and pipes of the core thread's other parts. */
uv_loop_t *core_loop(struct core *core);

/* Runs until core_stop() is called on the core thread. Tasks submitted before are finished first.
 */
void core_run(struct core *core);
void core_stop(struct core *core);
void core_close(struct core *core); /* NULL is fine */

/* Tasks that wait to run or to be committed; any thread. */
int core_waiting(const struct core *core);

#endif
