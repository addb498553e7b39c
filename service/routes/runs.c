/* Runs: metrics and checkpoints of jobs that train or measure. */
#include "service/routes/curves.h"
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "service/base/config.h"
#include "service/jobs/job_folder.h"
#include "service/routes/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = 32, TAG_NAME_MAX = 64, TAG_MAX = 200, IDS_MAX = 256 };

/* The texts between the commas; the caller owns the array. NULL: memory is short. */
static json_t *split(const char *list)
{
    json_t *parts = json_array();
    bool good = parts != NULL;

    while (good && *list) {
        size_t part = strcspn(list, ",");
        good = json_array_append_new(parts, json_stringn(list, part)) == 0;
        list += part + (list[part] == ',');
    }
    return build_done(parts, good);
}

/* Reads the runs with the ids of the parameter. */
static enum api_error list_named(struct http_request *request, const char *list, int64_t job)
{
    json_t *ids = split(list);
    char *text = ids ? json_dumps(ids, JSON_COMPACT) : NULL;
    size_t count = json_array_size(ids);
    enum api_error error = API_NO_MEMORY;

    json_decref(ids);
    if (count > IDS_MAX) {
        free(text);
        return http_problem_about(request, API_BAD_PARAMETER, "at most %d ids at a time", IDS_MAX);
    }
    if (text)
        error = run_store_list_named(request->store, text, job, &request->page);
    free(text);
    return error == API_NO_MEMORY ? error : answer_list(request, error);
}

/* GET /v1/runs   ?job&ids&limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_runs(struct http_request *request)
{
    const char *ids = http_parameter(request, "ids");
    int64_t job;
    enum api_error error = http_whole_parameter(request, "job", 1, INT64_MAX, 0, &job);

    if (error != API_OK)
        return error;
    return ids ? list_named(request, ids, job)
               : answer_list(request, run_store_list(request->store, job, &request->page));
}

/* GET /v1/runs/{id}   →   200 */
enum api_error route_run(struct http_request *request)
{
    json_t *run = NULL;
    enum api_error error = run_store_get(request->store, request->arg[0], &run);

    return answer_with(request, error, run);
}

/* PATCH /v1/runs/{id}   {"tags":{"name":"text"|null}}   →   200 the run */
enum api_error check_run_tags(struct http_request *request)
{
    static const char *const keys[] = {"tags", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place tags = strict_member(&root, "tags");

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    if (!json_is_object(tags.value)) {
        strict_refuse(&tags, strict_is_missing(&tags) ? "missing" : "type", "must be an object");
    } else if (json_object_size(tags.value) > TAGS_MAX) {
        strict_refuse(&tags, "range", "at most %d tags", TAGS_MAX);
    } else {
        const char *name, *text;
        json_t *value;
        json_object_foreach(tags.value, name, value)
        {
            const struct strict_place tag = strict_member(&tags, name);
            if (!*name || strlen(name) > TAG_NAME_MAX)
                strict_refuse(&tag, "range", "a name has 1 to %d bytes", TAG_NAME_MAX);
            else if (!json_is_null(value))
                strict_text(&tag, TAG_MAX, &text);
        }
    }
    return API_OK;
}

enum api_error route_run_tags(struct http_request *request)
{
    json_t *run = NULL;
    enum api_error error =
        run_store_tag(request->store, request->arg[0], json_object_get(request->body, "tags"));

    if (error == API_OK)
        error = run_store_get(request->store, request->arg[0], &run);
    if (error == API_OK && json_object_size(json_object_get(run, "tags")) > TAGS_MAX) {
        json_decref(run);
        strict_refuse_at(&request->errors, "/tags", "range", "a run has at most %d tags", TAGS_MAX);
        return API_BAD_FIELD;
    }
    return answer_with(request, error, run);
}

/* ---- metrics ---- */

/* Refuses a name that the run does not know. */
static enum api_error check_names(struct http_request *request, const json_t *run,
                                  const json_t *names)
{
    const json_t *name;
    size_t k;

    json_array_foreach(names, k, name)
    {
        if (!curve_is_known(run, json_string_value(name)))
            return http_problem_about(request, API_NOT_FOUND, "the run has no curve \"%s\"",
                                      json_string_value(name));
    }
    return API_OK;
}

/* Reads the parameter `names`, or else takes all names of the run; a JSON array of the caller. */
static enum api_error read_names(struct http_request *request, json_t **ret_names)
{
    const char *list = http_parameter(request, "names");
    json_t *run, *names;
    enum api_error error = run_store_get(request->store, request->arg[0], &run);

    if (error != API_OK)
        return error;
    if (!list) {
        names = json_incref(json_object_get(run, "metrics"));
    } else {
        names = curve_names_read(list, json_object_get(run, "metrics"));
    }
    if (!names)
        error = API_NO_MEMORY;
    else if (json_array_size(names) > CURVE_NAMES_MAX)
        error = http_problem_about(request, API_BAD_PARAMETER, "at most %d names at a time",
                                   CURVE_NAMES_MAX);
    else
        error = check_names(request, run, names);
    json_decref(run);
    if (error == API_OK)
        *ret_names = names;
    else
        json_decref(names);
    return error;
}

/* GET /v1/runs/{id}/metrics   ?names&from_step&to_step&max_points&format   →   200
 * {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, or CSV, or one line of JSON for each
 * point */
enum api_error route_run_metrics(struct http_request *request)
{
    struct run_curve_query query;
    struct curves curves;
    int64_t max_points;
    enum curve_format format;
    json_t *names = NULL;

    enum api_error error = curve_format_read(request, &format);
    if (error == API_OK)
        error = http_whole_parameter(request, "from_step", INT64_MIN, INT64_MAX, INT64_MIN,
                                     &query.from_step);
    if (error == API_OK)
        error = http_whole_parameter(request, "to_step", INT64_MIN, INT64_MAX, INT64_MAX,
                                     &query.to_step);
    if (error == API_OK)
        error = http_whole_parameter(request, "max_points", RUN_POINTS_LEAST, RUN_POINTS_MOST,
                                     CURVE_POINTS_DEFAULT, &max_points);
    if (error == API_OK)
        error = read_names(request, &names);
    if (error != API_OK)
        return error;
    query.max_points = (int)max_points;
    if ((int64_t)json_array_size(names) * max_points > CURVE_ANSWER_POINTS_MAX) {
        json_decref(names);
        return http_problem_about(request, API_BAD_PARAMETER,
                                  "max_points times names is at most %d", CURVE_ANSWER_POINTS_MAX);
    }
    json_t *runs = json_pack("[s]", request->arg[0]);
    error = runs ? curves_read(request->store, runs, names, &query, &curves) : API_NO_MEMORY;
    if (error == API_OK) {
        error = answer_curves(request, format, &curves);
        curves_free(&curves);
    }
    json_decref(runs);
    json_decref(names);
    return error;
}

/* ---- checkpoints ---- */

/* GET /v1/runs/{id}/checkpoints   ?limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_run_checkpoints(struct http_request *request)
{
    return answer_list(request,
                       run_store_checkpoints(request->store, request->arg[0], &request->page));
}

/* GET /v1/runs/{id}/checkpoints/{step}   →   200, the file */
enum api_error route_run_checkpoint(struct http_request *request)
{
    char path[JOB_PATH_MAX];
    json_t *checkpoint;
    char *end;
    long long step = strtoll(request->arg[1], &end, 10);

    if (!*request->arg[1] || *end)
        return API_NOT_FOUND;
    enum api_error error =
        run_store_checkpoint_at(request->store, request->arg[0], step, &checkpoint);
    if (error != API_OK)
        return error;
    long long job = json_integer_value(json_object_get(checkpoint, "job"));
    const char *name = json_string_value(json_object_get(checkpoint, "path"));
    job_path(request->server->base.config->data, job, name, path);
    error = http_file(request, path, "application/octet-stream", name);
    json_decref(checkpoint);
    return error;
}
