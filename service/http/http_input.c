/* What a route reads from its request: parameters, headers, ids in the path. */
#include "service/http/http_exchange.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *http_parameter(const struct http_request *request, const char *name)
{
    return target_parameter(&exchange_of(request)->target, name);
}

const char *http_header(const struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(exchange_of(request)->connection, MHD_HEADER_KIND, name);
}

/* Reads a whole number in decimal digits, with nothing around it. */
static bool read_whole(const char *text, int64_t least, int64_t most, int64_t *ret_value)
{
    char *end;

    if (!isdigit((unsigned char)text[*text == '-']))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end || value < least || value > most)
        return false;
    *ret_value = value;
    return true;
}

enum api_error http_whole_parameter(struct http_request *request, const char *name, int64_t least,
                                    int64_t most, int64_t initial, int64_t *ret_value)
{
    const char *text = http_parameter(request, name);

    if (!text)
        *ret_value = initial;
    else if (!read_whole(text, least, most, ret_value))
        return http_problem_about(request, API_BAD_PARAMETER,
                                  "%s must be a whole number from %lld to %lld", name,
                                  (long long)least, (long long)most);
    return API_OK;
}

enum api_error http_page(struct http_request *request, struct store_page *ret_page)
{
    int64_t limit = STORE_PAGE_DEFAULT;
    enum api_error error =
        http_whole_parameter(request, "limit", 1, STORE_PAGE_MAX, STORE_PAGE_DEFAULT, &limit);

    if (error == API_OK)
        *ret_page = (struct store_page){(int)limit, http_parameter(request, "cursor")};
    return error;
}

enum api_error http_id(struct http_request *request, int arg, int64_t *ret_id)
{
    if (read_whole(request->arg[arg], 1, INT64_MAX, ret_id))
        return API_OK;
    return http_problem(request, API_NOT_FOUND, NULL);
}

/* Copies the value of a preference, "" if it has none. False: absent. */
static bool preference(const struct http_request *request, const char *name, size_t size,
                       char *ret_value)
{
    const char *list = http_header(request, "Prefer");
    size_t length = strlen(name);

    while (list && *list) {
        list += strspn(list, " \t,");
        size_t part = strcspn(list, ",");
        if (part >= length && strncasecmp(list, name, length) == 0 &&
            strchr("=,; \t", list[length])) { /* strchr() finds the 0 at the end, too */
            const char *value = list + length;
            size_t used = 0;
            if (*value == '=')
                for (value++; *value && !strchr(",; \t", *value) && used + 1 < size; value++)
                    if (*value != '"')
                        ret_value[used++] = *value;
            ret_value[used] = '\0';
            return true;
        }
        list += part;
    }
    return false;
}

double http_prefer_wait_s(const struct http_request *request)
{
    enum { WAIT_MAX_S = 300 };
    char text[16];
    int64_t seconds;

    if (!preference(request, "wait", sizeof text, text) ||
        !read_whole(text, 0, INT64_MAX, &seconds))
        return 0;
    return seconds < WAIT_MAX_S ? (double)seconds : WAIT_MAX_S;
}

bool http_prefers_async(const struct http_request *request)
{
    char text[2];

    return preference(request, "respond-async", sizeof text, text);
}

/* ---- Accept (RFC 9110, 12.5.1) ---- */

struct acceptance {
    const char *type;
    size_t length; /* of it, without parameters */
    bool asked;    /* there is an Accept */
    int best; /* how closely a range meets the type: 3 the same, 2 "text/…", 1 all, 0 none yet */
    bool is_wanted; /* that range is not refused by q=0 */
};

/* How closely a range, `length` bytes of it, meets the type; 0: not. */
static int closeness(const char *range, size_t length, const struct acceptance *a)
{
    size_t part = strcspn(a->type, "/") + 1;

    if (length == 3 && memcmp(range, "*/*", 3) == 0)
        return 1;
    if (length == part + 1 && range[part] == '*' && strncasecmp(range, a->type, part) == 0)
        return 2;
    return length == a->length && strncasecmp(range, a->type, length) == 0 ? 3 : 0;
}

/* Whether the parameters behind a range say q=0. */
static bool is_refused(const char *parameters, size_t length)
{
    const char *q = memmem(parameters, length, "q=", 2);

    return q && strtod(q + 2, NULL) <= 0.0;
}

static enum MHD_Result read_accept(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct acceptance *a = context;

    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT) != 0 || !value)
        return MHD_YES;
    for (const char *at = value; *at; at += *at == ',') {
        at += strspn(at, " \t");
        size_t part = strcspn(at, ","), range = strcspn(at, ",; \t");
        int close = closeness(at, range, a);
        a->asked = a->asked || part > 0;
        if (close > a->best) {
            a->best = close;
            a->is_wanted = !is_refused(at + range, part - range);
        }
        at += part;
    }
    return MHD_YES;
}

bool exchange_accepts(const struct exchange *x, const char *type)
{
    struct acceptance a = {.type = type, .length = strcspn(type, "; ")};

    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, read_accept, &a);
    return !a.asked || (a.best > 0 && a.is_wanted);
}
