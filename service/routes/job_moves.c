/* Callers cancel, pause, resume, kick and delete jobs. */
#include "service/jobs/job_folder.h"
#include "service/routes/routes.h"

#include "api/strict_json.h"
#include "service/base/config.h"
#include "service/base/log.h"
#include "service/jobs/job_events.h"
#include "service/jobs/supervisor.h"
#include "service/models/model_files.h"
#include "service/routes/server.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"
#include "service/store/runs.h"

#include <stdlib.h>

/* A moved job and its new state, for after the commit. */
struct moved {
    int64_t id;
    enum job_state state;
};

/* Answers why a job did not move; API_STATE names its state. */
static enum api_error answer_unmoved(struct http_request *request, struct store *store, int64_t id,
                                     enum api_error error)
{
    json_t *job;

    if (error != API_STATE || job_store_get(store, id, &job) != API_OK)
        return error;
    error = http_problem_about(request, API_STATE, "job %lld is %s", (long long)id,
                               json_string_value(json_object_get(job, "state")));
    json_decref(job);
    return error;
}

static enum api_error answer_moved(struct http_request *request, struct store *store, int64_t id,
                                   enum api_error error, enum job_state state,
                                   void (*then)(struct http_request *request))
{
    if (error != API_OK)
        return answer_unmoved(request, store, id, error);
    struct moved *moved = calloc(1, sizeof *moved);
    if (!moved)
        return API_NO_MEMORY;
    *moved = (struct moved){id, state};
    request->state = moved;
    http_after_commit(request, then);
    return http_json(request, 202, job_state_json(id, state));
}

/* Publishes the new state. A running job is still leased; it moves, and is published, when its
 * worker lets go. */
static void tell_moved(struct http_request *request)
{
    const struct moved *moved = request->state;

    if (moved->state != JOB_LEASED)
        job_events_tell(request->server->base.events, moved->id, "state",
                        job_state_json(moved->id, moved->state), true, job_has_ended(moved->state));
}

static void after_cancel(struct http_request *request)
{
    const struct moved *moved = request->state;

    log_line(LOG_INFO, "job", log_whole("job", moved->id), log_text("wanted", "cancelled"),
             log_text("caller", request->caller),
             log_text("reason", json_string_value(json_object_get(request->body, "reason"))));
    supervisor_cancel(request->server->supervisor, moved->id);
    tell_moved(request);
}

static void after_pause(struct http_request *request)
{
    const struct moved *moved = request->state;

    supervisor_pause(request->server->supervisor, moved->id);
    tell_moved(request);
}

/* The job is ready again. */
static void after_return(struct http_request *request)
{
    supervisor_wake(request->server->supervisor);
    tell_moved(request);
}

/* Moves a job in the store and answers; `then` runs after the commit. */
static enum api_error move(struct http_request *request, struct store *store, enum job_wish wish,
                           const char *reason, void (*then)(struct http_request *request))
{
    enum job_state state;
    int64_t id;
    enum api_error error = http_id(request, 0, &id);

    if (error != API_OK)
        return error;
    error = job_store_ask(store, id, wish, reason, request->now_ms, &state);
    return answer_moved(request, store, id, error, state, then);
}

/* POST /v1/jobs/{id}/cancel   {"reason"?}   →   202 {"id","state"} */
enum api_error route_job_cancel(struct http_request *request, struct store *store)
{
    static const char *const keys[] = {"reason", NULL};
    struct strict_errors errors = {.count = 0};
    const char *reason = NULL;

    if (request->body) {
        const struct strict_place root = strict_root(request->body, &errors);
        if (strict_object(&root, keys)) {
            const struct strict_place place = strict_member(&root, "reason");
            if (!strict_is_missing(&place))
                strict_text(&place, 500, &reason);
        }
        if (errors.count > 0)
            return http_fields(request, &errors);
    }
    return move(request, store, JOB_CANCEL, reason, after_cancel);
}

/* POST /v1/jobs/{id}/pause   →   202 {"id","state"} */
enum api_error route_job_pause(struct http_request *request, struct store *store)
{
    return move(request, store, JOB_PAUSE, NULL, after_pause);
}

/* POST /v1/jobs/{id}/resume   →   202 {"id","state"} */
enum api_error route_job_resume(struct http_request *request, struct store *store)
{
    return move(request, store, JOB_RESUME, NULL, after_return);
}

/* POST /v1/jobs/{id}/kick   →   202 {"id","state"}; 409 also if weights that it plays with are
 * gone: those of a buried job may be deleted. */
enum api_error route_job_kick(struct http_request *request, struct store *store)
{
    char sha256[65] = "";
    enum job_state state;
    int64_t id;
    enum api_error error = http_id(request, 0, &id);

    if (error != API_OK)
        return error;
    error = job_store_ask(store, id, JOB_KICK, NULL, request->now_ms, &state);
    if (error == API_OK)
        error = weights_store_missing(store, id, sha256);
    if (error == API_OK && *sha256)
        return http_problem_about(request, API_STATE,
                                  "job %lld needs the weights %s, which no model has",
                                  (long long)id, sha256);
    return answer_moved(request, store, id, error, state, after_return);
}

/* DELETE /v1/jobs/{id} → 204; 409 while the job has not ended, or an unfinished job starts from one
 * of its checkpoints. Also deletes its models, except those in use. */
enum api_error route_job_delete(struct http_request *request, struct store *store)
{
    json_t *weights = json_array(), *sha256;
    bool is_branched = false;
    int64_t id;
    size_t k;
    enum api_error error = http_id(request, 0, &id);

    if (error == API_OK && !weights)
        error = http_problem(request, API_NO_MEMORY, NULL);
    if (error != API_OK) {
        json_decref(weights);
        return error;
    }
    error = run_store_is_branched(store, id, &is_branched);
    if (error == API_OK && !is_branched)
        error = policy_store_forget(store, id, weights);
    if (error == API_OK && !is_branched)
        error = job_store_delete(store, id);
    if (is_branched) {
        error = http_problem(request, API_STATE,
                             "an unfinished job starts from a checkpoint of this one");
    } else if (error != API_OK) {
        error = answer_unmoved(request, store, id, error);
    } else {
        const struct base *base = &request->server->base;
        json_array_foreach(weights, k, sha256)
            model_file_remove(base->core, base->config->data, json_string_value(sha256));
        job_folder_remove(base->core, base->config->data, id);
        error = http_no_content(request);
    }
    json_decref(weights);
    return error;
}
