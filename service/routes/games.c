/* Games that were played elsewhere come as files: a file becomes a job of the kind "import". */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "service/routes/adding.h"
#include "service/store/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_TOLD = 20, /* that cannot be read */
    FILE_NAME_MAX = 66
};

/* ---- reading ---- */

/* The lines of a file. */
struct taking {
    json_t *lines, *numbers; /* those that are objects, and their numbers */
    json_t *skipped;         /* what is told of the others */
    int number;              /* of the newest line */
};

/* Reads a line: an object, perhaps after a word such as "data: ". Appends it, or tells why not. */
static bool take_line(const char *text, size_t length, struct taking *taking)
{
    json_error_t error = {.text = "no JSON object"};
    const char *start = memchr(text, '{', length);
    json_t *line =
        start ? load_json(start, length - (size_t)(start - text), JSON_REJECT_DUPLICATES, &error)
              : NULL;

    if (line)
        return build_append(taking->lines, line) &&
               build_append(taking->numbers, json_integer(taking->number));
    if (json_error_code(&error) == json_error_out_of_memory)
        return false;
    for (size_t k = 0; k < length; k++)
        if (!memchr(" \t\r", text[k], 3))
            return json_array_size(taking->skipped) >= LINES_TOLD ||
                   build_append(taking->skipped,
                                json_pack("{s:i, s:s}", "line", taking->number, "why", error.text));
    return true; /* an empty line */
}

static bool take_lines(const char *text, size_t length, struct taking *taking)
{
    bool good = true;

    for (size_t at = 0; good && at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        taking->number++;
        good = take_line(text + at, size, taking);
        at += size + 1;
    }
    return good;
}

static char *read_file(const struct http_request *request)
{
    FILE *file = fopen(request->file_path, "re");
    size_t size = (size_t)request->file_bytes;
    char *text = file ? malloc(size + 1) : NULL;
    bool good = text && fread(text, 1, size, file) == size;

    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* The hash as a job keeps it: in two halves, as a whole one is that of weights. */
static void name_file(const struct http_request *request, char ret_name[FILE_NAME_MAX])
{
    snprintf(ret_name, FILE_NAME_MAX, "%.32s-%.32s", request->file_sha256,
             request->file_sha256 + 32);
}

/* Reads the file as the body of a request for a job, and the lines that are left out. */
static enum api_error read_body(struct http_request *request, json_t **ret_skipped)
{
    char file[FILE_NAME_MAX];
    struct taking taking = {json_array(), json_array(), json_array(), 0};
    char *text = read_file(request);
    bool good = taking.lines && taking.numbers && taking.skipped && text &&
                take_lines(text, (size_t)request->file_bytes, &taking);
    bool is_read = text != NULL;
    const size_t count = json_array_size(taking.lines);
    const json_t *last = json_array_get(taking.numbers, count - 1);

    free(text);
    if (last && (size_t)json_integer_value(last) == count) { /* they are all lines from the first */
        json_decref(taking.numbers);
        taking.numbers = NULL;
    }
    name_file(request, file);
    *ret_skipped = taking.skipped;
    request->body = json_pack("{s:s, s:{s:o, s:s, s:o*}}", "kind", "import", "spec", "log",
                              taking.lines, "file", file, "lines", taking.numbers);
    if (!good || !request->body)
        return is_read ? API_NO_MEMORY : API_STORAGE;
    if (count == 0) {
        strict_refuse_at(&request->errors, "", "value", "no line of the file is a JSON object");
        return API_BAD_FIELD;
    }
    return API_OK;
}

/* POST /v1/games   the bytes of a log   →   202 {"job","state","sha256","games",
 * "skipped":[{"line","why"}]}, the lines that cannot be read and are left out; 200 if a file with
 * this hash was sent before, with its job and its games. */
enum api_error check_games(struct http_request *request)
{
    json_t *skipped = NULL;

    enum api_error error = read_body(request, &skipped);
    if (error == API_OK)
        error = check_job(request);
    /* The body is what lasts until the answer. */
    if (error == API_OK && json_object_set(request->body, "skipped", skipped) != 0)
        error = API_NO_MEMORY;
    json_decref(skipped);
    return error;
}

/* ---- answering ---- */

static enum api_error answer_import(struct http_request *request, int status, json_t *import)
{
    json_t *skipped = json_object_get(request->body, "skipped");
    bool good = build_add(import, "skipped", skipped ? json_incref(skipped) : json_array());

    good = build_add(import, "sha256", json_string(request->file_sha256)) && good;
    return http_json(request, status, build_done(import, good));
}

enum api_error route_games_add(struct http_request *request)
{
    json_t *import = NULL;
    char file[FILE_NAME_MAX];
    int64_t id = 0;

    name_file(request, file);
    enum api_error error = job_store_import(request->store, file, &import);

    if (error == API_OK)
        return answer_import(request, 200, import);
    if (error != API_NOT_FOUND)
        return error;
    error = add_checked_job(request, &id);
    if (error != API_OK)
        return error;
    answer_location(request, "jobs/%lld", (long long)id);
    return answer_import(
        request, 202,
        json_pack("{s:I, s:s, s:[]}", "job", (json_int_t)id, "state", "ready", "games"));
}
