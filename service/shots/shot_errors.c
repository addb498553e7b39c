/* See shot_errors.h. */
#include "service/shots/shot_errors.h"

#include <stdio.h>
#include <string.h>

/* The errors of an answer; NULL: none. The answer of skills has a member of this name, too, whose
 * items are measured errors of a hand and have no message. */
static const json_t *errors_of(const json_t *answer)
{
    const json_t *errors = json_object_get(answer, "errors");

    return json_object_get(json_array_get(errors, 0), "message") ? errors : NULL;
}

enum api_error shot_errors_code(const json_t *answer)
{
    const json_t *errors = errors_of(answer);
    const char *code = json_string_value(json_object_get(json_array_get(errors, 0), "code"));

    if (json_object_get(answer, "error"))
        return API_BAD_FIELD; /* the format of rink-simulate */
    if (!errors)
        return API_OK;
    if (code && strcmp(code, "timeout") == 0)
        return API_DEADLINE;
    if (code && strcmp(code, "cancelled") == 0)
        return API_CANCELLED;
    if (code && strcmp(code, "no_memory") == 0)
        return API_NO_MEMORY;
    return code && strcmp(code, "failed") == 0 ? API_INTERNAL : API_BAD_FIELD;
}

/* rink-search: a list of pointers and messages. Its codes do not live as long as the program, so
 * all become "value". */
static void read_list(const json_t *list, struct strict_errors *ret_errors)
{
    json_t *error;
    size_t k;

    json_array_foreach(list, k, error)
    {
        const char *pointer = json_string_value(json_object_get(error, "pointer"));
        const char *message = json_string_value(json_object_get(error, "message"));
        strict_refuse_at(ret_errors, pointer ? pointer : "", "value", "%s", message ? message : "");
    }
}

/* rink-simulate: "field: text", or just text. */
static void read_text(const char *text, struct strict_errors *ret_errors)
{
    const char *colon = strstr(text, ": ");
    char path[64] = "", pointer[sizeof path + 1];

    if (colon && (size_t)(colon - text) < sizeof path)
        snprintf(path, sizeof path, "%.*s", (int)(colon - text), text);
    strict_pointer_of_path(path, sizeof pointer, pointer);
    strict_refuse_at(ret_errors, pointer, "value", "%s", *path ? colon + 2 : text);
}

void shot_errors_read(const json_t *answer, struct strict_errors *ret_errors)
{
    const json_t *list = errors_of(answer);
    const char *text = json_string_value(json_object_get(answer, "error"));

    ret_errors->count = 0;
    if (list)
        read_list(list, ret_errors);
    else
        read_text(text ? text : "", ret_errors);
}
