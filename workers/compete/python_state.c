/* Python's words for values, and those of its classes. See python_state.h. */
#include "workers/compete/python_state.h"

#include "api/base/build_json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, NAME_MAX_BYTES = 64, TEXT_MAX = 256 };

struct reading {
    const char *at;
    int depth;
};

static json_t *read_value(struct reading *reading);

static void skip(struct reading *reading)
{
    while (*reading->at == ' ' || *reading->at == ',')
        reading->at++;
}

static bool take(struct reading *reading, char c)
{
    skip(reading);
    if (*reading->at != c)
        return false;
    reading->at++;
    return true;
}

/* Reads the name of a member, a class or a constant. */
static bool read_name(struct reading *reading, char ret_name[NAME_MAX_BYTES])
{
    size_t length = 0;

    skip(reading);
    while (isalnum((unsigned char)reading->at[length]) || reading->at[length] == '_')
        length++;
    if (length == 0 || length >= NAME_MAX_BYTES)
        return false;
    memcpy(ret_name, reading->at, length);
    ret_name[length] = '\0';
    reading->at += length;
    return true;
}

static json_t *read_text(struct reading *reading)
{
    const char quote = *reading->at++;
    char text[TEXT_MAX];
    size_t length = 0;

    while (*reading->at && *reading->at != quote && length < sizeof text - 1) {
        if (*reading->at == '\\' && reading->at[1])
            reading->at++;
        text[length++] = *reading->at++;
    }
    if (*reading->at != quote)
        return NULL;
    reading->at++;
    return json_stringn(text, length);
}

static json_t *read_number(struct reading *reading)
{
    char *after;
    const size_t digits = strspn(reading->at, "+-0123456789");
    const bool is_whole = !strchr(".eE", reading->at[digits]) || !reading->at[digits];

    errno = 0;
    const long long whole = is_whole ? strtoll(reading->at, &after, 10) : 0;
    const double number = is_whole ? 0.0 : strtod(reading->at, &after);
    if (after == reading->at || errno != 0 || !isfinite(number))
        return NULL;
    reading->at = after;
    return is_whole ? json_integer(whole) : json_real(number);
}

/* Reads values up to the bracket. */
static json_t *read_list(struct reading *reading)
{
    json_t *list = json_array();
    bool good = true;

    while (good && !take(reading, ']'))
        good = build_append(list, read_value(reading));
    return build_done(list, good);
}

static json_t *read_table(struct reading *reading)
{
    json_t *table = json_object();
    bool good = true;

    while (good && !take(reading, '}')) {
        json_t *key = read_value(reading);
        good = json_is_string(key) && take(reading, ':') &&
               build_add(table, json_string_value(key), read_value(reading));
        json_decref(key);
    }
    return build_done(table, good);
}

/* Reads NAME=VALUE up to the end character. */
static json_t *read_members(struct reading *reading, char end)
{
    json_t *object = json_object();
    char name[NAME_MAX_BYTES];
    bool good = true;

    for (;;) {
        skip(reading);
        if (*reading->at == end || !good)
            break;
        good = read_name(reading, name) && take(reading, '=') &&
               build_add(object, name, read_value(reading));
    }
    if (good && end)
        reading->at++;
    return build_done(object, good);
}

/* None, True, False, or CLASS(NAME=VALUE, …). */
static json_t *read_word(struct reading *reading)
{
    char name[NAME_MAX_BYTES];

    if (!read_name(reading, name))
        return NULL;
    if (strcmp(name, "None") == 0)
        return json_null();
    if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
        return json_boolean(name[0] == 'T');
    return take(reading, '(') ? read_members(reading, ')') : NULL;
}

static json_t *read_value(struct reading *reading)
{
    json_t *value = NULL;

    skip(reading);
    const char first = *reading->at;
    if (++reading->depth <= DEPTH_MAX) {
        if (first == '\'' || first == '"')
            value = read_text(reading);
        else if (take(reading, '['))
            value = read_list(reading);
        else if (take(reading, '{'))
            value = read_table(reading);
        else if (isdigit((unsigned char)first) || first == '-')
            value = read_number(reading);
        else
            value = read_word(reading);
    }
    reading->depth--;
    return value;
}

json_t *python_state(const char *message)
{
    static const char *const heads[] = {"latest_state_data: ", "state_data: "};

    for (size_t k = 0; message && k < sizeof heads / sizeof heads[0]; k++) {
        struct reading reading = {.at = message + strlen(heads[k])};
        if (strncmp(message, heads[k], strlen(heads[k])) == 0)
            return read_members(&reading, '\0');
    }
    return NULL;
}
