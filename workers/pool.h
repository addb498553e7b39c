/* A handful of threads that share out numbered tasks: the only way these programs use several cores
 * for one piece of work.
 *
 * A task writes its result to a place that belongs to its index, so results are the same bytes for
 * any number of threads. */
#ifndef RINKD_WORKERS_POOL_H
#define RINKD_WORKERS_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* The most threads of a pool; larger requests are reduced to it. */
enum { POOL_THREADS_MAX = 256 };

struct pool;

/* A task. `thread` is 0 for the caller of pool_run() and below pool_threads() for its helpers.
 * Tasks that run at the same time have different numbers, so `thread` can index workspaces. */
typedef void pool_task(void *context, size_t index, int thread);

/* Returns a pool of `threads` threads, the caller's included (less than 1 counts as 1). Helpers
 * start when a call first needs them; if the system allows fewer, those do all the work. The caller
 * gives the pool to pool_free(). NULL when memory is short. */
struct pool *pool_new(int threads);
void pool_free(struct pool *pool); /* NULL is fine */

/* Returns the most threads that run tasks at the same time, the caller's included. */
int pool_threads(const struct pool *pool);

/* Calls task(context, index, thread) once for each index 0 … count - 1, starting them in this
 * order, and returns when all are done. False: pool_stop() was called, and the remaining tasks did
 * not start. One call at a time. */
bool pool_run(struct pool *pool, size_t count, pool_task *task, void *context);

/* Stops the current pool_run() from starting more tasks. Any thread may call it. */
void pool_stop(struct pool *pool);

/* Returns the processor time of the calling thread, in seconds. */
double pool_thread_s(void);

#endif
