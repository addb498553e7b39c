/* Curves of metrics as JSON, CSV and lines of JSON, for the routes that show them. */
#ifndef RINKD_SERVICE_ROUTES_CURVES_H
#define RINKD_SERVICE_ROUTES_CURVES_H

#include "service/http/http.h"
#include "service/store/runs.h"

enum { CURVE_NAMES_MAX = 64, CURVE_POINTS_DEFAULT = 1000 };

/* The maximum of points in all curves of one answer. */
enum { CURVE_ANSWER_POINTS_MAX = 200000 };

struct curve {
    const char *run, *name; /* borrowed */
    struct run_point *points;
    int count;
};

struct curves {
    struct curve *curve;
    int count;
};

/* Reads the curves of all names of all runs, in the order of runs, then names. The texts are
 * borrowed; the caller frees the curves. API_NOT_FOUND: there is no query->run. */
enum api_error curves_read(struct store *store, const json_t *runs, const json_t *names,
                           struct run_curve_query *query, struct curves *ret_curves);
void curves_free(struct curves *curves);

/* Whether the run, as run_store_get() shows it, has a curve of that name, or goes on and may get
 * one. */
bool curve_is_known(const json_t *run, const char *name);
/* Whether one of the runs (an array of ids) has it, or runs of some kind may have it. */
enum api_error curve_is_known_to(struct store *store, const json_t *runs, const char *name,
                                 bool *ret_is);

/* Reads names of curves: NAME or "NAME", separated by commas. A known name (an array of them) may
 * hold commas without quotes, others may not; in quotes, a quote is doubled. The caller owns the
 * array. NULL: memory is short. */
json_t *curve_names_read(const char *list, const json_t *known);

/* {"curves":[{"run","name","points":[[step,value,at_ms],…]}]}, or one line for each point:
 * "step,name,value,at_ms" or {"step","name","value","at_ms"}. In JSON, values that it lacks are
 * strings. */
enum curve_format { CURVES_JSON, CURVES_CSV, CURVES_LINES };

/* Reads the parameter `format`, or else uses the type that the client accepts. */
enum api_error curve_format_read(struct http_request *request, enum curve_format *ret_format);

enum api_error answer_curves(struct http_request *request, enum curve_format format,
                             const struct curves *curves);

#endif
