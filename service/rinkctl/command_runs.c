/* rinkctl runs, run, metrics. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/list.h"
#include "service/rinkctl/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
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
};

enum exit_status command_runs(int argc, char **argv, struct common *common)
{
    static const struct list list = {
        .about = "List runs, what jobs that learn or measure leave behind; the newest first.",
        .path = "/v1/runs",
        .filters = {{"job", "JOB", "only those of this job"}},
        .columns = run_columns,
        .column_count = sizeof run_columns / sizeof run_columns[0],
        .empty = "there are no such runs"};
    return list_command(&list, argc, argv, common);
}

enum exit_status command_run(int argc, char **argv, struct common *common)
{
    const char *id = options_word(argc, argv, common, WORD_RUN, "Show one run.");
    const struct client_call call = {.path = "/v1/runs/{}", .id = id};
    struct client *client = client_open(argv[0], common);
    struct client_answer answer;

    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && common->json)
        status = print_raw(argv[0], answer.text);
    else if (status == EXIT_GOOD)
        print_fields(stdout, run_fields, sizeof run_fields / sizeof run_fields[0], answer.json);
    client_answer_free(&answer);
    client_free(client);
    return status;
}

/* ---- metrics ---- */

static const char about_metrics[] =
    "Show the curves of a run: with NAMEs their points, without a line for each curve."
    "\vLong curves are thinned out by the server so that the least and the greatest values stay.";

enum { KEY_FROM = 0x300, KEY_TO, KEY_MOST, KEY_CSV, MOST_MAX = 10000 };

static const struct argp_option known_metrics[] = {
    {"from-step", KEY_FROM, "N", 0, "steps from N on", 1},
    {"to-step", KEY_TO, "N", 0, "steps up to N", 1},
    {"max-points", KEY_MOST, "N", 0, "points of a curve at most", 1},
    {"csv", KEY_CSV, NULL, 0, "write step,name,value,at_ms", 2},
    {0},
};

struct metrics_options {
    struct common *common;
    const char *run, *from, *to, *most;
    char *names; /* with commas between them; NULL: all */
    bool csv;
};

static void add_name(struct metrics_options *options, const char *name)
{
    char *names = NULL;

    if (asprintf(&names, "%s%s%s", options->names ? options->names : "", options->names ? "," : "",
                 name) < 0)
        abort();
    free(options->names);
    options->names = names;
}

static error_t read_metrics(int key, char *argument, struct argp_state *state)
{
    struct metrics_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_FROM:
        option_whole(state, "from-step", argument, INT64_MIN, INT64_MAX);
        options->from = argument;
        return 0;
    case KEY_TO:
        option_whole(state, "to-step", argument, INT64_MIN, INT64_MAX);
        options->to = argument;
        return 0;
    case KEY_MOST:
        option_whole(state, "max-points", argument, 3, MOST_MAX);
        options->most = argument;
        return 0;
    case KEY_CSV:
        options->csv = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->run)
            add_name(options, argument);
        else
            options->run = argument;
        return 0;
    case ARGP_KEY_END:
        if (!options->run)
            argp_error(state, "the name of a run is missing");
        if (options->csv && options->common->json)
            argp_error(state, "--csv and --json exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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
};

static const struct column curve_columns[] = {
    {"curve", "name", NULL, false},      {"points", "points", NULL, true},
    {"first step", "first", NULL, true}, {"last step", "last", NULL, true},
    {"least", "least", NULL, true},      {"greatest", "greatest", NULL, true},
    {"last value", "value", NULL, true},
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

/* A line for each curve. Values that are not finite are texts, and have no part in the extremes. */
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

static void print_curves(const json_t *curves, bool points)
{
    json_t *rows = points ? points_of(curves) : summary_of(curves);

    if (points)
        print_table(stdout, point_columns, sizeof point_columns / sizeof point_columns[0], rows);
    else
        print_table(stdout, curve_columns, sizeof curve_columns / sizeof curve_columns[0], rows);
    json_decref(rows);
}

enum exit_status command_metrics(int argc, char **argv, struct common *common)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known_metrics, read_metrics, "RUN [NAME...]", about_metrics, children,
                              NULL,          NULL};
    struct metrics_options options = {.common = common};
    enum exit_status status = EXIT_TROUBLE;
    struct client_answer answer;

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    struct client *client = client_open(argv[0], common);
    if (client) {
        const struct client_call call = {.path = "/v1/runs/{}/metrics",
                                         .id = options.run,
                                         .parameter = {{"names", options.names},
                                                       {"from_step", options.from},
                                                       {"to_step", options.to},
                                                       {"max_points", options.most},
                                                       {"format", options.csv ? "csv" : "json"}}};
        status = client_call(client, &call, &answer);
        if (status == EXIT_GOOD && options.csv)
            fwrite(answer.text, 1, answer.bytes, stdout);
        else if (status == EXIT_GOOD && common->json)
            status = print_raw(argv[0], answer.text);
        else if (status == EXIT_GOOD)
            print_curves(json_object_get(answer.json, "curves"), options.names != NULL);
        client_answer_free(&answer);
    }
    free(options.names);
    client_free(client);
    return status;
}
