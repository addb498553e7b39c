/* Curves of metrics as JSON, CSV and lines of JSON, for the routes that show them. */
#ifndef RINKD_SERVICE_ROUTES_CURVES_H
#define RINKD_SERVICE_ROUTES_CURVES_H

#include "service/http/http.h"
#include "service/store/runs.h"

enum { CURVE_NAMES_MAX = 64, CURVE_POINTS_DEFAULT = 1000 };

/* The maximum of points in all curves of one answer. */
enum { CURVE_ANSWER_POINTS_MAX = 200000 };

/* A curve; the caller frees the points. */
struct curve {
    const char *run, *name; /* borrowed */
    struct run_point *points;
    int count;
};

enum api_error curve_read(struct store *store, const struct run_curve_query *query,
                          struct curve *ret_curve);

/* {"run","name","points":[[step,value,at_ms],…]}; values that JSON lacks are strings. The caller
 * owns it; NULL: memory is short. */
json_t *curve_json(const struct curve *curve);

/* Answers with one line for each point: "step,name,value,at_ms"
 * or {"step","name","value","at_ms"}. */
enum api_error answer_curves_csv(struct http_request *request, const struct curve *curves,
                                 int count);
enum api_error answer_curves_lines(struct http_request *request, const struct curve *curves,
                                   int count);

#endif
