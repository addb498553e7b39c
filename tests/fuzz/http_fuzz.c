/* Any bytes as the target of a request, a newline, and its body. A readable target is text and
 * leads to at most one route; a refusal gives a reason. A broken promise aborts. */
#include "service/http/http_body.h"
#include "service/http/http_target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static const struct route list[] = {
    {.method = "GET", .path = "/"},
    {.method = "GET", .path = "/v1/jobs"},
    {.method = "POST", .path = "/v1/jobs"},
    {.method = "GET", .path = "/v1/jobs/{id}"},
    {.method = "DELETE", .path = "/v1/jobs/{id}"},
    {.method = "POST", .path = "/v1/jobs/{id}/cancel"},
    {.method = "GET", .path = "/{a}/{b}/{c}/{d}"},
    {.method = NULL},
};

/* json_string() accepts only UTF-8 without 0. */
static void require_text(const char *text)
{
    json_t *string = json_string(text);

    require(string != NULL);
    json_decref(string);
}

static void check_target(char *text)
{
    struct target target;
    const char *wrong = target_read(text, &target);

    if (wrong) {
        require(*wrong != '\0');
        return;
    }
    require(target.parts >= 1 && target.parts <= TARGET_PARTS_MAX);
    for (int k = 0; k < target.parts; k++)
        require_text(target.part[k]);
    for (int k = 0; k < target.parameters; k++) {
        require_text(target.parameter[k].name);
        require(target_parameter(&target, target.parameter[k].name) == target.parameter[k].value);
        require_text(target.parameter[k].value);
    }
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "PUT"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        struct target_match match = target_match(&target, list, methods[k]);
        require(!match.route || strstr(match.methods, methods[k]) != NULL);
        require(!match.route == (strstr(match.methods, methods[k]) == NULL));
        for (int n = 0; match.route && n < HTTP_ARGS_MAX && match.arg[n]; n++)
            require(*match.arg[n] != '\0');
    }
}

/* Feeds the body in pieces whose size the input chooses. */
static void check_body(const uint8_t *data, size_t size)
{
    struct body body;
    struct strict_errors errors;
    json_t *document;
    size_t piece = size > 0 ? (size_t)data[0] + 1 : 1;

    require(body_begin(&body, BODY_OPTIONAL_JSON, "") == API_OK);
    for (size_t at = 0; at < size; at += piece)
        require(body_add(&body, data + at, piece < size - at ? piece : size - at) ==
                (at + (piece < size - at ? piece : size - at) > HTTP_BODY_MAX ? API_TOO_LARGE
                                                                              : API_OK));
    if (size <= HTTP_BODY_MAX) {
        enum api_error error = body_end(&body, &document, &errors);
        /* A number beyond 64 bits is a field that has the wrong value. */
        bool is_refused = (error == API_BAD_JSON || error == API_BAD_FIELD) && errors.count > 0;
        require(error == API_OK ? size == 0 || document != NULL : is_refused && !document);
        json_decref(document);
    }
    body_free(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t length = end ? (size_t)(end - data) : size;
    char *text = malloc(length + 1);

    require(text != NULL);
    if (length > 0)
        memcpy(text, data, length);
    text[length] = '\0';
    check_target(text);
    free(text);
    if (end)
        check_body(end + 1, size - length - 1);
    return 0;
}
