/* Many curves of many runs in one call. */
#include "service/routes/curves.h"
#include "service/routes/routes.h"

#include <stdlib.h>

enum { RUNS_MAX = 64 };

/* An array of 1 … `most` texts. */
static void read_texts(const struct strict_place *place, size_t most, size_t bytes)
{
    const char *text;

    if (!strict_array(place, 1, most))
        return;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        strict_text(&element, bytes, &text);
    }
}

static json_t *read_curves(struct store *store, const json_t *runs, const json_t *names,
                           struct run_curve_query *query, enum api_error *ret_error)
{
    json_t *list = json_array(), *run, *name;
    size_t r, n;

    *ret_error = list ? API_OK : API_NO_MEMORY;
    json_array_foreach(runs, r, run)
    {
        json_array_foreach(names, n, name)
        {
            struct curve curve;
            query->run = json_string_value(run);
            query->name = json_string_value(name);
            *ret_error = *ret_error == API_OK ? curve_read(store, query, &curve) : *ret_error;
            if (*ret_error != API_OK)
                return list;
            if (json_array_append_new(list, curve_json(&curve)) != 0)
                *ret_error = API_NO_MEMORY;
            free(curve.points);
        }
    }
    return list;
}

/* POST /v1/metrics/query   {"runs":[…],"names":[…],"from_step"?,"to_step"?,"max_points"?}   →   200
 * {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, in the order of runs, then names */
enum api_error route_metrics_query(struct http_request *request, struct store *store)
{
    static const char *const keys[] = {"runs", "names", "from_step", "to_step", "max_points", NULL};
    struct strict_errors errors = {.count = 0};
    struct run_curve_query query = {.from_step = INT64_MIN, .to_step = INT64_MAX};
    int64_t max_points = CURVE_POINTS_DEFAULT;
    const struct strict_place root = strict_root(request->body, &errors);
    enum api_error error;

    if (!strict_object(&root, keys))
        return http_fields(request, &errors);
    const struct strict_place runs = strict_member(&root, "runs");
    const struct strict_place names = strict_member(&root, "names");
    const struct strict_place from = strict_member(&root, "from_step");
    const struct strict_place to = strict_member(&root, "to_step");
    const struct strict_place most = strict_member(&root, "max_points");
    read_texts(&runs, RUNS_MAX, RUN_ID_MAX - 1);
    read_texts(&names, CURVE_NAMES_MAX, RUN_METRIC_NAME_MAX - 1);
    if (!strict_is_missing(&from))
        strict_whole(&from, INT64_MIN, INT64_MAX, &query.from_step);
    if (!strict_is_missing(&to))
        strict_whole(&to, INT64_MIN, INT64_MAX, &query.to_step);
    if (!strict_is_missing(&most))
        strict_whole(&most, RUN_POINTS_LEAST, RUN_POINTS_MOST, &max_points);
    int64_t curves = (int64_t)(json_array_size(runs.value) * json_array_size(names.value));
    if (errors.count == 0 && curves * max_points > CURVE_ANSWER_POINTS_MAX)
        strict_refuse(&most, "range", "max_points times runs times names is at most %d",
                      CURVE_ANSWER_POINTS_MAX);
    if (errors.count > 0)
        return http_fields(request, &errors);
    query.max_points = (int)max_points;
    json_t *list = read_curves(store, runs.value, names.value, &query, &error);
    if (error != API_OK) {
        json_decref(list);
        return error == API_NOT_FOUND
                   ? http_problem_about(request, error, "there is no run %s", query.run)
                   : http_problem(request, error, NULL);
    }
    return http_json(request, 200, json_pack("{s:o}", "curves", list));
}
