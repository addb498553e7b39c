/* The workers' errors as problems of HTTP. */
#include "service/shots/shot_errors.h"

#include <stdio.h>
#include <string.h>

/* What rink-search says is wrong, as http_fields() takes it. The codes are not among those that
 * live as long as the program, so all are "value". */
static enum api_error send_list(struct http_request *request, const json_t *list)
{
    struct strict_errors errors = {.count = 0};
    json_t *error;
    size_t k;

    json_array_foreach(list, k, error)
    {
        const char *pointer = json_string_value(json_object_get(error, "pointer"));
        const char *message = json_string_value(json_object_get(error, "message"));
        strict_refuse_at(&errors, pointer ? pointer : "", "value", "%s", message ? message : "");
    }
    return http_fields(request, &errors);
}

/* The same for what rink-simulate says: "field: text", or a text alone. */
static enum api_error send_text(struct http_request *request, const char *text)
{
    struct strict_errors errors = {.count = 0};
    const char *colon = strstr(text, ": ");
    char path[64] = "", pointer[sizeof path + 1];

    if (colon && (size_t)(colon - text) < sizeof path)
        snprintf(path, sizeof path, "%.*s", (int)(colon - text), text);
    strict_pointer_of_path(path, sizeof pointer, pointer);
    strict_refuse_at(&errors, pointer, "value", "%s", *path ? colon + 2 : text);
    return http_fields(request, &errors);
}

enum api_error shot_errors_code(const json_t *answer)
{
    const json_t *errors = json_object_get(answer, "errors");
    const char *code = json_string_value(json_object_get(json_array_get(errors, 0), "code"));

    if (json_object_get(answer, "error"))
        return API_BAD_FIELD; /* rink-simulate's way of saying it */
    if (!errors)
        return API_OK;
    if (code && strcmp(code, "timeout") == 0)
        return API_DEADLINE;
    if (code && strcmp(code, "cancelled") == 0)
        return API_DRAINING;
    if (code && strcmp(code, "no_memory") == 0)
        return API_NO_MEMORY;
    return code && strcmp(code, "failed") == 0 ? API_INTERNAL : API_BAD_FIELD;
}

enum api_error shot_errors_send(struct http_request *request, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "errors");
    const char *text = json_string_value(json_object_get(answer, "error"));

    return list ? send_list(request, list) : send_text(request, text ? text : "");
}
