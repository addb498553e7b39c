/* Callers cancel, pause, resume, kick and delete jobs. */
#include "service/routes/job_moving.h"
#include "service/routes/owner.h"
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/base/strict_json.h"
#include "service/base/config.h"
#include "service/base/log.h"
#include "service/jobs/job_events.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_removal.h"
#include "service/jobs/references.h"
#include "service/jobs/supervisor.h"
#include "service/routes/server.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"

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

void job_moved(struct server *server, int64_t id, enum job_wish wish, enum job_state state,
               bool has_tasks)
{
    if (wish == JOB_CANCEL || wish == JOB_PAUSE)
        supervisor_tell(server->supervisor, id, wish);
    if (state == JOB_CANCELLED && has_tasks) /* it had no lead, which would have seen to them */
        job_folder_drop_tasks(server->base.config->data, id);
    if (state == JOB_CANCELLED) /* it had no worker, which would have ended it */
        job_folder_end_process(server->base.config->data, id);
    supervisor_wake(server->supervisor);
    if (state != JOB_LEASED)
        job_events_tell(server->base.events, id, "state", job_state_json(id, state), true,
                        job_has_ended(state));
}

static void after_move(struct http_request *request)
{
    const struct moved *moved = request->state;

    if (moved->wish == JOB_CANCEL)
        log_line(LOG_INFO, "job", log_whole("job", moved->id), log_text("wanted", "cancelled"),
                 log_text("caller", request->caller),
                 log_text("reason", json_string_value(json_object_get(request->body, "reason"))));
    job_moved(request->server, moved->id, moved->wish, moved->state, true);
}

/* A buried job goes on only if what it names is still there: nothing keeps that for it. */
static enum api_error check_kick(struct http_request *request, int64_t id)
{
    const struct strict_place root = strict_root(NULL, &request->errors);
    struct strict_place spec = strict_member(&root, "spec");
    char sha256[65] = "";
    json_t *job;
    enum api_error error = weights_store_missing(request->store, id, sha256);

    if (error == API_OK && *sha256)
        return http_problem_about(request, API_STATE,
                                  "job %lld needs the weights %s, which no model has",
                                  (long long)id, sha256);
    if (error == API_OK)
        error = job_store_get(request->store, id, &job);
    if (error != API_OK)
        return error;
    const struct job_kind *kind = job_kind_find(json_string_value(json_object_get(job, "kind")));
    spec.value = json_object_get(job, "spec");
    error = references_check(request->store, request->server->base.config->data, kind, &spec);
    json_decref(job);
    if (error != API_OK || request->errors.count == 0)
        return error;
    const struct strict_error first = request->errors.error[0];
    request->errors.count = 0; /* it is the job's fault, not that of the request */
    return http_problem_about(request, API_STATE, "job %lld: %s: %s", (long long)id, first.pointer,
                              first.message);
}

/* Moves a job in the store and answers. */
static enum api_error move(struct http_request *request, enum job_wish wish, const char *reason)
{
    int64_t id = http_id(request);
    enum job_state state;

    enum api_error error = owner_check(request, id);
    if (error != API_OK)
        return error;
    error =
        job_store_ask(request->store, id, wish, reason, request->token, request->now_ms, &state);

    if (error != API_OK)
        return answer_unmoved(request, id, error);
    if (wish == JOB_KICK)
        error = check_kick(request, id);
    if (error == API_OK && wish == JOB_KICK)
        error = owner_check_room(request, 0);
    if (error != API_OK)
        return error;
    struct moved *moved = calloc(1, sizeof *moved);
    if (!moved)
        return API_NO_MEMORY;
    *moved = (struct moved){id, wish, state};
    request->state = moved;
    http_after_commit(request, after_move);
    json_t *answer = job_state_json(id, state);
    /* A running job moves when its worker lets go. */
    const char *wanted = state != JOB_LEASED  ? NULL
                         : wish == JOB_CANCEL ? job_state_name(JOB_CANCELLED)
                         : wish == JOB_PAUSE  ? job_state_name(JOB_PAUSED)
                                              : NULL;
    if (answer && wanted)
        build_add(answer, "wanted", json_string(wanted));
    return http_json(request, 202, answer);
}

void job_reason_read(const struct strict_place *root, const char **ret_reason)
{
    const struct strict_place place = strict_member(root, "reason");

    if (!strict_is_missing(&place))
        strict_text(&place, JOB_REASON_MAX, ret_reason);
}

/* POST /v1/jobs/{id}/cancel   {"reason"?}   →   202 {"id","state"} */
enum api_error route_job_cancel(struct http_request *request)
{
    static const char *const keys[] = {"reason", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const char *reason = NULL;

    if (request->body && strict_object(&root, keys))
        job_reason_read(&root, &reason);
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

/* POST /v1/jobs/{id}/kick   →   202 {"id","state"}; 409 also if weights that it plays with, or the
 * game that it judges, are gone: those of a buried job may be deleted. */
enum api_error route_job_kick(struct http_request *request)
{
    return move(request, JOB_KICK, NULL);
}

/* POST /v1/jobs/{id}/priority   {"priority"}   →   202 {"id","state","priority"} */
enum api_error route_job_priority(struct http_request *request)
{
    static const char *const keys[] = {"priority", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place place = strict_member(&root, "priority");
    int64_t id = http_id(request), priority;
    enum job_state state;

    if (!strict_object(&root, keys) ||
        !strict_whole(&place, -JOB_PRIORITY_MAX, JOB_PRIORITY_MAX, &priority) ||
        request->errors.count > 0)
        return API_BAD_FIELD;
    enum api_error error = owner_check(request, id);
    if (error != API_OK)
        return error;
    error = job_store_prioritise(request->store, id, (int)priority, request->token, request->now_ms,
                                 &state);
    if (error != API_OK)
        return answer_unmoved(request, id, error);
    return http_json(request, 202,
                     json_pack("{s:I, s:s, s:I}", "id", (json_int_t)id, "state",
                               job_state_name(state), "priority", (json_int_t)priority));
}

void job_removed(struct server *server, int64_t id, const json_t *gone_weights)
{
    job_remove_files(server->base.core, server->base.config->data, id, gone_weights);
    supervisor_wake(server->supervisor); /* a ladder may be waiting */
}

/* The body has the hashes of weights that no model needs any more. */
static void after_delete(struct http_request *request)
{
    job_removed(request->server, http_id(request), request->body);
    log_line(LOG_INFO, "job deleted", log_whole("job", http_id(request)),
             log_text("caller", request->caller));
}

/* DELETE /v1/jobs/{id} → 204; 409 while the job has not ended, or an unfinished job needs its
 * games, checkpoints or policies. Also deletes its models, except those in use. */
enum api_error route_job_delete(struct http_request *request)
{
    int64_t id = http_id(request);
    int64_t needed_by;

    enum api_error error = owner_check(request, id);
    if (error != API_OK)
        return error;
    request->body = json_array();
    if (!request->body)
        return API_NO_MEMORY;
    error = job_remove_rows(request->store, id, request->now_ms, request->body, &needed_by);
    if (error == API_STATE && needed_by)
        return http_problem_about(request, API_STATE,
                                  "job %lld has not ended and needs this one: its games, "
                                  "checkpoints or policies",
                                  (long long)needed_by);
    if (error != API_OK)
        return answer_unmoved(request, id, error);
    http_after_commit(request, after_delete);
    return http_no_content(request);
}
