/* Moves many jobs in slices: transactions of a few milliseconds, each a task of the core between
 * the tasks of other requests. Nobody waits for the whole, and after a kill each job has moved or
 * has not. See bulk.h. */
#include "service/routes/bulk/bulk.h"

#include "api/base/clock.h"
#include "service/base/disk.h"
#include "service/base/log.h"
#include "service/jobs/job_removal.h"
#include "service/routes/job_moving.h"
#include "service/routes/routes.h"
#include "service/routes/server.h"
#include "service/store/job_needs.h"
#include "service/store/tasks.h"

#include <string.h>

#define SLICE_S 0.01 /* after that a transaction picks no more jobs */

/* ---- what is done to a job ---- */

static enum api_error cancel(struct bulk *bulk, struct store *store, int64_t id,
                             enum job_state *ret_state)
{
    return job_store_ask(store, id, JOB_CANCEL, bulk->reason, bulk->request->token,
                         bulk->request->now_ms, ret_state);
}

static enum api_error cancel_many(struct bulk *bulk, struct store *store, const int64_t *ids,
                                  int count, int64_t *ret_moved, int *ret_count)
{
    return job_store_ask_many(store, ids, count, JOB_CANCEL, bulk->reason, bulk->request->token,
                              bulk->request->now_ms, ret_moved, ret_count);
}

static void cancelled(struct bulk *bulk, const struct job_moved *job)
{
    job_moved(bulk->request->server, job->id, JOB_CANCEL, job->state, bulk->have_tasks);
}

static bool may_remove(struct store *store, int64_t id)
{
    bool is_needed = false;

    return job_needs_any(store, id, &is_needed) == API_OK && !is_needed;
}

static enum api_error remove_one(struct bulk *bulk, struct store *store, int64_t id,
                                 enum job_state *ret_state)
{
    int64_t needed_by;

    *ret_state = JOB_DONE; /* nobody asks */
    return job_remove_rows(store, id, bulk->request->now_ms, bulk->gone_weights, &needed_by);
}

static void removed(struct bulk *bulk, const struct job_moved *job)
{
    job_removed(bulk->request->server, job->id, bulk->gone_weights);
    json_array_clear(bulk->gone_weights); /* gone with the first job of the slice */
}

static enum api_error prioritise(struct bulk *bulk, struct store *store, int64_t id,
                                 enum job_state *ret_state)
{
    return job_store_prioritise(store, id, bulk->priority, bulk->request->token,
                                bulk->request->now_ms, ret_state);
}

static const enum job_state cancellable[] = {JOB_READY, JOB_PAUSED, JOB_BURIED, JOB_LEASED,
                                             JOB_STATES};
/* A job that is claimed or given back meanwhile is met again. */
static const enum job_state cancelling[] = {JOB_READY,  JOB_PAUSED, JOB_BURIED,
                                            JOB_LEASED, JOB_READY,  JOB_STATES};
static const enum job_state removable[] = {JOB_DONE, JOB_BURIED, JOB_CANCELLED, JOB_STATES};
static const enum job_state orderable[] = {JOB_READY, JOB_PAUSED, JOB_LEASED, JOB_BURIED,
                                           JOB_STATES};

/* ---- one transaction ---- */

static struct bulk *bulk_of(struct core_task *task)
{
    return (struct bulk *)((char *)task - offsetof(struct bulk, task));
}

/* Moves a job; one that cannot be moved is skipped. */
static enum api_error move_one(struct bulk *bulk, struct store *store, int64_t id)
{
    const struct bulk_verb *verb = bulk->verb;
    struct job_moved moved = {.id = id};
    enum api_error error = API_OK;

    if (!bulk->is_dry_run)
        error = verb->move(bulk, store, id, &moved.state);
    else if (verb->may_move && !verb->may_move(store, id))
        error = API_STATE;
    if (error == API_OK)
        bulk->moved[bulk->moved_count++] = moved;
    if (error == API_STATE)
        bulk->skipped++;
    return error == API_STATE ? API_OK : error;
}

static bool is_among(int64_t id, const int64_t *ids, int count)
{
    for (int k = 0; k < count; k++)
        if (ids[k] == id)
            return true;
    return false;
}

/* Moves the picked jobs: at once where that can be, else one by one. */
static enum api_error move_picked(struct bulk *bulk, struct store *store, const int64_t *ids,
                                  int count)
{
    const struct bulk_verb *verb = bulk->verb;
    int64_t moved[BULK_AT_ONCE];
    int moved_count = 0;
    enum api_error error = API_OK;

    if (verb->move_many && !bulk->is_dry_run && count > 1)
        error = verb->move_many(bulk, store, ids, count, moved, &moved_count);
    bool are_all = moved_count == count;
    for (int k = 0; k < count && error == API_OK; k++)
        if (are_all || is_among(ids[k], moved, moved_count))
            bulk->moved[bulk->moved_count++] =
                (struct job_moved){.id = ids[k], .state = verb->many_to};
        else
            error = move_one(bulk, store, ids[k]);
    return error;
}

/* Finds out at once whether any of the moved jobs has tasks: to look into each of 100,000 folders
 * takes half a second. */
static enum api_error look_for_tasks(struct bulk *bulk, struct store *store)
{
    int64_t first = INT64_MAX, last = 0;

    for (int k = 0; k < bulk->moved_count; k++) {
        first = bulk->moved[k].id < first ? bulk->moved[k].id : first;
        last = bulk->moved[k].id > last ? bulk->moved[k].id : last;
    }
    return task_store_any(store, first, last, &bulk->have_tasks);
}

static enum api_error run_slice(struct core_task *task, struct store *store)
{
    struct bulk *bulk = bulk_of(task);
    const struct bulk_verb *verb = bulk->verb;
    const enum job_state *passes = verb->passes && !bulk->is_dry_run ? verb->passes : verb->states;
    const int room = sizeof bulk->moved / sizeof bulk->moved[0];
    double until_s = clock_now_s() + SLICE_S;
    int64_t ids[BULK_AT_ONCE];
    enum api_error error = bulk->last ? API_OK : job_store_newest(store, &bulk->last);

    bulk->moved_count = 0;
    bulk->request->now_ms = core_now_ms(bulk->request->server->base.core);
    while (error == API_OK && !bulk->place.is_over && bulk->moved_count + BULK_AT_ONCE <= room &&
           clock_now_s() < until_s) {
        int count = 0;
        error = job_store_pick(store, &bulk->choice, passes, bulk->last, BULK_AT_ONCE, &bulk->place,
                               ids, &count, &bulk->skipped);
        if (error == API_OK)
            error = move_picked(bulk, store, ids, count);
    }
    return error == API_OK ? look_for_tasks(bulk, store) : error;
}

/* ---- the answer ---- */

static void answer(struct bulk *bulk, const char *why_not_complete)
{
    struct http_request *request = bulk->request;
    json_t *ids = json_array();

    for (int64_t k = 0; k < bulk->count && k < BULK_SHOWN_MAX; k++)
        json_array_append_new(ids, json_integer(bulk->shown[k]));
    if (!bulk->is_dry_run)
        log_line(LOG_INFO, "jobs", log_text("wanted", bulk->verb->name),
                 log_whole("count", bulk->count), log_text("caller", request->caller),
                 log_text("reason", bulk->reason));
    http_json(request, 200,
              json_pack("{s:b, s:I, s:I, s:o, s:b, s:s?}", "dry_run", bulk->is_dry_run, "count",
                        (json_int_t)bulk->count, "skipped", (json_int_t)bulk->skipped, "ids", ids,
                        "complete", why_not_complete == NULL, "why", why_not_complete));
}

static void end(struct bulk *bulk, enum api_error error, const char *why_not_complete)
{
    if (error != API_OK && bulk->count == 0)
        http_problem(bulk->request, error, NULL);
    else
        answer(bulk, why_not_complete);
    json_decref(bulk->gone_weights);
    bulk->gone_weights = NULL;
    http_release(bulk->request); /* may free the bulk */
}

/* Counts the jobs of a slice, tells who has to know, and forgets them. */
static void take_slice(struct bulk *bulk)
{
    for (int k = 0; k < bulk->moved_count; k++) {
        const struct job_moved *job = &bulk->moved[k];
        if (bulk->count < BULK_SHOWN_MAX)
            bulk->shown[bulk->count] = job->id;
        bulk->count++;
        if (!bulk->is_dry_run && bulk->verb->moved)
            bulk->verb->moved(bulk, job);
    }
    bulk->moved_count = 0;
}

static void finish_slice(struct core_task *task, enum api_error result)
{
    struct bulk *bulk = bulk_of(task);

    if (result != API_OK) { /* the slice was undone */
        bulk->skipped = bulk->skipped_before;
        end(bulk, result, api_error_title(result));
        return;
    }
    take_slice(bulk);
    bulk->skipped_before = bulk->skipped;
    if (bulk->place.is_over)
        end(bulk, API_OK, NULL);
    else if (bulk->hung_up)
        end(bulk, API_OK, "the client hung up");
    else if (atomic_load(&bulk->request->server->draining))
        end(bulk, API_OK, api_error_title(API_DRAINING));
    else
        core_submit_own(bulk->request->server->base.core, &bulk->task);
}

static void on_hung_up(struct http_request *request, void *context)
{
    struct bulk *bulk = context;

    (void)request;
    bulk->hung_up = true; /* the slice on its way is the last */
}

/* ---- routes ---- */

/* POST /v1/jobs/cancel, delete, priority   {"ids"?,"state"?,"kind"?,"owner"?,
 * "submitted_after"?,"submitted_before"?,"all"?,"dry_run"?,"reason"? | "priority"}   →   200
 * {"dry_run","count","skipped","ids":[first 100],"complete","why"} */
enum api_error route_jobs_move(struct http_request *request)
{
    struct bulk *bulk = request->state;
    const struct disk *disk = request->server->base.disk;

    if (disk_is_lost(disk))
        return http_problem(request, API_STORAGE, "the database was removed from the data folder");
    if (disk_is_full(disk) && bulk->verb->needs_room)
        return http_problem(request, API_STORAGE,
                            "the disk is full; until there is room, jobs can be cancelled, paused "
                            "and deleted");
    bulk->gone_weights = json_array();
    if (!bulk->gone_weights)
        return API_NO_MEMORY;
    enum api_error error = http_hold(request, on_hung_up, bulk);
    if (error != API_OK) {
        json_decref(bulk->gone_weights);
        return error;
    }
    bulk->task = (struct core_task){.writes = true, .run = run_slice, .finish = finish_slice};
    core_submit_own(request->server->base.core, &bulk->task);
    return API_OK;
}

enum api_error check_jobs_cancel(struct http_request *request)
{
    static const struct bulk_verb verb = {.name = "cancelled",
                                          .states = cancellable,
                                          .passes = cancelling,
                                          .takes_reason = true,
                                          .move = cancel,
                                          .move_many = cancel_many,
                                          .many_to = JOB_CANCELLED,
                                          .moved = cancelled};
    return bulk_read(request, &verb);
}

enum api_error check_jobs_delete(struct http_request *request)
{
    static const struct bulk_verb verb = {.name = "deleted",
                                          .states = removable,
                                          .move = remove_one,
                                          .may_move = may_remove,
                                          .moved = removed};
    return bulk_read(request, &verb);
}

enum api_error check_jobs_priority(struct http_request *request)
{
    static const struct bulk_verb verb = {.name = "prioritised",
                                          .states = orderable,
                                          .takes_priority = true,
                                          .needs_room = true,
                                          .move = prioritise};
    return bulk_read(request, &verb);
}
