/* Many curves of many runs in one call. */
#include "service/routes/curve_mean.h"
#include "service/routes/curves.h"
#include "service/routes/routes.h"

#include "api/base/build_json.h"

#include <stdlib.h>

enum { RUNS_MAX = 256 };

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

/* Refuses the first name without a point, if no run knows it. */
static enum api_error check_names(struct http_request *request, const json_t *runs,
                                  const json_t *names, const struct curves *curves)
{
    const int count = (int)json_array_size(names);
    enum api_error error = API_OK;

    for (int n = 0; n < count && error == API_OK; n++) {
        const char *name = json_string_value(json_array_get(names, (size_t)n));
        bool is_known = false;
        for (int k = n; k < curves->count && !is_known; k += count)
            is_known = curves->curve[k].count > 0;
        if (!is_known)
            error = curve_is_known_to(request->store, runs, name, &is_known);
        if (error == API_OK && !is_known)
            error = http_problem_about(request, API_NOT_FOUND, "no run has a curve \"%s\"", name);
    }
    return error;
}

/* Reads curves; the names that have none are known. */
static enum api_error read_known(struct http_request *request, const json_t *runs,
                                 const json_t *names, struct run_curve_query *query,
                                 struct curves *ret_curves)
{
    enum api_error error = curves_read(request->store, runs, names, query, ret_curves);

    if (error == API_NOT_FOUND)
        return http_problem_about(request, error, "there is no run %s", query->run);
    if (error != API_OK)
        return error;
    error = check_names(request, runs, names, ret_curves);
    if (error != API_OK)
        curves_free(ret_curves);
    return error;
}

/* Answers with the mean over the runs for each name. */
static enum api_error answer_means(struct http_request *request, const json_t *runs,
                                   const json_t *names, struct run_curve_query *query)
{
    struct mean_point *points = calloc((size_t)query->max_points, sizeof *points);
    json_t *list = json_array(), *name;
    enum api_error error = list && points ? API_OK : API_NO_MEMORY;
    size_t n;

    json_array_foreach(names, n, name)
    {
        json_t *one = json_pack("[O]", name);
        struct curves curves;
        int steps;
        if (error == API_OK)
            error = one ? read_known(request, runs, one, query, &curves) : API_NO_MEMORY;
        json_decref(one);
        if (error != API_OK)
            break;
        if (!curve_mean(curves.curve, curves.count, query->max_points, points, &steps) ||
            !build_append(list, curve_mean_json(query->name, points, steps)))
            error = API_NO_MEMORY;
        curves_free(&curves);
    }
    free(points);
    list = build_done(list, error == API_OK);
    return error == API_OK ? http_json(request, 200, json_pack("{s:o}", "curves", list)) : error;
}

static enum api_error answer_each(struct http_request *request, const json_t *runs,
                                  const json_t *names, struct run_curve_query *query)
{
    struct curves curves;
    enum api_error error = read_known(request, runs, names, query, &curves);

    if (error != API_OK)
        return error;
    error = answer_curves(request, CURVES_JSON, &curves);
    curves_free(&curves);
    return error;
}

/* POST /v1/metrics/query   {"runs":[…],"names":[…],"aggregate"?,"from_step"?,"to_step"?,
 * "max_points"?}   →   200 {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, in the
 * order of runs, then names; with "aggregate":"mean"
 * {"curves":[{"name","points":[[step,mean,low,high, runs],…]}]} */
enum api_error route_metrics_query(struct http_request *request)
{
    static const char *const keys[] = {"runs",    "names",      "aggregate", "from_step",
                                       "to_step", "max_points", NULL};
    static const char *const aggregates[] = {"none", "mean", NULL};
    int aggregate = 0;
    struct strict_errors *errors = &request->errors;
    struct run_curve_query query = {.from_step = INT64_MIN, .to_step = INT64_MAX};
    int64_t max_points = CURVE_POINTS_DEFAULT;
    const struct strict_place root = strict_root(request->body, errors);
    const struct strict_place runs = strict_member(&root, "runs");
    const struct strict_place names = strict_member(&root, "names");
    const struct strict_place from = strict_member(&root, "from_step");
    const struct strict_place to = strict_member(&root, "to_step");
    const struct strict_place most = strict_member(&root, "max_points");
    const struct strict_place how = strict_member(&root, "aggregate");

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
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
    if (errors->count == 0 && curves * max_points > CURVE_ANSWER_POINTS_MAX)
        strict_refuse(&most, "range", "max_points times runs times names is at most %d",
                      CURVE_ANSWER_POINTS_MAX);
    if (errors->count > 0)
        return API_BAD_FIELD;
    query.max_points = (int)max_points;
    return (aggregate ? answer_means : answer_each)(request, runs.value, names.value, &query);
}
