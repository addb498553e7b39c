/* Parses targets and finds their routes. See http_target.h. */
#include "service/http/http_target.h"

#include "api/base/utf8.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the text is UTF-8 without control characters. */
static bool is_text(const char *text)
{
    int bytes;

    for (; *text; text += bytes) {
        int32_t character = utf8_read(text, &bytes);
        if ((character == UTF8_REPLACEMENT && bytes == 1) || character < 0x20 || character == 0x7f)
            return false;
    }
    return true;
}

/* Brings a text into its normal form if that is not longer than `room` bytes: what is written in
 * percent encoding always has room. */
static void make_normal(char *text, size_t room)
{
    char *normal = utf8_is_foreign(text) ? utf8_normal(text) : NULL;

    if (normal && strlen(normal) <= room)
        memcpy(text, normal, strlen(normal) + 1);
    free(normal);
}

/* Decodes in place, into the normal form in which names are compared. `plus`: '+' is a blank, as in
 * forms. */
static bool decode(char *text, bool plus)
{
    const size_t room = strlen(text);
    char *to = text;
    const char *end;

    for (const char *from = text; *from; from++) {
        if (*from == '%') {
            unsigned char byte;
            if (sodium_hex2bin(&byte, 1, from + 1, strnlen(from + 1, 2), NULL, NULL, &end) != 0 ||
                end != from + 3 || byte == 0)
                return false;
            *to++ = (char)byte;
            from += 2;
        } else {
            *to++ = plus && *from == '+' ? ' ' : *from;
        }
    }
    *to = '\0';
    if (!is_text(text))
        return false;
    make_normal(text, room);
    return true;
}

static const char *read_parameters(char *query, struct target *target)
{
    char *rest = query, *pair;

    while ((pair = strsep(&rest, "&")) != NULL) {
        if (*pair == '\0')
            continue;
        char *value = strchr(pair, '=');
        if (value)
            *value++ = '\0';
        else
            value = pair + strlen(pair);
        if (target->parameters == TARGET_PARAMETERS_MAX)
            return "too many query parameters";
        if (!decode(pair, true) || !decode(value, true))
            return "a query parameter is not UTF-8 in percent encoding";
        if (target_parameter(target, pair))
            return "a query parameter appears twice";
        target->parameter[target->parameters].name = pair;
        target->parameter[target->parameters++].value = value;
    }
    return NULL;
}

const char *target_read(char *text, struct target *ret_target)
{
    struct target target = {.parts = 0};

    if (*text != '/') { /* "http://host:port/path", the form for proxies */
        char *host = strstr(text, "://");
        text = host ? strchr(host + 3, '/') : NULL;
        if (!text)
            return "the path does not begin with '/'";
    }
    char *query = strchr(text, '?'), *rest = text + 1, *part;
    if (query)
        *query++ = '\0';
    while ((part = strsep(&rest, "/")) != NULL) {
        if (target.parts == TARGET_PARTS_MAX)
            return "the path has too many parts";
        if (!decode(part, false))
            return "the path is not UTF-8 in percent encoding";
        target.part[target.parts++] = part;
    }
    const char *wrong = query ? read_parameters(query, &target) : NULL;
    if (!wrong)
        *ret_target = target;
    return wrong;
}

const char *target_parameter(const struct target *target, const char *name)
{
    for (int k = 0; k < target->parameters; k++)
        if (strcmp(target->parameter[k].name, name) == 0)
            return target->parameter[k].value;
    return NULL;
}

static bool path_fits(const struct target *target, const char *pattern,
                      const char *ret_arg[HTTP_ARGS_MAX])
{
    int part = 0, args = 0;

    while (*pattern == '/') {
        size_t length = strcspn(++pattern, "/");
        if (part == target->parts)
            return false;
        const char *text = target->part[part++];
        if (*pattern == '{') {
            if (*text == '\0' || args == HTTP_ARGS_MAX)
                return false;
            ret_arg[args++] = text;
        } else if (strncmp(text, pattern, length) != 0 || text[length] != '\0') {
            return false;
        }
        pattern += length;
    }
    return part == target->parts;
}

/* Adds a method that is not yet in the list. */
static void add_method(char list[TARGET_METHODS_MAX], const char *method)
{
    const char *found = strstr(list, method);
    size_t length = strlen(list);

    if (!found)
        snprintf(list + length, TARGET_METHODS_MAX - length, "%s%s", length ? ", " : "", method);
}

struct target_match target_match(const struct target *target, const struct route *list,
                                 const char *method)
{
    struct target_match match = {.route = NULL};
    const char *arg[HTTP_ARGS_MAX] = {NULL};

    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (const struct route *route = list; route->method; route++) {
        if (!path_fits(target, route->path, arg))
            continue;
        add_method(match.methods, route->method);
        if (strcmp(route->method, "GET") == 0)
            add_method(match.methods, "HEAD");
        if (!match.route && strcmp(route->method, method) == 0) {
            match.route = route;
            memcpy(match.arg, arg, sizeof arg);
        }
    }
    if (match.methods[0])
        add_method(match.methods, "OPTIONS");
    return match;
}
