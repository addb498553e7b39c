/* Callers cancel, pause, resume, kick and delete jobs. */
#include "service/jobs/job_folder.h"
#include "service/routes/routes.h"

#include "api/strict_json.h"
#include "service/base/config.h"
#include "service/base/log.h"
#include "service/jobs/job_events.h"
#include "service/jobs/notes.h"
#include "service/jobs/supervisor.h"
#include "service/models/model_files.h"
#include "service/routes/server.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"
#include "service/store/runs.h"

#include <stdlib.h>

/* Result of a request, for the events after the commit. */
struct moved {
    int64_t id;
    enum job_wish wish;
    enum job_state state;
};

/* Answers why a job did not move; API_STATE names its state. */
static enum api_error answer_unmoved(struct http_request *request, int64_t id, enum api_error error)
{
    json_t *job;

    if (error != API_STATE || job_store_get(request->store, id, &job) != API_OK)
        return error;
    error = http_problem_about(request, API_STATE, "job %lld is %s", (long long)id,
                               json_string_value(json_object_get(job, "state")));
    json_decref(job);
    return error;
}

/* Tells the worker, and publishes the new state. A running job is still leased; it moves, and is
 * published, when its worker lets go. */
static void after_move(struct http_request *request)
{
    const struct moved *moved = request->state;

    if (moved->wish == JOB_CANCEL)
        log_line(LOG_INFO, "job", log_whole("job", moved->id), log_text("wanted", "cancelled"),
                 log_text("caller", request->caller),
                 log_text("reason", json_string_value(json_object_get(request->body, "reason"))));
    if (moved->wish == JOB_CANCEL || moved->wish == JOB_PAUSE)
        supervisor_tell(request->server->supervisor, moved->id, moved->wish);
    else
        supervisor_wake(request->server->supervisor);
    if (moved->state != JOB_LEASED)
        job_events_tell(request->server->base.events, moved->id, "state",
                        job_state_json(moved->id, moved->state), true, job_has_ended(moved->state));
}

/* Moves a job in the store and answers. */
static enum api_error move(struct http_request *request, enum job_wish wish, const char *reason)
{
    int64_t id = http_id(request);
    char sha256[65] = "";
    enum job_state state;
    enum api_error error = job_store_ask(request->store, id, wish, reason, request->now_ms, &state);

    if (error != API_OK)
        return answer_unmoved(request, id, error);
    if (wish == JOB_KICK)
        error = weights_store_missing(request->store, id, sha256);
    if (error != API_OK)
        return error;
    if (*sha256)
        return http_problem_about(request, API_STATE,
                                  "job %lld needs the weights %s, which no model has",
                                  (long long)id, sha256);
    struct moved *moved = calloc(1, sizeof *moved);
    if (!moved)
        return API_NO_MEMORY;
    *moved = (struct moved){id, wish, state};
    request->state = moved;
    http_after_commit(request, after_move);
    return http_json(request, 202, job_state_json(id, state));
}

/* POST /v1/jobs/{id}/cancel   {"reason"?}   →   202 {"id","state"} */
enum api_error route_job_cancel(struct http_request *request)
{
    static const char *const keys[] = {"reason", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place place = strict_member(&root, "reason");
    const char *reason = NULL;

    if (request->body && strict_object(&root, keys) && !strict_is_missing(&place))
        strict_text(&place, 500, &reason);
    if (request->errors.count > 0)
        return API_BAD_FIELD;
    return move(request, JOB_CANCEL, reason);
}

/* POST /v1/jobs/{id}/pause   →   202 {"id","state"} */
enum api_error route_job_pause(struct http_request *request)
{
    return move(request, JOB_PAUSE, NULL);
}

/* POST /v1/jobs/{id}/resume   →   202 {"id","state"} */
enum api_error route_job_resume(struct http_request *request)
{
    return move(request, JOB_RESUME, NULL);
}

/* POST /v1/jobs/{id}/kick   →   202 {"id","state"}; 409 also if weights that it plays with are
 * gone: those of a buried job may be deleted. */
enum api_error route_job_kick(struct http_request *request)
{
    return move(request, JOB_KICK, NULL);
}

/* Deletes the job's files, and weights that no model needs any more: their hashes are the body. */
static void after_delete(struct http_request *request)
{
    const struct base *base = &request->server->base;
    const json_t *sha256;
    size_t k;

    json_array_foreach(request->body, k, sha256)
        model_file_remove(base->core, base->config->data, json_string_value(sha256));
    job_folder_remove(base->config->data, http_id(request));
    supervisor_wake(request->server->supervisor); /* a ladder may be waiting */
}

/* DELETE /v1/jobs/{id} → 204; 409 while the job has not ended, or an unfinished job starts from one
 * of its checkpoints. Also deletes its models, except those in use. */
enum api_error route_job_delete(struct http_request *request)
{
    int64_t id = http_id(request);
    bool is_branched = false;
    json_t *job = NULL;
    enum api_error error = job_store_get(request->store, id, &job);

    if (error == API_OK)
        error = run_store_is_branched(request->store, id, &is_branched);

    if (is_branched)
        json_decref(job);
    if (error == API_OK && is_branched)
        return http_problem(request, API_STATE,
                            "an unfinished job starts from a checkpoint of this one");
    request->body = json_array();
    if (!request->body)
        error = API_NO_MEMORY;
    if (error == API_OK)
        error = policy_store_forget(request->store, id, request->body);
    if (error == API_OK)
        error = job_store_delete(request->store, id);
    if (error == API_OK)
        error = notes_deleted(request->store, json_string_value(json_object_get(job, "kind")),
                              json_object_get(job, "spec"), request->now_ms);
    json_decref(job);
    if (error != API_OK)
        return answer_unmoved(request, id, error);
    http_after_commit(request, after_delete);
    return http_no_content(request);
}
