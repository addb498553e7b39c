/* Runs: metrics and checkpoints of jobs that train or measure. */
#include "service/routes/curves.h"
#include "service/routes/routes.h"

#include "service/base/config.h"
#include "service/jobs/job_folder.h"
#include "service/routes/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = 32, TAG_NAME_MAX = 64, TAG_MAX = 200 };

/* GET /v1/runs   ?job&limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_runs(struct http_request *request, struct store *store)
{
    char next[STORE_CURSOR_MAX];
    struct store_page page;
    json_t *items = NULL;
    int64_t job;
    enum api_error error = http_whole_parameter(request, "job", 1, INT64_MAX, 0, &job);

    if (error == API_OK)
        error = http_page(request, &page);
    if (error != API_OK)
        return error;
    error = run_store_list(store, job, &page, &items, next);
    return answer_list(request, error, items, next);
}

/* GET /v1/runs/{id}   →   200 */
enum api_error route_run(struct http_request *request, struct store *store)
{
    json_t *run = NULL;
    enum api_error error = run_store_get(store, request->arg[0], &run);

    return answer_with(request, error, run);
}

/* PATCH /v1/runs/{id}   {"tags":{"name":"text"|null}}   →   200 the run */
enum api_error check_run_tags(struct http_request *request, struct store *store)
{
    static const char *const keys[] = {"tags", NULL};
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(request->body, &errors);

    (void)store;
    if (!strict_object(&root, keys))
        return http_fields(request, &errors);
    const struct strict_place tags = strict_member(&root, "tags");
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
    return errors.count > 0 ? http_fields(request, &errors) : API_OK;
}

enum api_error route_run_tags(struct http_request *request, struct store *store)
{
    json_t *run = NULL;
    enum api_error error =
        run_store_tag(store, request->arg[0], json_object_get(request->body, "tags"));

    if (error == API_OK)
        error = run_store_get(store, request->arg[0], &run);
    if (error == API_OK && json_object_size(json_object_get(run, "tags")) > TAGS_MAX) {
        json_decref(run);
        return http_field(request, "/tags", "range", "a run has at most %d tags", TAGS_MAX);
    }
    return answer_with(request, error, run);
}

/* ---- metrics ---- */

enum format { FORMAT_JSON, FORMAT_CSV, FORMAT_LINES };

/* Reads the parameter `format`, or else uses the type that the client accepts. */
static enum api_error read_format(struct http_request *request, enum format *ret_format)
{
    static const char *const names[] = {"json", "csv", "ndjson", NULL};
    static const char *const types[] = {"application/json", "text/csv", "application/x-ndjson",
                                        NULL};
    const char *format = http_parameter(request, "format"),
               *accept = http_header(request, "Accept");
    int k = 0;

    if (!format && accept)
        while (types[k] && !strstr(accept, types[k]))
            k++;
    else if (format)
        while (names[k] && strcmp(names[k], format) != 0)
            k++;
    if (format && !names[k])
        return http_problem(request, API_BAD_PARAMETER, "format must be json, csv or ndjson");
    if (!format && accept && !types[k]) {
        if (!strstr(accept, "*/*") && !strstr(accept, "application/*"))
            return http_problem(request, API_NOT_ACCEPTABLE,
                                "application/json, text/csv or application/x-ndjson");
        k = FORMAT_JSON;
    }
    *ret_format = (enum format)k;
    return API_OK;
}

/* Reads the parameter `names` (separated by commas), or else takes all names of the run; a JSON
 * array of the caller. */
static enum api_error read_names(struct http_request *request, struct store *store,
                                 json_t **ret_names)
{
    const char *list = http_parameter(request, "names");
    json_t *run, *names;
    enum api_error error = run_store_get(store, request->arg[0], &run);

    if (error != API_OK)
        return error;
    if (!list) {
        names = json_incref(json_object_get(run, "metrics"));
    } else {
        names = json_array();
        while (*list) {
            size_t part = strcspn(list, ",");
            json_array_append_new(names, json_stringn(list, part));
            list += part + (list[part] == ',');
        }
    }
    json_decref(run);
    if (json_array_size(names) > CURVE_NAMES_MAX) {
        json_decref(names);
        return http_problem_about(request, API_BAD_PARAMETER, "at most %d names at a time",
                                  CURVE_NAMES_MAX);
    }
    *ret_names = names;
    return API_OK;
}

static enum api_error answer_curves(struct http_request *request, enum format format,
                                    const struct curve *curves, int count)
{
    if (format == FORMAT_CSV)
        return answer_curves_csv(request, curves, count);
    if (format == FORMAT_LINES)
        return answer_curves_lines(request, curves, count);
    json_t *list = json_array();
    for (int k = 0; k < count; k++) {
        if (json_array_append_new(list, curve_json(&curves[k])) != 0) {
            json_decref(list);
            return API_NO_MEMORY;
        }
    }
    return http_json(request, 200, json_pack("{s:o}", "curves", list));
}

/* GET /v1/runs/{id}/metrics   ?names&from_step&to_step&max_points&format   →   200
 * {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, or CSV, or one line of JSON for each
 * point */
enum api_error route_run_metrics(struct http_request *request, struct store *store)
{
    struct run_curve_query query = {.run = request->arg[0]};
    struct curve curves[CURVE_NAMES_MAX];
    int64_t max_points;
    enum format format = FORMAT_JSON;
    json_t *names = NULL;
    int count = 0;

    enum api_error error = read_format(request, &format);
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
        error = read_names(request, store, &names);
    if (error != API_OK)
        return error;
    query.max_points = (int)max_points;
    if ((int64_t)json_array_size(names) * max_points > CURVE_ANSWER_POINTS_MAX) {
        json_decref(names);
        return http_problem_about(request, API_BAD_PARAMETER,
                                  "max_points times names is at most %d", CURVE_ANSWER_POINTS_MAX);
    }
    for (size_t k = 0; k < json_array_size(names) && error == API_OK; k++) {
        query.name = json_string_value(json_array_get(names, k));
        error = curve_read(store, &query, &curves[count]);
        count += error == API_OK;
    }
    error = error == API_OK ? answer_curves(request, format, curves, count)
                            : http_problem(request, error, NULL);
    while (count > 0)
        free(curves[--count].points);
    json_decref(names);
    return error;
}

/* ---- checkpoints ---- */

/* GET /v1/runs/{id}/checkpoints   ?limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_run_checkpoints(struct http_request *request, struct store *store)
{
    char next[STORE_CURSOR_MAX];
    struct store_page page;
    json_t *items = NULL, *run;
    enum api_error error = http_page(request, &page);

    if (error != API_OK)
        return error;
    error = run_store_get(store, request->arg[0], &run);
    if (error == API_OK) {
        json_decref(run);
        error = run_store_checkpoints(store, request->arg[0], &page, &items, next);
    }
    return answer_list(request, error, items, next);
}

/* GET /v1/runs/{id}/checkpoints/{step}   →   200, the file */
enum api_error route_run_checkpoint(struct http_request *request, struct store *store)
{
    char path[JOB_PATH_MAX];
    json_t *checkpoint;
    char *end;
    long long step = strtoll(request->arg[1], &end, 10);

    if (!*request->arg[1] || *end)
        return API_NOT_FOUND;
    enum api_error error = run_store_checkpoint_at(store, request->arg[0], step, &checkpoint);
    if (error != API_OK)
        return error;
    long long job = json_integer_value(json_object_get(checkpoint, "job"));
    const char *name = json_string_value(json_object_get(checkpoint, "path"));
    job_path(request->server->base.config->data, job, name, path);
    error = http_file(request, path, "application/octet-stream", name);
    json_decref(checkpoint);
    return error;
}
