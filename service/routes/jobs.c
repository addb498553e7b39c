/* Callers add jobs and watch them. service/jobs/supervisor.h runs them. */
#include "service/routes/adding.h"
#include "service/routes/branch.h"
#include "service/routes/owner.h"
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/time_text.h"
#include "api/jobs/job_json.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/events.h"
#include "service/base/metrics.h"
#include "service/jobs/estimates.h"
#include "service/jobs/job_events.h"
#include "service/jobs/job_line.h"
#include "service/jobs/references.h"
#include "service/jobs/supervisor.h"
#include "service/jobs/trial.h"
#include "service/models/players.h"
#include "service/placement/slurm.h"
#include "service/routes/server.h"
#include "service/store/job_after.h"
#include "service/store/job_needs.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"
#include "service/store/runs.h"
#include "service/store/tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- showing ---- */

static int64_t time_of(const json_t *job, const char *member)
{
    const char *text = json_string_value(json_object_get(job, member));
    int64_t ms;

    return text && time_read(text, &ms) ? ms : 0;
}

static enum job_state state_of(const json_t *job)
{
    enum job_state state = JOB_READY;

    (void)job_state_read(json_string_value(json_object_get(job, "state")), &state);
    return state;
}

/* "job 7 has not ended", "jobs 7, 8 and 3 others have not ended" */
static json_t *explain_after(const json_t *waiting_for)
{
    enum { NAMED = 8 };
    size_t count = json_array_size(waiting_for);
    char ids[NAMED * 24] = "", others[48] = "";

    for (size_t k = 0, used = 0; k < count && k < NAMED; k++)
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s %lld", k > 0 ? "," : "",
                                 (long long)json_integer_value(json_array_get(waiting_for, k)));
    if (count > NAMED)
        snprintf(others, sizeof others, " and %zu others", count - NAMED);
    return json_sprintf("job%s%s%s %s not ended", count > 1 ? "s" : "", ids, others,
                        count > 1 ? "have" : "has");
}

/* The cores that a job with this spec occupies; the store counts the same. */
static int64_t cores_of(const json_t *spec)
{
    int64_t threads = json_integer_value(json_object_get(spec, "threads"));

    return threads > 0 ? threads : 1;
}

/* NULL: its owner has cores for it, or memory is short. */
static json_t *explain_cores(const struct http_request *request, const json_t *job)
{
    const char *owner = json_string_value(json_object_get(job, "owner"));

    return owner ? owner_explain(request, owner, cores_of(json_object_get(job, "spec"))) : NULL;
}

/* Appends what Slurm says of pilots that wait; takes the text, and returns it or the longer one. */
static json_t *add_placement(const struct http_request *request, json_t *why)
{
    json_t *slurm = why ? slurm_explain(request->server->slurm) : NULL;
    json_t *both =
        slurm ? json_sprintf("%s; %s", json_string_value(why), json_string_value(slurm)) : NULL;

    json_decref(slurm);
    if (!both)
        return why;
    json_decref(why);
    return both;
}

/* Adds "waiting_because" to a running job some of whose tasks nobody does yet. */
static enum api_error explain_tasks(struct http_request *request, int64_t id, json_t *job)
{
    int64_t waiting = 0;
    enum api_error error = task_store_waiting(request->store, id, &waiting);

    if (error != API_OK || waiting == 0)
        return error;
    json_t *why = json_sprintf("%lld of its parts wait for a worker", (long long)waiting);
    return build_add(job, "waiting_because", add_placement(request, why)) ? API_OK : API_NO_MEMORY;
}

/* Adds "position" and "waiting_because" to a ready job. */
static enum api_error explain(struct http_request *request, int64_t id, json_t *job)
{
    int64_t position;

    if (state_of(job) == JOB_LEASED)
        return explain_tasks(request, id, job);
    if (state_of(job) != JOB_READY)
        return API_OK;
    enum api_error error = job_store_position(request->store, id, &position);
    if (error == API_STATE)
        return API_OK; /* a worker has claimed it since it was read */
    if (error != API_OK)
        return error;
    const json_t *waiting_for = json_object_get(job, "waiting_for");
    json_t *why =
        json_array_size(waiting_for) > 0 ? explain_after(waiting_for) : explain_cores(request, job);
    if (!why)
        why = supervisor_explain(request->server->supervisor,
                                 job_kind_find(json_string_value(json_object_get(job, "kind"))),
                                 time_of(job, "run_at"), request->now_ms, position);
    why = add_placement(request, why);
    bool good = build_add(job, "position", json_integer(position));
    return build_add(job, "waiting_because", why) && good ? API_OK : API_NO_MEMORY;
}

static enum api_error get_job(struct http_request *request, int64_t id, json_t **ret_job)
{
    json_t *job = NULL;
    enum api_error error = job_store_get(request->store, id, &job);

    if (error == API_OK)
        error = explain(request, id, job);
    if (error == API_OK)
        *ret_job = job;
    else
        json_decref(job);
    return error;
}

/* End of the caller's wait, on CLOCK_MONOTONIC. */
static double wait_until_s(const struct http_request *request)
{
    return request->arrived_s + http_prefer_wait_s(request);
}

/* ---- adding ---- */

static bool read_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    const struct http_request *request = context;
    const json_t *after = json_object_get(request->body, "after");
    json_t *before = NULL;
    enum api_error error = after ? job_store_before(request->store, after, &before) : API_OK;

    if (error != API_OK) {
        snprintf(ret_error, PLAYER_ERROR_MAX, "%s", api_error_title(error));
        return false;
    }
    error = players_resolve_after(request->server->players, request->store, before, text,
                                  PLAYER_SPEC_MAX, ret_spec, ret_error, PLAYER_ERROR_MAX);
    json_decref(before);
    return error == API_OK;
}

/* A request for a job on its way to an answer. */
struct adding {
    struct job_request job;
    int64_t id;        /* once it is added */
    int64_t repeat_of; /* 0: none */
    int64_t estimate;  /* number of the estimate that the caller waits for */
    char spec[]; /* resolved spec of a dry run, as JSON; the body is gone when the route answers
                    again */
};

/* Whether the caller may add this kind. The route requires "train"; a kind may require another
 * scope, too. */
static bool may_ask(const struct http_request *request, const struct job_kind *kind)
{
    unsigned scopes;

    return config_scopes_read(kind->scope, &scopes) && (request->scopes & scopes) != 0;
}

/* Asks the kind's own program; policies that are still to be learned it cannot know. */
static enum api_error try_spec(struct http_request *request, const struct job_request *job)
{
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place spec = strict_member(&root, "spec");

    if (!job->kind->asks_worker || job->after_count > 0)
        return API_OK;
    enum api_error error =
        trial_run(request->server->base.config, request->store, job->kind, &spec);
    return error == API_OK && request->errors.count > 0 ? API_BAD_FIELD : error;
}

/* Reads the body, which may be made of an earlier job, into request->state. */
static enum api_error read_request(struct http_request *request, struct adding *adding)
{
    char path[CHILD_PATH_MAX];
    struct job_request *job = &adding->job;
    enum api_error error = branch_fill(request->store, json_object_get(request->body, "spec"));

    if (error == API_OK)
        error = job_request_read(request->body, read_player, request, job, &request->errors);
    if (error != API_OK)
        return error;
    if (!may_ask(request, job->kind)) {
        json_decref(job->spec);
        return http_problem_about(request, API_FORBIDDEN, "jobs of this kind need the scope %s",
                                  job->kind->scope);
    }
    /* The body owns the spec, which is freed with the request. */
    if (json_object_set_new(request->body, "spec", job->spec) != 0)
        return API_NO_MEMORY;
    if (!child_program(request->server->base.config->programs, job->kind->program, path))
        return http_problem(request, API_NOT_BUILT_IN, job->kind->name);
    return try_spec(request, job);
}

/* POST /v1/jobs   {"kind","spec","priority"?,"delay_s"?,"max_attempts"?,"cores"?,"dry_run"?,
 * "after"?,"after_failure"?}   →   202
 * {"id","kind","state","position","runs":[…],"spec":{resolved},"estimate_s"}. dry_run: 200, and
 * nothing is kept; some seconds of a job are done for its estimate, unless "Prefer: wait=0".
 * Without dry_run, "Prefer: wait=N" answers 200 and the job as soon as it has ended, or 202 and the
 * job after N seconds. The resolved spec replaces the one in the body. */
enum api_error check_job(struct http_request *request)
{
    struct adding *adding = calloc(1, sizeof *adding);

    request->state = adding;
    return adding ? read_request(request, adding) : API_NO_MEMORY;
}

/* Whether the body of a repetition has only known members and, if it has a spec, an object. */
static bool check_repeat_body(struct http_request *request)
{
    static const char *const keys[] = {"spec",         "priority",      "delay_s",
                                       "max_attempts", "cores",         "dry_run",
                                       "after",        "after_failure", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place spec = strict_member(&root, "spec");

    if (!request->body)
        return true;
    return strict_object(&root, keys) && (strict_is_missing(&spec) || strict_object(&spec, NULL)) &&
           request->errors.count == 0;
}

/* Makes the body of a new job from that of an earlier one and the members that replace some. A null
 * in the spec takes a member away, for its default. */
static json_t *repeat_body(const struct job_kind *kind, const json_t *job, json_t *given)
{
    static const char *const kept[] = {"kind", "priority", "max_attempts", "cores"};
    json_t *body = json_object(), *spec = json_copy(json_object_get(job, "spec")), *value;
    const char *key;
    bool good = spec != NULL && fields_fill_before(spec, kind->fields);

    json_object_foreach(json_object_get(given, "spec"), key, value)
    {
        if (json_is_null(value))
            json_object_del(spec, key);
        else
            good = json_object_set(spec, key, value) == 0 && good;
    }
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++)
        if (!json_is_null(json_object_get(job, kept[k])))
            good = build_add(body, kept[k], json_incref(json_object_get(job, kept[k]))) && good;
    good = (!given || json_object_update(body, given) == 0) && good;
    good = build_add(body, "spec", spec) && good;
    return build_done(body, good);
}

/* POST /v1/jobs/{id}/repeat   {"spec"?,"priority"?,…}   →   as POST /v1/jobs, with "repeat_of". The
 * members of the spec replace those of the job. */
enum api_error check_job_repeat(struct http_request *request)
{
    struct adding *adding = calloc(1, sizeof *adding);
    json_t *job;

    request->state = adding;
    if (!adding)
        return API_NO_MEMORY;
    if (!check_repeat_body(request))
        return API_BAD_FIELD;
    adding->repeat_of = http_id(request);
    enum api_error error = job_store_get(request->store, adding->repeat_of, &job);
    if (error != API_OK)
        return error;
    const struct job_kind *kind = job_kind_find(json_string_value(json_object_get(job, "kind")));
    if (!kind || kind->is_internal) {
        json_decref(job);
        return http_problem(request, API_STATE, "only the service adds jobs of this kind");
    }
    json_t *body = repeat_body(kind, job, request->body);
    json_decref(job);
    if (!body)
        return API_NO_MEMORY;
    json_decref(request->body);
    request->body = body;
    return read_request(request, adding);
}

static enum api_error add_run(struct http_request *request, const json_t *seed, const char *spec,
                              int64_t job, json_t *runs)
{
    char id[RUN_ID_MAX];
    const struct run_new run = {.job = job,
                                .seed = json_integer_value(seed),
                                .spec = spec,
                                .versions = "{\"rinkd\":\"" RINKD_VERSION "\"}"};
    enum api_error error = run_store_add(request->store, &run, request->now_ms, id);

    if (error == API_OK && json_array_append_new(runs, json_string(id)) != 0)
        error = API_NO_MEMORY;
    return error;
}

static enum api_error add_runs(struct http_request *request, const struct job_request *job,
                               const char *spec, int64_t id, json_t *runs)
{
    const json_t *seeds = json_object_get(job->spec, "seeds"), *seed;
    enum api_error error = API_OK;
    size_t k;

    if (job->kind->runs == JOB_RUNS_ONE)
        return add_run(request, json_object_get(job->spec, "seed"), spec, id, runs);
    if (job->kind->runs == JOB_RUNS_EACH_SEED)
        json_array_foreach(seeds, k, seed)
        {
            if (error == API_OK)
                error = add_run(request, seed, spec, id, runs);
        }
    return error;
}

/* Notes that the job plays with all weights whose hashes are in its spec. */
static enum api_error use_weights(struct store *store, const char *spec, int64_t id)
{
    enum api_error error = API_OK;
    char sha256[65];

    for (const char *at = spec; error == API_OK && (at = players_next_weights(at, sha256)) != NULL;)
        error = weights_store_use(store, id, sha256);
    return error;
}

static enum api_error add_job(struct http_request *request, const struct job_request *job,
                              const char *spec, json_t *runs, int64_t *ret_id,
                              int64_t *ret_position)
{
    const struct adding *adding = request->state;
    const struct job_new row = {.kind = job->kind->name,
                                .spec = spec,
                                .priority = job->priority,
                                .run_at_ms = request->now_ms + job->delay_ms,
                                .max_attempts = job->max_attempts,
                                .tasks_cores = job->cores,
                                .after = job->after,
                                .after_count = job->after_count,
                                .if_failed = job->if_failed,
                                .repeat_of = adding->repeat_of,
                                .owner = request->token};
    enum api_error error = job_store_add(request->store, &row, request->now_ms, ret_id);

    if (error == API_OK)
        error = owner_check_room(request, cores_of(job->spec));
    if (error == API_OK)
        error = add_runs(request, job, spec, *ret_id, runs);
    if (error == API_OK)
        error = use_weights(request->store, spec, *ret_id);
    if (error == API_OK)
        error = job_needs_note(request->store, *ret_id, row.kind, job->spec);
    if (error == API_OK)
        error = job_store_position(request->store, *ret_id, ret_position);
    return error;
}

/* Answers a POST that waits, with the job, once it has ended or the time is over. */
static enum api_error route_job_added(struct http_request *request)
{
    const struct adding *adding = request->state;
    json_t *job;
    enum api_error error = get_job(request, adding->id, &job);

    if (error != API_OK)
        return error;
    bool ended = job_has_ended(state_of(job));
    if (!ended &&
        http_wait(request, job_topic(adding->id).text, wait_until_s(request), route_job_added)) {
        json_decref(job);
        return API_OK;
    }
    answer_location(request, "jobs/%lld", (long long)adding->id);
    return http_json(request, ended ? 200 : 202, job);
}

static void after_adding(struct http_request *request)
{
    const struct adding *adding = request->state;

    metrics_count(request->server->base.metrics, METRIC_JOBS_ADDED, 1);
    supervisor_wake(request->server->supervisor);
    /* Nobody can listen to the new job's own topic yet. */
    events_publish(request->server->base.events, "jobs", "state",
                   job_state_json(adding->id, JOB_READY), false);
}

/* ---- a dry run ---- */

static enum api_error answer_dry_run(struct http_request *request, const struct estimate *estimate)
{
    const struct adding *adding = request->state;

    return http_json(
        request, 200,
        json_pack("{s:s, s:o, s:o, s:s}", "kind", adding->job.kind->name, "spec",
                  load_json_text(adding->spec), "estimate_s",
                  isnan(estimate->seconds) ? json_null() : json_real(estimate->seconds),
                  "estimate_basis", estimate->basis));
}

/* End of the caller's wait for a trial, who waits unless he says that he does not. */
static double trial_until_s(const struct http_request *request)
{
    return request->arrived_s +
           (http_header(request, "Prefer") ? http_prefer_wait_s(request) : ESTIMATE_WAIT_S);
}

/* The worker of a review gets the record of the game that the spec names. */
static void begin_estimate(struct http_request *request)
{
    const struct adding *adding = request->state;
    json_t *spec = load_json_text(adding->spec);
    char *full = NULL;

    if (job_line_fill_record(request->store, request->server->base.config->data, adding->job.kind,
                             spec) == API_OK)
        full = json_dumps(spec, JSON_COMPACT);
    estimate_begin(request->server->estimates, adding->estimate, adding->job.kind,
                   full ? full : adding->spec, trial_until_s(request));
    free(full);
    json_decref(spec);
}

/* Answers a caller that waits for the estimate of a trial. */
static enum api_error route_job_estimated(struct http_request *request)
{
    const struct adding *adding = request->state;
    struct estimate estimate;

    if (!estimate_ended(request->server->estimates, adding->estimate, &estimate) &&
        http_wait(request, estimate_topic(adding->estimate).text, trial_until_s(request),
                  route_job_estimated))
        return API_OK;
    return answer_dry_run(request, &estimate);
}

/* Returns what is known of the seconds without a trial. */
static struct estimate bound_of(const struct job_request *job, bool waits)
{
    struct estimate bound = {.seconds = job_estimate_s(job->kind, job->spec)};

    snprintf(bound.basis, sizeof bound.basis, "%s",
             !isnan(bound.seconds)               ? job->kind->bound
             : job->kind->trial == JOB_NOT_TRIED ? job->kind->no_estimate
             : waits                             ? "it cannot be tried out now"
                     : "it was not tried out, as the caller does not wait");
    return bound;
}

/* A job whose time nothing bounds is tried out. */
static enum api_error dry_run(struct http_request *request)
{
    struct adding *adding = request->state;
    const bool waits = trial_until_s(request) > request->arrived_s;
    const struct estimate bound = bound_of(&adding->job, waits);
    bool tries = isnan(bound.seconds) && adding->job.kind->trial != JOB_NOT_TRIED && waits;
    char *spec = json_dumps(adding->job.spec, JSON_COMPACT);
    size_t size = spec ? strlen(spec) + 1 : 0;
    struct adding *larger = spec ? realloc(adding, sizeof *larger + size) : NULL;

    if (!larger) {
        free(spec);
        return API_NO_MEMORY;
    }
    memcpy(larger->spec, spec, size);
    free(spec);
    request->state = larger;
    if (tries) {
        larger->estimate = estimate_number(request->server->estimates);
        if (http_wait(request, estimate_topic(larger->estimate).text, trial_until_s(request),
                      route_job_estimated))
            http_after_commit(request, begin_estimate);
    }
    return answer_dry_run(request, &bound);
}

/* Refuses each job in "after" that does not exist. */
static enum api_error check_after(struct http_request *request)
{
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place after = strict_member(&root, "after");
    const struct job_request *job = &((const struct adding *)request->state)->job;
    enum api_error error = API_OK;

    for (int k = 0; k < job->after_count && error == API_OK; k++) {
        const struct strict_place place = strict_element(&after, (size_t)k);
        bool exists = false;
        error = job_store_exists(request->store, job->after[k], &exists);
        if (error == API_OK && !exists)
            strict_refuse(&place, "value", "there is no job %lld", (long long)job->after[k]);
    }
    return error;
}

/* Checks in the transaction that everything the spec names still exists; see branch_check(). */
static enum api_error check_again(struct http_request *request)
{
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place spec = strict_member(&root, "spec");
    json_t *before = NULL;
    enum api_error error =
        job_store_before(request->store, json_object_get(request->body, "after"), &before);

    if (error == API_OK)
        error = branch_check(request->store, spec.value, before, &request->errors);
    json_decref(before);
    if (error == API_OK)
        error = check_after(request);
    if (error == API_OK)
        error = references_check(request->store, request->server->base.config->data,
                                 ((const struct adding *)request->state)->job.kind, &spec);
    if (error == API_OK)
        error = players_check_weights(request->store, &spec);
    return error == API_OK && request->errors.count > 0 ? API_BAD_FIELD : error;
}

/* Adds the job that was checked; *ret_runs is the caller's on success. */
static enum api_error add_checked(struct http_request *request, json_t **ret_runs,
                                  int64_t *ret_position)
{
    struct adding *adding = request->state;
    const struct job_request *job = &adding->job;
    json_t *runs = json_array();
    char *spec = json_dumps(job->spec, JSON_COMPACT);
    enum api_error error =
        runs && spec ? add_job(request, job, spec, runs, &adding->id, ret_position) : API_NO_MEMORY;

    free(spec);
    if (error != API_OK) {
        json_decref(runs);
        return error;
    }
    http_after_commit(request, after_adding);
    *ret_runs = runs;
    return API_OK;
}

enum api_error add_checked_job(struct http_request *request, int64_t *ret_id)
{
    int64_t position;
    json_t *runs;
    enum api_error error = check_again(request);

    if (error == API_OK)
        error = add_checked(request, &runs, &position);
    if (error != API_OK)
        return error;
    json_decref(runs);
    *ret_id = ((const struct adding *)request->state)->id;
    return API_OK;
}

enum api_error route_job_add(struct http_request *request)
{
    struct adding *adding = request->state;
    const struct job_request *job = &adding->job;
    int64_t position;
    json_t *runs;
    enum api_error error = check_again(request);
    if (error != API_OK)
        return error;
    if (job->dry_run)
        return dry_run(request);
    error = add_checked(request, &runs, &position);
    if (error != API_OK)
        return error;
    double estimate_s = job_estimate_s(job->kind, job->spec);
    json_t *estimate = isnan(estimate_s) ? json_null() : json_real(estimate_s);
    const int64_t id = adding->id;
    answer_location(request, "jobs/%lld", (long long)id);
    http_wait(request, job_topic(id).text, wait_until_s(request), route_job_added);
    return http_json(request, 202,
                     json_pack("{s:I, s:s, s:s, s:I, s:o, s:O, s:o, s:o}", "id", (json_int_t)id,
                               "kind", job->kind->name, "state", job_state_name(JOB_READY),
                               "position", (json_int_t)position, "runs", runs, "spec", job->spec,
                               "estimate_s", estimate, "repeat_of",
                               adding->repeat_of ? json_integer(adding->repeat_of) : json_null()));
}

/* ---- looking ---- */

/* GET /v1/jobs   ?kind&state&owner&limit&cursor&fields   →   200 {"items":[…],"next_cursor"}.
 * Internal kinds appear only if `kind` names them. */
enum api_error route_jobs(struct http_request *request)
{
    struct job_filter filter = {.kind = http_parameter(request, "kind"),
                                .owner = http_parameter(request, "owner")};
    const char *state = http_parameter(request, "state");

    filter.has_state = state != NULL;
    if (filter.kind && !job_kind_find(filter.kind))
        return http_problem_about(request, API_BAD_PARAMETER, "kind: no such kind: %s",
                                  filter.kind);
    if (state && !job_state_read(state, &filter.state))
        return http_problem_about(request, API_BAD_PARAMETER, "state: no such state: %s", state);
    if (filter.owner && strlen(filter.owner) >= JOB_OWNER_MAX)
        return http_problem_about(request, API_BAD_PARAMETER, "owner: has more than %d bytes",
                                  JOB_OWNER_MAX - 1);
    return answer_list(request, job_store_list(request->store, &filter, &request->page));
}

/* Adds "history" if the caller wants it. */
static enum api_error add_history(const struct http_request *request, int64_t id, json_t *job)
{
    const char *wanted = http_parameter(request, "history");
    json_t *events;

    if (!wanted || strcmp(wanted, "true") != 0)
        return API_OK;
    enum api_error error = job_store_history(request->store, id, &events);
    if (error == API_OK && json_object_set_new(job, "history", events) != 0)
        error = API_NO_MEMORY;
    return error;
}

/* GET /v1/jobs/{id}   ?history=true&fields   →   200; a ready job has "position" and
 * "waiting_because". With "Prefer: wait=N" answers as soon as the job has ended, or after N
 * seconds. */
enum api_error route_job(struct http_request *request)
{
    json_t *job = NULL;
    int64_t id = http_id(request);
    const char *history = http_parameter(request, "history");

    if (history && strcmp(history, "true") != 0 && strcmp(history, "false") != 0)
        return http_problem(request, API_BAD_PARAMETER, "history: must be true or false");
    enum api_error error = get_job(request, id, &job);
    if (error == API_OK && !job_has_ended(state_of(job)) &&
        http_wait(request, job_topic(id).text, wait_until_s(request), route_job)) {
        json_decref(job);
        return API_OK;
    }
    if (error == API_OK)
        error = add_history(request, id, job);
    return answer_part(request, error, job);
}

/* GET /v1/jobs/{id}/events → "state", "progress", … until the job has ended. If the topic is gone,
 * the event of the end has milliseconds as its id, which no other event has (their ids are
 * microseconds, service/base/events.h). */
enum api_error route_job_events(struct http_request *request)
{
    json_t *job;
    int64_t id = http_id(request);
    enum api_error error = get_job(request, id, &job);

    if (error != API_OK)
        return error;
    if (job_has_ended(state_of(job)))
        return http_last_events(request, job_topic(id).text, "state", time_of(job, "finished_at"),
                                job);
    return http_events(request, job_topic(id).text, job);
}

/* GET /v1/events   →   the states of all jobs but internal ones as they change */
enum api_error route_jobs_events(struct http_request *request)
{
    int64_t counts[JOB_STATES];
    enum api_error error = job_store_shown_counts(request->store, counts);
    json_t *snapshot = json_object();

    if (error != API_OK) {
        json_decref(snapshot);
        return error;
    }
    for (int k = 0; k < JOB_STATES; k++)
        json_object_set_new(snapshot, job_state_name((enum job_state)k), json_integer(counts[k]));
    return http_events(request, "jobs", snapshot);
}

/* GET /v1/jobs/{id}/log   →   200, the last lines of its worker */
enum api_error route_job_log(struct http_request *request)
{
    char *text;
    enum api_error error = job_store_read_log(request->store, http_id(request), &text);

    return error == API_OK ? http_text(request, 200, "text/plain; charset=utf-8", text) : error;
}

/* GET /v1/jobs/{id}/tasks   ?limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_job_tasks(struct http_request *request)
{
    int64_t id = http_id(request);
    bool exists;
    enum api_error error = job_store_exists(request->store, id, &exists);

    if (error == API_OK && !exists)
        error = API_NOT_FOUND;
    return error == API_OK
               ? answer_list(request, task_store_list(request->store, id, &request->page))
               : error;
}
