/* A handful of threads that share out numbered tasks: the one way in which these programs use
 * several cores for one piece of work.
 *
 * A task writes its result to a place that belongs to its index, so results are the same bytes for
 * any number of threads. */
#ifndef RINKD_WORKERS_POOL_H
#define RINKD_WORKERS_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* A pool never has more threads, whatever is asked for. */
enum { POOL_THREADS_MAX = 256 };

struct pool;

/* `thread` is 0 for the caller of pool_run() and below pool_threads() for its helpers: no two tasks
 * that run at the same time have the same, so it can number workspaces. */
typedef void pool_task(void *context, size_t index, int thread);

/* A pool of `threads` threads with the caller's (less than 1 counts as 1). Helpers start when a
 * call first needs them; if the system gives fewer, those do all the work. Give it to pool_free().
 * NULL when memory is short. */
struct pool *pool_new(int threads);
void pool_free(struct pool *pool); /* NULL is fine */

/* The most threads that run tasks at the same time, the caller's included. */
int pool_threads(const struct pool *pool);

/* Calls task(context, index, thread) once for each index 0 … count - 1, begun in this order, and
 * returns when all are done. False: pool_stop() was called, and later tasks have not begun. One
 * call at a time. */
bool pool_run(struct pool *pool, size_t count, pool_task *task, void *context);

/* Lets the current pool_run() begin no more tasks; for any thread. */
void pool_stop(struct pool *pool);

/* Processor time of the calling thread, in seconds. */
double pool_thread_s(void);

#endif
