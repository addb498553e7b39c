/* Builds JSON where memory may run short at any step: callers collect the results of all steps and
 * check them once, at the end. */
#ifndef RINKD_API_BASE_BUILD_JSON_H
#define RINKD_API_BASE_BUILD_JSON_H

#include "api/base/time_text.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Adds a member and takes ownership of the value; false when memory is short or the value is NULL.
 */
static inline bool build_add(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* Appends an element and takes ownership of it; false when memory is short or it is NULL. */
static inline bool build_append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

/* Adds a member at a path with dots, makes the objects on the way, and takes ownership of the
 * value.
 */
static inline bool build_put(json_t *object, const char *path, json_t *value)
{
    size_t length;

    for (; path[length = strcspn(path, ".")] != '\0'; path += length + 1) {
        if (!json_object_getn(object, path, length))
            json_object_setn_new(object, path, length, json_object());
        object = json_object_getn(object, path, length);
    }
    return build_add(object, path, value);
}

/* Returns the value if all steps worked; else frees it and returns NULL. */
static inline json_t *build_done(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

/* The number, or null where it is not finite, as JSON has no such numbers. */
static inline json_t *build_real(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* Milliseconds since 1970 as "2026-01-31T12:00:00.000Z". */
static inline json_t *build_time(int64_t ms)
{
    char text[TIME_TEXT_MAX];

    return time_write(ms, text) ? json_string(text) : json_null();
}

/* An array of texts; NULL at the end of the list. NULL when memory is short. */
static inline json_t *build_texts(const char *const *texts)
{
    json_t *list = json_array();
    bool good = true;

    for (; *texts; texts++)
        good = build_append(list, json_string(*texts)) && good;
    return build_done(list, good);
}

#endif
