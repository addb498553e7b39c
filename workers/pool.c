/* Threads sleep between the calls of pool_run(); in one they take indices from a counter. */
#include "workers/pool.h"

#include "api/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct pool {
    pthread_mutex_t lock; /* over everything but `next` */
    pthread_cond_t begin, done;
    unsigned round; /* counts the calls of pool_run() */
    int busy;       /* helpers that have not finished the round */
    bool closing;

    pool_task *task;
    void *context;
    size_t count;
    atomic_size_t next;

    int helpers;
    pthread_t helper[];
};

static void take_tasks(struct pool *pool)
{
    for (;;) {
        size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count)
            return;
        pool->task(pool->context, index);
    }
}

static void *help(void *argument)
{
    struct pool *pool = argument;
    unsigned seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        take_tasks(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(int threads)
{
    int wanted = threads > 1 ? threads - 1 : 0;
    struct pool *pool = calloc(1, sizeof *pool + (size_t)wanted * sizeof pool->helper[0]);

    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->helpers < wanted &&
           pthread_create(&pool->helper[pool->helpers], NULL, help, pool) == 0)
        pool->helpers++;
    return pool;
}

void pool_run(struct pool *pool, size_t count, pool_task *task, void *context)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    /* For one task it is not worth while to wake anybody. */
    bool wake = count > 1 && pool->helpers > 0;
    if (wake) {
        pool->round++;
        pool->busy = pool->helpers;
        pthread_cond_broadcast(&pool->begin);
    }
    pthread_mutex_unlock(&pool->lock);

    take_tasks(pool);

    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

double pool_thread_s(void)
{
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->helpers; k++)
        pthread_join(pool->helper[k], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
