/* Reads the input of a route from its request: parameters, headers, ids in the path. */
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

/* Reads a whole number: decimal digits only. */
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

const char *http_list_name(const struct http_request *request, int *ret_length)
{
    const char *name = request->route->path, *part = name;

    while ((part = strchr(part, '/')) != NULL)
        if (*++part != '{')
            name = part;
    *ret_length = (int)strcspn(name, "/");
    return name;
}

bool http_list_cursor(const struct http_request *request, const char **ret_cursor)
{
    const char *text = http_parameter(request, "cursor");
    int length;
    const char *name = http_list_name(request, &length);

    *ret_cursor = NULL;
    if (!text)
        return true;
    if (strncmp(text, name, (size_t)length) != 0 || text[length] != '-' || !text[length + 1])
        return false;
    *ret_cursor = text + length + 1;
    return true;
}

int64_t http_id(const struct http_request *request)
{
    int64_t id = 0;

    (void)read_whole(request->arg[0], 1, INT64_MAX, &id);
    return id;
}

/* ---- lists ---- */

bool list_next(const char **list, struct list_element *ret_element)
{
    if (!*list)
        return false;
    *list += strspn(*list, " \t,");
    ret_element->text = *list;
    ret_element->length = strcspn(*list, ",");
    ret_element->name = strcspn(*list, ",;= \t");
    *list += ret_element->length;
    return ret_element->length > 0;
}

bool list_says(const struct list_element *element, const char *name)
{
    return element->name == strlen(name) && strncasecmp(element->text, name, element->name) == 0;
}

bool list_refuses(const struct list_element *element)
{
    const char *end = element->text + element->length, *at = element->text + element->name;

    for (; at + 1 < end; at++)
        if ((*at == 'q' || *at == 'Q') && at[1] == '=')
            return strtod(at + 2, NULL) <= 0.0;
    return false;
}

/* ---- Prefer (RFC 7240) ---- */

/* Copies the value of a preference, "" if it has none. False: absent. */
static bool preference(const struct http_request *request, const char *name, size_t size,
                       char *ret_value)
{
    const char *list = http_header(request, "Prefer");
    struct list_element element;
    size_t used = 0;

    while (list_next(&list, &element)) {
        const char *value = element.text + element.name;
        if (!list_says(&element, name))
            continue;
        if (*value == '=')
            for (value++; *value && !strchr(",; \t", *value) && used + 1 < size; value++)
                if (*value != '"')
                    ret_value[used++] = *value;
        ret_value[used] = '\0';
        return true;
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
    size_t length; /* bytes of the type without parameters */
    bool asked;    /* the request has an Accept */
    int best; /* how closely a range matches the type: 3 equal, 2 "text/…", 1 all, 0 none yet */
    bool is_wanted; /* q=0 does not refuse that range */
};

/* Closeness of a range to the type; 0: no match. */
static int closeness(const struct list_element *range, const struct acceptance *a)
{
    size_t part = strcspn(a->type, "/") + 1;

    if (list_says(range, "*/*"))
        return 1;
    if (range->name == part + 1 && range->text[part] == '*' &&
        strncasecmp(range->text, a->type, part) == 0)
        return 2;
    return range->name == a->length && strncasecmp(range->text, a->type, a->length) == 0 ? 3 : 0;
}

static enum MHD_Result read_accept(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct acceptance *a = context;
    struct list_element range;

    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT) != 0 || !value)
        return MHD_YES;
    while (list_next(&value, &range)) {
        int close = closeness(&range, a);
        a->asked = true;
        if (close > a->best) {
            a->best = close;
            a->is_wanted = !list_refuses(&range);
        }
    }
    return MHD_YES;
}

bool exchange_accepts(const struct exchange *x, const char *type)
{
    struct acceptance a = {.type = type, .length = strcspn(type, "; ")};

    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, read_accept, &a);
    return !a.asked || (a.best > 0 && a.is_wanted);
}
