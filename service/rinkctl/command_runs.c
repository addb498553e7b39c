/* rinkctl runs, run, metrics. */
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

static const struct option_row run_options[] = {
    {"job", "JOB", "only those of this job", .type = OPTION_TEXT},
    LIST_LIMIT,
    {0},
};

/* ---- metrics ---- */

static const struct option_row metrics_options[] = {
    {"from-step", "N", "steps from N on", OPTION_WHOLE, .least = INT64_MIN, .most = INT64_MAX},
    {"to-step", "N", "steps up to N", OPTION_WHOLE, .least = INT64_MIN, .most = INT64_MAX},
    {"max-points", "N", "points of a curve at most", OPTION_WHOLE, .least = 3, .most = 10000},
    {"csv", NULL, "write step,name,value,at_ms", .type = OPTION_TEXT},
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

static void show_curves(const struct line *line, const struct client_answer *answer)
{
    const json_t *curves = json_object_get(answer->json, "curves");
    bool points = line->word_count > 1;

    if (option_given(line, "csv")) {
        fwrite(answer->text, 1, answer->bytes, stdout);
        return;
    }
    json_t *rows = points ? points_of(curves) : summary_of(curves);
    print_table(stdout, points ? point_columns : curve_columns, rows);
    json_decref(rows);
}

/* Writes a name in quotes, as it may hold commas. */
static void put_quoted(FILE *out, const char *name)
{
    putc('"', out);
    for (; *name; name++)
        fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    putc('"', out);
}

/* The words after the run, joined by commas; owned by the caller. NULL: none, or no memory. */
static char *names_of(const struct line *line)
{
    char *names = NULL;
    size_t size;
    FILE *out = line->word_count > 1 ? open_memstream(&names, &size) : NULL;

    for (int k = 1; out && k < line->word_count; k++) {
        fputs(k > 1 ? "," : "", out);
        put_quoted(out, line->word[k]);
    }
    if (out && fclose(out) == EOF)
        abort();
    return names;
}

static void check_metrics(struct line *line, struct argp_state *state)
{
    if (option_given(line, "csv") && option_given(line, "json"))
        argp_error(state, "--csv and --json exclude each other");
}

static enum exit_status metrics(const struct line *line)
{
    struct client_call call = page_call(line);
    char *names = names_of(line);
    int count = 0;

    while (call.parameter[count].name)
        count++;
    call.parameter[count++] = (struct client_parameter){"names", names};
    call.parameter[count] =
        (struct client_parameter){"format", option_given(line, "csv") ? "csv" : "json"};
    enum exit_status status = page_show(line, &call);
    free(names);
    return status;
}

/* ---- the commands ---- */

const struct command run_commands[] = {
    {"runs",
     "List runs, the newest first. Each training has a run for each seed, each measurement "
     "has one.",
     NO_WORD, list_run, .options = run_options, .path = "/v1/runs", .columns = run_columns,
     .empty = "there are no such runs"},
    {"run", "Show one run.", WORD_RUN, page_run, .path = "/v1/runs/{}", .columns = run_fields},
    {"metrics",
     "Show the curves of a run. With NAMEs it shows their points, else a line for each curve."
     "\vThe server thins out long curves and keeps their least and greatest values.",
     WORD_RUN, metrics, .options = metrics_options, .words = "RUN [NAME...]",
     .check = check_metrics, .path = "/v1/runs/{}/metrics", .show = show_curves},
    {0},
};
