/* The thread pool: each index exactly once, any number of threads, one workspace per thread. */
#include "workers/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 1000 };

struct work {
    struct pool *pool;
    atomic_int calls[TASKS];
    atomic_bool busy[POOL_THREADS_MAX]; /* workspaces in use */
    atomic_bool clashed;
    size_t stop_at;
    pthread_barrier_t meeting;
};

static struct work *fresh(int threads)
{
    static struct work work;
    memset(&work, 0, sizeof work);
    work.stop_at = SIZE_MAX;
    work.pool = pool_new(threads);
    assert_non_null(work.pool);
    return &work;
}

static void count_call(void *context, size_t index, int thread)
{
    struct work *work = context;
    volatile double spent = 0.0;
    int rounds = index % 16 == 0 ? 5000 : 5; /* some take a thousand times longer */

    if (thread < 0 || thread >= pool_threads(work->pool) ||
        atomic_exchange(&work->busy[thread], true))
        atomic_store(&work->clashed, true);
    atomic_fetch_add(&work->calls[index], 1);
    for (int k = 0; k < rounds; k++)
        spent = spent + 1.0;
    if (index == work->stop_at)
        pool_stop(work->pool);
    if (thread >= 0 && thread < POOL_THREADS_MAX)
        atomic_store(&work->busy[thread], false);
}

static void every_task_runs_once_in_a_workspace_of_its_own(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 2, 3, 15, 16, 17, 127, 999, TASKS};

    for (int threads = 1; threads <= 8; threads++) {
        struct work *work = fresh(threads);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            memset(work->calls, 0, sizeof work->calls);
            assert_true(pool_run(work->pool, counts[c], count_call, work));
            for (size_t k = 0; k < TASKS; k++)
                assert_int_equal(atomic_load(&work->calls[k]), k < counts[c]);
        }
        assert_false(atomic_load(&work->clashed));
        pool_free(work->pool);
    }
}

static void odd_numbers_of_threads_work(void **state)
{
    (void)state;
    const int threads[] = {-5, 0, 1000000};
    const int expected[] = {1, 1, POOL_THREADS_MAX};

    for (int k = 0; k < 3; k++) {
        struct work *work = fresh(threads[k]);
        assert_int_equal(pool_threads(work->pool), expected[k]);
        assert_true(pool_run(work->pool, 3, count_call, work));
        for (int task = 0; task < 3; task++)
            assert_int_equal(atomic_load(&work->calls[task]), 1);
        pool_free(work->pool);
    }
    pool_free(NULL);
}

static void meet(void *context, size_t index, int thread)
{
    struct work *work = context;
    (void)index;
    (void)thread;
    pthread_barrier_wait(&work->meeting);
}

/* Each of four tasks waits for the other three: with fewer threads it would wait for ever. */
static void tasks_run_at_the_same_time(void **state)
{
    (void)state;
    struct work *work = fresh(4);

    assert_int_equal(pthread_barrier_init(&work->meeting, NULL, 4), 0);
    for (int round = 0; round < 100; round++)
        assert_true(pool_run(work->pool, 4, meet, work));
    pthread_barrier_destroy(&work->meeting);
    pool_free(work->pool);
}

static void a_stopped_run_begins_no_later_task_and_the_next_run_is_whole(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        struct work *work = fresh(threads);
        int calls = 0;
        work->stop_at = 100;
        assert_false(pool_run(work->pool, TASKS, count_call, work));
        for (size_t k = 0; k < TASKS; k++) {
            if (k <= 100)
                assert_int_equal(atomic_load(&work->calls[k]), 1);
            calls += atomic_load(&work->calls[k]);
        }
        if (threads == 1)
            assert_int_equal(calls, 101);
        work->stop_at = SIZE_MAX;
        assert_true(pool_run(work->pool, TASKS, count_call, work));
        pool_free(work->pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once_in_a_workspace_of_its_own),
        cmocka_unit_test(odd_numbers_of_threads_work),
        cmocka_unit_test(tasks_run_at_the_same_time),
        cmocka_unit_test(a_stopped_run_begins_no_later_task_and_the_next_run_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
