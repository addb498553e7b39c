/* Curves of metrics as JSON, CSV and lines of JSON. See curves.h. */
#include "service/routes/curves.h"

#include "api/base/build_json.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/job_states.h"
#include "api/jobs/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error curves_read(struct store *store, const json_t *runs, const json_t *names,
                           struct run_curve_query *query, struct curves *ret_curves)
{
    size_t most = json_array_size(runs) * json_array_size(names);
    struct curves curves = {.curve = calloc(most + 1, sizeof *curves.curve)};
    enum api_error error = curves.curve ? API_OK : API_NO_MEMORY;

    for (size_t k = 0; k < most && error == API_OK; k++) {
        struct curve *curve = &curves.curve[curves.count++];
        query->run = json_string_value(json_array_get(runs, k / json_array_size(names)));
        query->name = json_string_value(json_array_get(names, k % json_array_size(names)));
        *curve = (struct curve){.run = query->run, .name = query->name};
        curve->points = malloc((size_t)query->max_points * sizeof *curve->points);
        error = curve->points ? run_store_curve(store, query, curve->points, &curve->count)
                              : API_NO_MEMORY;
    }
    if (error == API_OK)
        *ret_curves = curves;
    else
        curves_free(&curves);
    return error;
}

void curves_free(struct curves *curves)
{
    while (curves->count > 0)
        free(curves->curve[--curves->count].points);
    free(curves->curve);
}

/* ---- names ---- */

/* Whether runs of that kind may record it. */
static bool may_record(const struct job_kind *kind, const char *name)
{
    for (const struct job_curve *curve = kind ? kind->curves : NULL; curve && curve->name;
         curve++) {
        const size_t length = strlen(curve->name);
        if (strncmp(name, curve->name, length) == 0 && (!name[length] || name[length] == '/'))
            return true;
    }
    return false;
}

static bool has(const json_t *names, const char *name, size_t length)
{
    const json_t *known;
    size_t k;

    json_array_foreach(names, k, known)
    {
        if (json_string_length(known) == length &&
            memcmp(json_string_value(known), name, length) == 0)
            return true;
    }
    return false;
}

bool curve_is_known(const json_t *run, const char *name)
{
    enum job_state state = JOB_DONE;

    if (has(json_object_get(run, "metrics"), name, strlen(name)))
        return true;
    (void)job_state_read(json_string_value(json_object_get(run, "state")), &state);
    return !job_has_ended(state) &&
           may_record(job_kind_find(json_string_value(json_object_get(run, "kind"))), name);
}

enum api_error curve_is_known_to(struct store *store, const json_t *runs, const char *name,
                                 bool *ret_is)
{
    enum api_error error = API_OK;
    bool is_known = false;

    for (int k = 0; job_kind_at(k) && !is_known; k++)
        is_known = may_record(job_kind_at(k), name);
    for (size_t k = 0; k < json_array_size(runs) && !is_known && error == API_OK; k++) {
        json_t *run = NULL;
        error = run_store_get(store, json_string_value(json_array_get(runs, k)), &run);
        is_known = run && curve_is_known(run, name);
        json_decref(run);
    }
    *ret_is = is_known;
    return error;
}

/* Returns the length of the name at the start of the list: the longest known one that a comma or
 * the end follows, or what stands before the first comma. */
static size_t measure_name(const char *list, const json_t *known)
{
    size_t longest = strcspn(list, ",");

    for (size_t length = longest; list[length]; length += 1 + strcspn(list + length + 1, ","))
        if (has(known, list, length))
            longest = length;
    return has(known, list, strlen(list)) ? strlen(list) : longest;
}

/* Reads a name in quotes; *ret_name is malloc'ed. Returns where it ends. */
static const char *read_quoted(const char *list, char **ret_name)
{
    char *to = *ret_name = malloc(strlen(list));

    for (list++; to && *list && (*list != '"' || list[1] == '"'); list++) {
        list += *list == '"';
        *to++ = *list;
    }
    if (to)
        *to = '\0';
    return list + (*list == '"');
}

json_t *curve_names_read(const char *list, const json_t *known)
{
    json_t *names = json_array();
    bool good = names != NULL;

    while (good && *list) {
        char *quoted = NULL;
        if (*list == '"') {
            list = read_quoted(list, &quoted);
            good = build_append(names, quoted ? json_string(quoted) : NULL);
            free(quoted);
        } else {
            const size_t length = measure_name(list, known);
            good = build_append(names, json_stringn(list, length));
            list += length;
        }
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return build_done(names, good);
}

/* ---- JSON ---- */

static json_t *curve_json(const struct curve *curve)
{
    json_t *points = json_array();
    bool good = true;

    for (int k = 0; k < curve->count; k++) {
        const struct run_point *point = &curve->points[k];
        good =
            build_append(points, json_pack("[I, o, I]", (json_int_t)point->step,
                                           wire_number(point->value), (json_int_t)point->at_ms)) &&
            good;
    }
    return json_pack("{s:s, s:s, s:o}", "run", curve->run, "name", curve->name, "points",
                     build_done(points, good));
}

static json_t *curves_json(const struct curves *curves)
{
    json_t *list = json_array();
    bool good = true;

    for (int k = 0; k < curves->count; k++)
        good = build_append(list, curve_json(&curves->curve[k])) && good;
    return json_pack("{s:o}", "curves", build_done(list, good));
}

/* ---- lines ---- */

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

/* ---- answers ---- */

static const struct {
    const char *name, *type, *sent_type, *head;
    void (*print)(FILE *out, const struct curve *curve);
} formats[] = {
    [CURVES_JSON] = {"json", "application/json", NULL, NULL, NULL},
    [CURVES_CSV] = {"csv", "text/csv", "text/csv; charset=utf-8", "step,name,value,at_ms\n",
                    print_csv},
    [CURVES_LINES] = {"ndjson", "application/x-ndjson", "application/x-ndjson", "", print_lines},
};
enum { FORMATS = sizeof formats / sizeof *formats };

enum api_error curve_format_read(struct http_request *request, enum curve_format *ret_format)
{
    const char *name = http_parameter(request, "format"), *accept = http_header(request, "Accept");
    int k = 0;

    while (k < FORMATS && !(name     ? strcmp(name, formats[k].name) == 0
                            : accept ? strstr(accept, formats[k].type) != NULL
                                     : true))
        k++;
    if (k == FORMATS && name)
        return http_problem(request, API_BAD_PARAMETER, "format must be json, csv or ndjson");
    if (k == FORMATS && !strstr(accept, "*/*") && !strstr(accept, "application/*"))
        return http_problem(request, API_NOT_ACCEPTABLE,
                            "application/json, text/csv or application/x-ndjson");
    *ret_format = k == FORMATS ? CURVES_JSON : (enum curve_format)k;
    return API_OK;
}

enum api_error answer_curves(struct http_request *request, enum curve_format format,
                             const struct curves *curves)
{
    char *text = NULL;
    size_t size;

    if (format == CURVES_JSON)
        return http_json(request, 200, curves_json(curves));
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return API_NO_MEMORY;
    fputs(formats[format].head, out);
    for (int k = 0; k < curves->count; k++)
        formats[format].print(out, &curves->curve[k]);
    bool good = ferror(out) == 0;
    if (fclose(out) != 0 || !good) {
        free(text);
        return API_NO_MEMORY;
    }
    return http_text(request, 200, formats[format].sent_type, text);
}
