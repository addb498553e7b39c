/* A handful of threads that share out numbered tasks. */
#ifndef RINKD_WORKERS_POOL_H
#define RINKD_WORKERS_POOL_H

#include <stddef.h>

struct pool;

typedef void pool_task(void *context, size_t index);

/* A pool of `threads` threads, the caller's counted (if the system gives fewer, with those). Give
 * it to pool_free(). NULL when memory is short. */
struct pool *pool_new(int threads);

/* Calls task(context, index) once for each index 0 … count - 1, in any order, and returns when all
 * are done. One call at a time. */
void pool_run(struct pool *pool, size_t count, pool_task *task, void *context);

/* Processor time of the calling thread, in seconds. */
double pool_thread_s(void);

void pool_free(struct pool *pool); /* NULL is fine */

#endif
