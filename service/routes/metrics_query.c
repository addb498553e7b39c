/* Many curves of many runs in one call. */
#include "service/routes/curve_mean.h"
#include "service/routes/curves.h"
#include "service/routes/routes.h"

#include <stdlib.h>

enum { RUNS_MAX = 64 };

/* Reads an array of 1 … `most` texts. */
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

/* Appends the mean over the runs of one name to the list. */
static enum api_error read_mean(struct store *store, const json_t *runs,
                                struct run_curve_query *query, struct mean_point *points,
                                json_t *list)
{
    struct curve curves[RUNS_MAX];
    enum api_error error = API_OK;
    int count = 0, steps;
    json_t *run;
    size_t k;

    json_array_foreach(runs, k, run)
    {
        query->run = json_string_value(run);
        if (error == API_OK)
            error = curve_read(store, query, &curves[count]);
        count += error == API_OK;
    }
    if (error == API_OK && !curve_mean(curves, count, query->max_points, points, &steps))
        error = API_NO_MEMORY;
    if (error == API_OK &&
        json_array_append_new(list, curve_mean_json(query->name, points, steps)) != 0)
        error = API_NO_MEMORY;
    while (count > 0)
        free(curves[--count].points);
    return error;
}

static json_t *read_means(struct store *store, const json_t *runs, const json_t *names,
                          struct run_curve_query *query, enum api_error *ret_error)
{
    struct mean_point *points = calloc((size_t)query->max_points, sizeof *points);
    json_t *list = json_array(), *name;
    size_t n;

    *ret_error = list && points ? API_OK : API_NO_MEMORY;
    json_array_foreach(names, n, name)
    {
        query->name = json_string_value(name);
        if (*ret_error == API_OK)
            *ret_error = read_mean(store, runs, query, points, list);
    }
    free(points);
    return list;
}

/* POST /v1/metrics/query   {"runs":[…],"names":[…],"aggregate"?,"from_step"?,"to_step"?,
 * "max_points"?}   →   200 {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, in the
 * order of runs, then names; with "aggregate":"mean"
 * {"curves":[{"name","points":[[step,mean,low,high, runs],…]}]} */
enum api_error route_metrics_query(struct http_request *request, struct store *store)
{
    static const char *const keys[] = {"runs",    "names",      "aggregate", "from_step",
                                       "to_step", "max_points", NULL};
    static const char *const aggregates[] = {"none", "mean", NULL};
    int aggregate = 0;
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
    const struct strict_place how = strict_member(&root, "aggregate");
    if (!strict_is_missing(&how))
        strict_choice(&how, aggregates, &aggregate);
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
    json_t *list =
        (aggregate ? read_means : read_curves)(store, runs.value, names.value, &query, &error);
    if (error != API_OK) {
        json_decref(list);
        return error == API_NOT_FOUND
                   ? http_problem_about(request, error, "there is no run %s", query.run)
                   : error;
    }
    return http_json(request, 200, json_pack("{s:o}", "curves", list));
}
