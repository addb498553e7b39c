/* Curves of metrics as JSON, CSV and lines of JSON. See curves.h. */
#include "service/routes/curves.h"

#include "api/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error curve_read(struct store *store, const struct run_curve_query *query,
                          struct curve *ret_curve)
{
    struct run_point *points = malloc((size_t)query->max_points * sizeof *points);
    int count;

    if (!points)
        return API_NO_MEMORY;
    enum api_error error = run_store_curve(store, query, points, &count);
    if (error != API_OK) {
        free(points);
        return error;
    }
    *ret_curve = (struct curve){query->run, query->name, points, count};
    return API_OK;
}

json_t *curve_json(const struct curve *curve)
{
    json_t *points = json_array();

    for (int k = 0; k < curve->count; k++) {
        const struct run_point *point = &curve->points[k];
        json_t *row = json_pack("[I, o, I]", (json_int_t)point->step, wire_number(point->value),
                                (json_int_t)point->at_ms);
        if (json_array_append_new(points, row) != 0) {
            json_decref(points);
            return NULL;
        }
    }
    return json_pack("{s:s, s:s, s:o}", "run", curve->run, "name", curve->name, "points", points);
}

/* Prints a value as in JSON, or NaN, Infinity, -Infinity. */
static void print_value(FILE *out, double value, const char *quote)
{
    if (isnan(value))
        fprintf(out, "%sNaN%s", quote, quote);
    else if (isinf(value))
        fprintf(out, "%s%sInfinity%s", quote, value < 0.0 ? "-" : "", quote);
    else
        fprintf(out, "%.17g", value);
}

/* Quotes as JSON does; CSV differs only in quotes inside the text. */
static void print_csv_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void print_csv(FILE *out, const struct curve *curve)
{
    for (int k = 0; k < curve->count; k++) {
        const struct run_point *point = &curve->points[k];
        fprintf(out, "%lld,", (long long)point->step);
        print_csv_text(out, curve->name);
        putc(',', out);
        print_value(out, point->value, "");
        fprintf(out, ",%lld\n", (long long)point->at_ms);
    }
}

static void print_lines(FILE *out, const struct curve *curve)
{
    json_t *name = json_string(curve->name);
    char *quoted = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;

    for (int k = 0; k < curve->count && quoted; k++) {
        const struct run_point *point = &curve->points[k];
        fprintf(out, "{\"step\":%lld,\"name\":%s,\"value\":", (long long)point->step, quoted);
        print_value(out, point->value, "\"");
        fprintf(out, ",\"at_ms\":%lld}\n", (long long)point->at_ms);
    }
    free(quoted);
    json_decref(name);
}

static enum api_error answer_printed(struct http_request *request, const char *type,
                                     const char *head,
                                     void (*print)(FILE *out, const struct curve *curve),
                                     const struct curve *curves, int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return API_NO_MEMORY;
    fputs(head, out);
    for (int k = 0; k < count; k++)
        print(out, &curves[k]);
    bool good = ferror(out) == 0;
    if (fclose(out) != 0 || !good) {
        free(text);
        return API_NO_MEMORY;
    }
    return http_text(request, 200, type, text);
}

enum api_error answer_curves_csv(struct http_request *request, const struct curve *curves,
                                 int count)
{
    return answer_printed(request, "text/csv; charset=utf-8", "step,name,value,at_ms\n", print_csv,
                          curves, count);
}

enum api_error answer_curves_lines(struct http_request *request, const struct curve *curves,
                                   int count)
{
    return answer_printed(request, "application/x-ndjson", "", print_lines, curves, count);
}
