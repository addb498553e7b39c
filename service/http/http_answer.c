/* Answers: each http_… function makes one and stores it in the exchange, which sends it when the
 * route is done. */
#include "service/http/http_exchange.h"

#include "api/base/utf8.h"
#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DETAIL_BYTES = 1024,
    ETAG_MAX = 40,
    MEMORY_RETRY_S = 1,
    DRAIN_RETRY_S = 5,
    LIMIT_RETRY_S = 10
};

static void drop_response(struct exchange *x)
{
    if (x->response && x->response != x->http->no_memory)
        MHD_destroy_response(x->response);
    x->response = NULL;
    x->content = NULL;
    x->bytes = 0;
}

void exchange_forget_answer(struct exchange *x)
{
    drop_response(x);
    json_decref(x->headers);
    x->headers = NULL;
    x->answers = 0;
    x->is_stream = false;
}

/* Takes the response, whose body is `content` if it is in memory. NULL: out of memory. */
static enum api_error give(struct http_request *request, int status, struct MHD_Response *response,
                           const void *content, int64_t bytes)
{
    struct exchange *x = exchange_of(request);

    if (x->answers++ > 0) { /* a bug of the route; the dispatcher answers 500 */
        if (response)
            MHD_destroy_response(response);
        return API_OK;
    }
    if (!response) {
        exchange_forget_answer(x);
        x->answers = 1;
        x->response = x->http->no_memory;
        x->status = api_error_status(API_NO_MEMORY);
        return API_NO_MEMORY;
    }
    x->response = response;
    x->status = status;
    x->content = content;
    x->bytes = bytes;
    return API_OK;
}

enum api_error exchange_give(struct exchange *x, int status, struct MHD_Response *response)
{
    return give(&x->request, status, response, NULL, 0);
}

void exchange_replace_body(struct exchange *x, struct MHD_Response *response, int64_t bytes)
{
    const char *tag = exchange_answer_header(x, MHD_HTTP_HEADER_ETAG);

    drop_response(x);
    x->response = response;
    x->bytes = bytes;
    if (tag &&
        json_object_set_new(x->headers, MHD_HTTP_HEADER_ETAG, json_sprintf("W/%s", tag)) != 0)
        json_object_del(x->headers, MHD_HTTP_HEADER_ETAG);
}

void http_add_header(struct http_request *request, const char *name, const char *value)
{
    struct exchange *x = exchange_of(request);

    if (!x->headers)
        x->headers = json_object();
    json_object_set_new(x->headers, name, json_string(value)); /* left out if memory is short */
}

const char *exchange_answer_header(const struct exchange *x, const char *name)
{
    return json_string_value(json_object_get(x->headers, name));
}

static bool is_get(const struct exchange *x)
{
    return strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
}

struct tag_search {
    const char *header, *tag;
    bool found;
};

static enum MHD_Result look_for_tag(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct tag_search *search = context;

    (void)kind;
    if (value && strcasecmp(name, search->header) == 0 &&
        (strcmp(value, "*") == 0 || strstr(value, search->tag))) /* the quotes are part of it */
        search->found = true;
    return MHD_YES;
}

/* Whether one of the lines of If-Match or If-None-Match contains the tag. */
static bool header_has_tag(const struct exchange *x, const char *header, const char *tag)
{
    struct tag_search search = {.header = header, .tag = tag};

    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, look_for_tag, &search);
    return search.found;
}

/* Adds an ETag. True: the client has this version, and 304 is the answer. */
static bool answer_unchanged(struct http_request *request, const char *tag)
{
    http_add_header(request, MHD_HTTP_HEADER_ETAG, tag);
    if (!exchange_answer_header(exchange_of(request), MHD_HTTP_HEADER_CACHE_CONTROL))
        http_add_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    if (!header_has_tag(exchange_of(request), MHD_HTTP_HEADER_IF_NONE_MATCH, tag))
        return false;
    exchange_give(exchange_of(request), MHD_HTTP_NOT_MODIFIED,
                  MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
    return true;
}

static void tag_of(const void *bytes, size_t size, char ret_tag[ETAG_MAX])
{
    unsigned char hash[crypto_generichash_BYTES_MIN];

    crypto_generichash(hash, sizeof hash, bytes, size, NULL, 0);
    ret_tag[0] = '"';
    sodium_bin2hex(ret_tag + 1, ETAG_MAX - 2, hash, sizeof hash);
    strcat(ret_tag, "\"");
}

bool exchange_answer_matches(const struct exchange *x)
{
    char tag[ETAG_MAX];

    if (x->status != MHD_HTTP_OK || !x->content)
        return false;
    tag_of(x->content, (size_t)x->bytes, tag);
    return header_has_tag(x, MHD_HTTP_HEADER_IF_MATCH, tag);
}

/* Answers with bytes in memory, and takes ownership if `mode` says so. NULL: out of memory. */
static enum api_error give_bytes(struct http_request *request, int status, const char *type,
                                 void *bytes, size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct exchange *x = exchange_of(request);
    struct MHD_Response *response = NULL;
    bool is_unchanged = false;
    char tag[ETAG_MAX];

    if (bytes && status == MHD_HTTP_OK && is_get(x)) {
        tag_of(bytes, size, tag);
        is_unchanged = answer_unchanged(request, tag);
    }
    if (bytes && !is_unchanged)
        response = MHD_create_response_from_buffer(size, bytes, mode);
    if (!response && mode == MHD_RESPMEM_MUST_FREE)
        free(bytes);
    if (is_unchanged)
        return API_OK;
    if (response && x->answers == 0)
        http_add_header(request, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    return give(request, status, response, bytes, (int64_t)size);
}

/* The document as a line of text, malloc'ed; steals it. */
static char *line_of(json_t *document)
{
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    json_decref(document);
    if (!text)
        return NULL;
    size_t length = strlen(text);
    char *line = realloc(text, length + 2);
    if (!line) {
        free(text);
        return NULL;
    }
    memcpy(line + length, "\n", 2);
    return line;
}

enum api_error http_json(struct http_request *request, int status, json_t *document)
{
    return http_text(request, status, "application/json", line_of(document));
}

enum api_error http_list(struct http_request *request, json_t *items)
{
    int length;
    const char *name = http_list_name(request, &length);
    json_t *next = *request->page.next ? json_sprintf("%.*s-%s", length, name, request->page.next)
                                       : json_null();

    return http_json(request, MHD_HTTP_OK,
                     json_pack("{s:o, s:o}", "items", items, "next_cursor", next));
}

enum api_error http_text(struct http_request *request, int status, const char *type, char *text)
{
    return give_bytes(request, status, type, text, text ? strlen(text) : 0, MHD_RESPMEM_MUST_FREE);
}

enum api_error http_static(struct http_request *request, const char *type, const void *bytes,
                           size_t size)
{
    return give_bytes(request, MHD_HTTP_OK, type, (void *)(uintptr_t)bytes, size,
                      MHD_RESPMEM_PERSISTENT);
}

/* Reads "bytes=FIRST-LAST", "bytes=FIRST-" or "bytes=-COUNT"; false: anything else, which is
 * ignored, as RFC 9110 (14.2) allows. A range behind the end of the file has first > last. */
static bool read_range(const char *text, int64_t size, int64_t *ret_first, int64_t *ret_last)
{
    static const char digits[] = "0123456789";
    const char *first_text = text && strncmp(text, "bytes=", 6) == 0 ? text + 6 : "";
    size_t first_length = strspn(first_text, digits);
    const char *last_text = first_text + first_length + 1;

    if (first_text[first_length] != '-')
        return false;
    size_t last_length = strspn(last_text, digits);
    if (last_text[last_length] || first_length + last_length == 0)
        return false;
    int64_t first = strtoll(first_text, NULL, 10), last = strtoll(last_text, NULL, 10);
    if (first_length > 0 && last_length > 0 && first > last)
        return false;
    if (first_length == 0)
        first = last < size ? size - last : 0;
    if (first_length == 0 || last_length == 0 || last >= size)
        last = size - 1;
    *ret_first = first;
    *ret_last = last;
    return true;
}

/* Answers with a part of an open file and takes the file. */
static enum api_error give_file(struct http_request *request, int status, int file, int64_t first,
                                int64_t bytes, const char *type, const char *name)
{
    char text[256];

    http_add_header(request, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (name) {
        snprintf(text, sizeof text, "attachment; filename=\"%s\"", name);
        http_add_header(request, MHD_HTTP_HEADER_CONTENT_DISPOSITION, text);
    }
    struct MHD_Response *response =
        MHD_create_response_from_fd_at_offset64((uint64_t)bytes, file, (uint64_t)first);
    if (!response)
        close(file);
    return give(request, status, response, NULL, bytes);
}

enum api_error http_file(struct http_request *request, const char *path, const char *type,
                         const char *name)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int64_t first = 0, last;
    int status = MHD_HTTP_OK;
    struct stat about;
    char tag[64], text[256];

    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (file >= 0)
            close(file);
        return http_problem(request, API_NOT_FOUND, NULL);
    }
    snprintf(tag, sizeof tag, "\"%llx-%llx-%lx\"", (long long)about.st_size,
             (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    if (answer_unchanged(request, tag)) {
        close(file);
        return API_OK;
    }
    last = about.st_size - 1;
    const char *if_range = http_header(request, MHD_HTTP_HEADER_IF_RANGE);
    if ((!if_range || strcmp(if_range, tag) == 0) &&
        read_range(http_header(request, MHD_HTTP_HEADER_RANGE), about.st_size, &first, &last)) {
        if (first > last) {
            close(file);
            snprintf(text, sizeof text, "bytes */%lld", (long long)about.st_size);
            http_add_header(request, MHD_HTTP_HEADER_CONTENT_RANGE, text);
            return http_problem_about(request, API_RANGE, "it has %lld bytes",
                                      (long long)about.st_size);
        }
        status = MHD_HTTP_PARTIAL_CONTENT;
        snprintf(text, sizeof text, "bytes %lld-%lld/%lld", (long long)first, (long long)last,
                 (long long)about.st_size);
        http_add_header(request, MHD_HTTP_HEADER_CONTENT_RANGE, text);
    }
    http_add_header(request, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
    return give_file(request, status, file, first, last - first + 1, type, name);
}

enum api_error http_whole_file(struct http_request *request, int file, const char *type,
                               const char *name)
{
    struct stat about;

    if (fstat(file, &about) == 0)
        return give_file(request, MHD_HTTP_OK, file, 0, about.st_size, type, name);
    close(file);
    return http_problem(request, API_STORAGE, NULL);
}

enum api_error http_no_content(struct http_request *request)
{
    return exchange_give(exchange_of(request), MHD_HTTP_NO_CONTENT,
                         MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
}

/* ---- problems ---- */

/* A JSON string of a text that may not be UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    char copy[DETAIL_BYTES];

    if (value)
        return value;
    snprintf(copy, sizeof copy, "%s", text);
    utf8_make_line(copy);
    return json_string(copy);
}

char *problem_text(enum api_error error, const char *detail, const char *instance,
                   const struct strict_errors *errors)
{
    json_t *list = errors && errors->count > 0 ? strict_errors_json(errors) : NULL;

    return line_of(json_pack("{s:s+, s:s, s:i, s:o*, s:s*, s:o*}", "type", "/problems/",
                             api_error_slug(error), "title", api_error_title(error), "status",
                             api_error_status(error), "detail", detail ? text_json(detail) : NULL,
                             "instance", instance, "errors", list));
}

/* Finds the noun of the k-th argument of a path, "job" for "/v1/jobs/{id}": it starts at *ret_noun;
 * returns its length. */
static int noun_of(const char *path, int k, const char **ret_noun)
{
    const char *brace = strchr(path, '{');

    while (k-- > 0)
        brace = strchr(brace + 1, '{');
    const char *noun = brace - 1;
    while (noun[-1] != '/')
        noun--;
    int length = (int)(brace - noun) - 1; /* without "/" */
    assert(length > 1);
    length -= noun[length - 1] == 's';
    bool long_plural = length > 2 && noun[length - 1] == 'e' &&
                       (noun[length - 2] == 'h' || noun[length - 2] == 's');
    *ret_noun = noun;
    return length - long_plural;
}

/* Writes "there is no job 99" or "there is no alias x of model y". If the PUT of an alias fails,
 * the model is missing. */
static void say_missing(const struct http_request *request, size_t size, char *ret_detail)
{
    const struct route *route = request->route;
    bool inner = request->arg[1] && strcmp(route->method, "PUT") != 0;
    const char *outer_noun, *noun;
    int outer_length = noun_of(route->path, 0, &outer_noun);

    if (inner) {
        int length = noun_of(route->path, 1, &noun);
        snprintf(ret_detail, size, "there is no %.*s %.*s of %.*s %.*s", length, noun,
                 utf8_fit(request->arg[1], 100), request->arg[1], outer_length, outer_noun,
                 utf8_fit(request->arg[0], 100), request->arg[0]);
    } else {
        snprintf(ret_detail, size, "there is no %.*s %.*s", outer_length, outer_noun,
                 utf8_fit(request->arg[0], 100), request->arg[0]);
    }
}

static enum api_error give_problem(struct http_request *request, enum api_error error,
                                   const char *detail)
{
    const struct strict_errors *errors = error == API_BAD_FIELD ? &request->errors : NULL;
    struct exchange *x = exchange_of(request);
    int status = api_error_status(error);

    if (x->answers == 0 && (status == 503 || status == 429)) {
        char text[16];
        snprintf(text, sizeof text, "%d",
                 error == API_DRAINING     ? DRAIN_RETRY_S
                 : error == API_LIMIT_FULL ? LIMIT_RETRY_S
                                           : MEMORY_RETRY_S);
        http_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, text);
    }
    if (x->answers == 0 && (status == 429 || status == 403))
        callers_count_refused(x->http->base->callers, request->token,
                              status == 429 ? CALLER_TOO_MANY : CALLER_FORBIDDEN);
    if (x->answers == 0 && status == 401)
        http_add_header(request, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    http_text(request, status, "application/problem+json",
              problem_text(error, detail, request->id, errors));
    return error;
}

/* Whether a field was not read because memory was short, which is no mistake of the caller. */
static bool were_short(const struct strict_errors *errors)
{
    for (int k = 0; k < errors->count; k++)
        if (strcmp(errors->error[k].code, "no_memory") == 0)
            return true;
    return false;
}

enum api_error http_problem(struct http_request *request, enum api_error error, const char *detail)
{
    const struct strict_error *first = request->errors.error;
    char text[DETAIL_BYTES];

    /* Bad fields are noted when they are read. Otherwise there was no memory to read the body, or
     * to check a constraint of a table with SQLite's JSON functions. */
    if (error == API_BAD_FIELD && (request->errors.count == 0 || were_short(&request->errors)))
        error = API_NO_MEMORY;
    if (error == API_BAD_FIELD) {
        snprintf(text, sizeof text, "%.*s: %.*s", STRICT_POINTER_MAX,
                 *first->pointer ? first->pointer : "the document", STRICT_MESSAGE_MAX,
                 first->message);
        detail = text;
    } else if (error == API_NOT_FOUND && !detail && request->route && request->arg[0]) {
        say_missing(request, sizeof text, text);
        detail = text;
    }
    return give_problem(request, error, detail);
}

enum api_error http_problem_about(struct http_request *request, enum api_error error,
                                  const char *format, ...)
{
    char detail[DETAIL_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return give_problem(request, error, detail);
}
