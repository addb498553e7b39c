/* rinkctl runs, run, metrics. */
#include "service/rinkctl/list.h"
#include "service/rinkctl/page.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- runs, run ---- */

/* "average 20000, response 20000": names and steps of the newest models. */
static void print_policies(const json_t *value, char ret_cell[CELL_BYTES])
{
    json_t *words = json_array(), *policy;
    size_t k;

    json_array_foreach(value, k, policy) json_array_append_new(
        words, json_sprintf("%s %lld", json_string_value(json_object_get(policy, "name")),
                            (long long)json_integer_value(json_object_get(policy, "step"))));
    print_list(words, ret_cell);
    json_decref(words);
}

static const struct column run_columns[] = {
    {"run", "id", NULL, false},
    {"job", "job", NULL, true},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"seed", "seed", NULL, true},
    {"checkpoints", "checkpoints", NULL, true},
    {"policies", "policies", print_policies, false},
    {"added (UTC)", "created_at", print_time, false},
    {"curves", "metrics", print_list, false},
    {0},
};

static const struct column run_fields[] = {
    {"run", "id", NULL, false},
    {"job", "job", NULL, false},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"seed", "seed", NULL, false},
    {"added (UTC)", "created_at", print_time, false},
    {"curves", "metrics", print_list, false},
    {"checkpoints", "checkpoints", NULL, false},
    {"policies", "policies", print_compact, false},
    {"tags", "tags", print_compact, false},
    {"versions", "versions", print_compact, false},
    {"spec", "spec", print_compact, false},
    {0},
};

const struct list runs_list = {
    .about = "List runs, what jobs that learn or measure leave behind; the newest first.",
    .path = "/v1/runs",
    .filters = {{"job", "JOB", "only those of this job", 1, 0, 0}},
    .columns = run_columns,
    .empty = "there are no such runs"};

const struct page run_page = {.call = {.path = "/v1/runs/{}"},
                              .line = {.about = "Show one run.", .word = WORD_RUN},
                              .fields = run_fields};

/* ---- metrics ---- */

static const char about_metrics[] =
    "Show the curves of a run: with NAMEs their points, without a line for each curve."
    "\vLong curves are thinned out by the server so that the least and the greatest values stay.";

enum { FROM, TO, MOST, CSV, POINTS_MAX = 10000 };

static const struct option_row known_metrics[] = {
    [FROM] = {"from-step", "N", "steps from N on", 1, INT64_MIN, INT64_MAX},
    [TO] = {"to-step", "N", "steps up to N", 1, INT64_MIN, INT64_MAX},
    [MOST] = {"max-points", "N", "points of a curve at most", 1, 3, POINTS_MAX},
    [CSV] = {"csv", NULL, "write step,name,value,at_ms", 2, 0, 0},
    {0},
};

/* Milliseconds since 1970. */
static void print_time_ms(const json_t *value, char ret_cell[CELL_BYTES])
{
    time_t time = (time_t)(json_integer_value(value) / 1000);
    struct tm tm;

    strftime(ret_cell, CELL_BYTES, "%Y-%m-%d %H:%M:%S", gmtime_r(&time, &tm));
}

static const struct column point_columns[] = {
    {"curve", "name", NULL, false},
    {"step", "step", NULL, true},
    {"value", "value", NULL, true},
    {"at (UTC)", "at_ms", print_time_ms, false},
    {0},
};

static const struct column curve_columns[] = {
    {"curve", "name", NULL, false},      {"points", "points", NULL, true},
    {"first step", "first", NULL, true}, {"last step", "last", NULL, true},
    {"least", "least", NULL, true},      {"greatest", "greatest", NULL, true},
    {"last value", "value", NULL, true}, {0},
};

static json_t *points_of(const json_t *curves)
{
    json_t *rows = json_array();
    const json_t *curve, *point;
    size_t k, p;

    json_array_foreach(curves, k, curve)
        json_array_foreach(json_object_get(curve, "points"), p, point) json_array_append_new(
            rows, json_pack("{s:O, s:O, s:O, s:O}", "name", json_object_get(curve, "name"), "step",
                            json_array_get(point, 0), "value", json_array_get(point, 1), "at_ms",
                            json_array_get(point, 2)));
    return rows;
}

/* Summarises each curve in a line. Values that are not finite are texts, and do not count for the
 * extremes. */
static json_t *summary_of(const json_t *curves)
{
    json_t *rows = json_array();
    const json_t *curve, *point;
    size_t k, p;

    json_array_foreach(curves, k, curve)
    {
        const json_t *points = json_object_get(curve, "points");
        size_t count = json_array_size(points);
        double least = INFINITY, greatest = -INFINITY;
        json_array_foreach(points, p, point)
        {
            const json_t *value = json_array_get(point, 1);
            if (!json_is_number(value))
                continue;
            least = fmin(least, json_number_value(value));
            greatest = fmax(greatest, json_number_value(value));
        }
        const json_t *end = count > 0 ? json_array_get(points, count - 1) : NULL;
        json_t *row = json_pack("{s:O, s:I, s:O?, s:O?, s:O?}", "name",
                                json_object_get(curve, "name"), "points", (json_int_t)count,
                                "first", json_array_get(json_array_get(points, 0), 0), "last",
                                json_array_get(end, 0), "value", json_array_get(end, 1));
        if (least <= greatest) {
            json_object_set_new(row, "least", json_real(least));
            json_object_set_new(row, "greatest", json_real(greatest));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static void show_curves(const char *command, const struct client_answer *answer,
                        const void *context)
{
    const struct arguments *arguments = context;
    const json_t *curves = json_object_get(answer->json, "curves");
    bool points = arguments->words > 1;

    (void)command;
    if (arguments->option[CSV]) {
        fwrite(answer->text, 1, answer->bytes, stdout);
        return;
    }
    json_t *rows = points ? points_of(curves) : summary_of(curves);
    print_table(stdout, points ? point_columns : curve_columns, rows);
    json_decref(rows);
}

/* The words after the run, joined by commas; owned by the caller. NULL: none, or no memory. */
static char *names_of(const struct arguments *arguments)
{
    char *names = NULL;
    size_t size;
    FILE *out = arguments->words > 1 ? open_memstream(&names, &size) : NULL;

    for (int k = 1; out && k < arguments->words; k++)
        fprintf(out, "%s%s", k > 1 ? "," : "", arguments->word[k]);
    if (out && fclose(out) == EOF)
        abort();
    return names;
}

enum exit_status command_metrics(int argc, char **argv, struct common *common)
{
    static const struct command_line line = {about_metrics, known_metrics, WORD_RUN,
                                             "RUN [NAME...]"};
    struct arguments arguments;

    options_read(&line, argc, argv, common, &arguments);
    if (arguments.option[CSV] && common->json) {
        complain(argv[0], "--csv and --json exclude each other");
        return EXIT_TROUBLE;
    }
    char *names = names_of(&arguments);
    const struct client_call call = {
        .path = "/v1/runs/{}/metrics",
        .id = arguments.word[0],
        .parameter = {{"names", names},
                      {"from_step", arguments.option[FROM]},
                      {"to_step", arguments.option[TO]},
                      {"max_points", arguments.option[MOST]},
                      {"format", arguments.option[CSV] ? "csv" : "json"}}};
    enum exit_status status = page_show(argv[0], common, &call, show_curves, &arguments);
    free(names);
    return status;
}
