/* Fork, throw, join: threads take short runs of indices from one counter until none is left. */
#include "models/ice/batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    /* Both engines keep their work on the stack; the reference one needs about 100 KiB for its
     * world, sanitizers a multiple. Pages that are not touched cost nothing. */
    STACK_BYTES = 1024 * 1024,
    /* Indices taken at a time: enough that the counter is not fought over, and few enough that
     * threads end together though throws differ a hundredfold in price. */
    MAX_RUN = 32,
    RUNS_A_THREAD = 16
};

/* One call, shared by its threads. Only `next` is written while they run. */
struct batch {
    throw_engine *engine;
    const struct throw_request *requests;
    const struct noise *noise; /* NULL: throw as requested, samples = 1 */
    const struct normal_pair *pairs;
    size_t samples;
    size_t count; /* of throws */
    size_t run;
    struct throw_result *results;
    enum throw_status *statuses;
    atomic_size_t next;
};

/* What one thread met. */
struct batch_worker {
    struct batch *batch;
    size_t failed; /* lowest index that failed, SIZE_MAX if none */
    enum throw_status status;
};

static enum throw_status throw_one(const struct batch *batch, size_t index)
{
    if (!batch->noise)
        return batch->engine(&batch->requests[index], &batch->results[index]);

    struct throw_request request = batch->requests[index / batch->samples];
    request.shot =
        noise_apply(batch->noise, request.ice, request.shot, batch->pairs[index % batch->samples]);
    request.trajectory = NULL;
    return batch->engine(&request, &batch->results[index]);
}

static void *work(void *argument)
{
    struct batch_worker *worker = argument;
    struct batch *batch = worker->batch;

    for (;;) {
        size_t first = atomic_fetch_add_explicit(&batch->next, batch->run, memory_order_relaxed);
        if (first >= batch->count)
            return NULL;
        size_t end = batch->count - first < batch->run ? batch->count : first + batch->run;
        for (size_t k = first; k < end; k++) {
            enum throw_status status = throw_one(batch, k);
            if (batch->statuses)
                batch->statuses[k] = status;
            /* A thread's indices only grow: its first failure is its lowest. */
            if (status != THROW_OK && worker->failed == SIZE_MAX) {
                worker->failed = k;
                worker->status = status;
            }
        }
    }
}

static enum throw_status batch_run(struct batch *batch, int threads)
{
    pthread_t thread[BATCH_MAX_THREADS];
    struct batch_worker worker[BATCH_MAX_THREADS];
    int workers = threads < 1 ? 1 : threads > BATCH_MAX_THREADS ? BATCH_MAX_THREADS : threads;

    if ((size_t)workers > batch->count)
        workers = batch->count ? (int)batch->count : 1;
    batch->run = batch->count / ((size_t)workers * RUNS_A_THREAD);
    if (batch->run < 1)
        batch->run = 1;
    if (batch->run > MAX_RUN)
        batch->run = MAX_RUN;
    for (int k = 0; k < workers; k++)
        worker[k] = (struct batch_worker){batch, SIZE_MAX, THROW_OK};

    /* Worker 0 is the calling thread. A thread that cannot be had is not needed: the others take
     * its share. */
    int started = 1;
    pthread_attr_t attributes;
    if (workers > 1 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        while (started < workers &&
               pthread_create(&thread[started], &attributes, work, &worker[started]) == 0)
            started++;
        pthread_attr_destroy(&attributes);
    }
    work(&worker[0]);

    const struct batch_worker *first = &worker[0];
    for (int k = 1; k < started; k++) {
        pthread_join(thread[k], NULL);
        if (worker[k].failed < first->failed)
            first = &worker[k];
    }
    return first->status;
}

enum throw_status throw_batch(throw_engine *engine, const struct throw_request *requests,
                              size_t count, int threads, struct throw_result *ret_results,
                              enum throw_status *ret_statuses)
{
    struct batch batch = {
        .engine = engine,
        .requests = requests,
        .samples = 1,
        .count = count,
        .results = ret_results,
        .statuses = ret_statuses,
    };
    return batch_run(&batch, threads);
}

enum throw_status throw_batch_noisy(throw_engine *engine, const struct throw_request *requests,
                                    size_t count, const struct noise *noise,
                                    const struct normal_pair *pairs, size_t samples, int threads,
                                    struct throw_result *ret_results,
                                    enum throw_status *ret_statuses)
{
    struct batch batch = {
        .engine = engine,
        .requests = requests,
        .noise = noise,
        .pairs = pairs,
        .samples = samples,
        .count = count * samples,
        .results = ret_results,
        .statuses = ret_statuses,
    };
    return batch_run(&batch, threads);
}
