/* Removes what a plan of retention lists. See removal.h. */
#include "service/upkeep/removal.h"

#include "api/curling/match_record.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/metrics.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_removal.h"
#include "service/store/job_needs.h"
#include "service/upkeep/backups.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* Jobs at a time: the core thread takes so many tasks into one transaction. */
enum { TOGETHER = CORE_GROUP / 2 };

struct removal {
    struct core_task task;
    struct batch *batch;
    struct kept_thing thing;
    const char *data; /* NULL: the whole job goes, else its records alone */
    json_t *gone_weights;
    enum stay why;
    enum api_error result;
};

struct batch {
    const struct core *core;
    pthread_mutex_t lock; /* guards waiting */
    pthread_cond_t done;
    int waiting;
    struct removal removal[TOGETHER];
};

/* Removes the records here, where no job is added that needs them meanwhile. */
static enum api_error remove_records(struct removal *removal, struct store *store)
{
    char path[JOB_PATH_MAX];
    bool is_needed = false;
    enum api_error error = job_needs_any(store, removal->thing.id, &is_needed);

    if (error != API_OK || is_needed) {
        removal->why = STAY_NEEDED;
        return error;
    }
    job_path(removal->data, removal->thing.id, MATCH_RECORDS_FILE, path);
    if (unlink(path) == 0)
        return API_OK;
    return errno == ENOENT ? API_NOT_FOUND : API_STORAGE;
}

/* Asks again whether it may go: much can happen since the plan. */
static enum api_error run_removal(struct core_task *task, struct store *store)
{
    struct removal *removal = (struct removal *)task;
    int64_t needed_by;

    if (removal->data)
        return remove_records(removal, store);
    enum api_error error = retention_why_stays(store, removal->thing.id, &removal->why);
    if (error != API_OK || removal->why != STAY_NOT)
        return error;
    return job_remove_rows(store, removal->thing.id, core_now_ms(removal->batch->core),
                           removal->gone_weights, &needed_by);
}

static void finish_removal(struct core_task *task, enum api_error result)
{
    struct removal *removal = (struct removal *)task;
    struct batch *batch = removal->batch;

    pthread_mutex_lock(&batch->lock);
    removal->result = result;
    if (--batch->waiting == 0)
        pthread_cond_signal(&batch->done);
    pthread_mutex_unlock(&batch->lock);
}

static void run_batch(const struct base *base, struct batch *batch, int count)
{
    pthread_mutex_lock(&batch->lock);
    batch->waiting = count;
    for (int k = 0; k < count; k++)
        core_submit_own(base->core, &batch->removal[k].task);
    while (batch->waiting > 0)
        pthread_cond_wait(&batch->done, &batch->lock);
    pthread_mutex_unlock(&batch->lock);
}

static bool note(const struct base *base, struct kept_list *gone, enum kept_kind kind,
                 const struct kept_thing *thing)
{
    metrics_count(base->metrics, METRIC_REMOVED_JOBS + (enum metric_counter)kind, 1);
    metrics_count(base->metrics, METRIC_REMOVED_JOBS_BYTES + (enum metric_counter)kind,
                  thing->bytes);
    return kept_list_add(&gone[kind], thing->id, thing->bytes);
}

/* After the commit: deletes the files of what is gone. A job that somebody else deleted, or that is
 * needed again, is no error. */
static enum api_error settle(const struct base *base, struct removal *removal,
                             struct kept_list gone[KEPT_KINDS])
{
    enum api_error error = removal->result;

    if (error == API_OK && removal->why == STAY_NOT) {
        if (!removal->data)
            job_remove_files(base->core, base->config->data, removal->thing.id,
                             removal->gone_weights);
        if (!note(base, gone, removal->data ? KEPT_REPLAYS : KEPT_JOBS, &removal->thing))
            error = API_NO_MEMORY;
    }
    json_decref(removal->gone_weights);
    return error == API_NOT_FOUND || error == API_STATE ? API_OK : error;
}

/* `data` as in struct removal. */
static enum api_error remove_jobs(const struct base *base, const struct kept_list *list,
                                  const char *data, const atomic_bool *stop,
                                  struct kept_list gone[KEPT_KINDS])
{
    struct batch batch = {
        .core = base->core, .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    enum api_error first = API_OK;

    for (size_t from = 0; from < list->count && !atomic_load(stop); from += TOGETHER) {
        int count = 0;
        for (; count < TOGETHER && from + (size_t)count < list->count; count++) {
            struct removal *removal = &batch.removal[count];
            *removal = (struct removal){
                .task = {.writes = true, .run = run_removal, .finish = finish_removal},
                .batch = &batch,
                .thing = list->things[from + (size_t)count],
                .data = data,
                .gone_weights = json_array(),
                .why = STAY_NOT};
        }
        run_batch(base, &batch, count);
        for (int k = 0; k < count; k++) {
            enum api_error error = settle(base, &batch.removal[k], gone);
            if (first == API_OK)
                first = error;
        }
    }
    pthread_cond_destroy(&batch.done);
    pthread_mutex_destroy(&batch.lock);
    return first;
}

static enum api_error remove_backups(const struct base *base, const struct kept_list *list,
                                     const atomic_bool *stop, struct kept_list gone[KEPT_KINDS])
{
    enum api_error first = API_OK;

    for (size_t k = 0; k < list->count && !atomic_load(stop); k++) {
        enum api_error error = API_OK;
        if (backup_remove(base->config->data, list->things[k].id))
            error = note(base, gone, KEPT_BACKUPS, &list->things[k]) ? API_OK : API_NO_MEMORY;
        else if (errno != ENOENT)
            error = API_STORAGE;
        if (first == API_OK)
            first = error;
    }
    return first;
}

enum api_error retention_remove(const struct base *base, const struct retention_plan *plan,
                                const atomic_bool *stop, struct kept_list gone[KEPT_KINDS])
{
    const enum api_error errors[KEPT_KINDS] = {
        [KEPT_JOBS] = remove_jobs(base, &plan->go[KEPT_JOBS], NULL, stop, gone),
        [KEPT_REPLAYS] = remove_jobs(base, &plan->go[KEPT_REPLAYS], base->config->data, stop, gone),
        [KEPT_BACKUPS] = remove_backups(base, &plan->go[KEPT_BACKUPS], stop, gone)};

    for (int kind = 0; kind < KEPT_KINDS; kind++)
        if (errors[kind] != API_OK)
            return errors[kind];
    return API_OK;
}
