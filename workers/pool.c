/* Helpers sleep between calls of pool_run(). In a call, all threads take indices from a counter. */
#include "workers/pool.h"

#include "api/base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct helper {
    struct pool *pool;
    pthread_t thread;
};

struct pool {
    pthread_mutex_t lock; /* guards everything but `next` and `stopped` */
    pthread_cond_t begin, done;
    int openings; /* helpers that may still join the current call */
    int working;  /* helpers that have joined it and not yet left */
    bool closing;

    pool_task *task; /* NULL between calls */
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool stopped;

    int threads, helpers; /* wanted, with the caller's; helpers that have started */
    struct helper helper[];
};

static void take_tasks(struct pool *pool, int thread)
{
    while (!atomic_load_explicit(&pool->stopped, memory_order_relaxed)) {
        size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count)
            return;
        pool->task(pool->context, index, thread);
    }
}

static void *help(void *argument)
{
    const struct helper *helper = argument;
    struct pool *pool = helper->pool;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->openings == 0 && !pool->closing)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing)
            break;
        pool->openings--;
        pool->working++;
        pthread_mutex_unlock(&pool->lock);
        take_tasks(pool, 1 + (int)(helper - pool->helper));
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(int threads)
{
    int wanted = threads < 1 ? 1 : threads > POOL_THREADS_MAX ? POOL_THREADS_MAX : threads;
    struct pool *pool = calloc(1, sizeof *pool + (size_t)(wanted - 1) * sizeof pool->helper[0]);

    if (!pool)
        return NULL;
    pool->threads = wanted;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    return pool;
}

int pool_threads(const struct pool *pool)
{
    return pool->threads;
}

static void start_helpers(struct pool *pool, int wanted)
{
    while (pool->helpers < wanted) {
        struct helper *helper = &pool->helper[pool->helpers];
        helper->pool = pool;
        if (pthread_create(&helper->thread, NULL, help, helper) != 0)
            return;
        pool->helpers++;
    }
}

bool pool_run(struct pool *pool, size_t count, pool_task *task, void *context)
{
    pthread_mutex_lock(&pool->lock);
    assert(!pool->task && pool->working == 0);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->stopped, false, memory_order_relaxed);
    int useful = count < (size_t)pool->threads ? (int)count - 1 : pool->threads - 1;
    start_helpers(pool, useful);
    for (int k = 0; k < useful && k < pool->helpers; k++) {
        pool->openings++;
        pthread_cond_signal(&pool->begin);
    }
    pthread_mutex_unlock(&pool->lock);

    take_tasks(pool, 0);

    pthread_mutex_lock(&pool->lock);
    pool->openings = 0; /* do not wait for helpers that have not woken yet */
    while (pool->working > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pool->task = NULL;
    pthread_mutex_unlock(&pool->lock);
    return !atomic_load_explicit(&pool->stopped, memory_order_relaxed);
}

void pool_stop(struct pool *pool)
{
    atomic_store_explicit(&pool->stopped, true, memory_order_relaxed);
}

double pool_thread_s(void)
{
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    assert(!pool->task);
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->helpers; k++)
        pthread_join(pool->helper[k].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
