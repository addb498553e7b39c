/* Putting JSON together where memory may be short at any step: the steps are counted together and
 * looked at once, at the end. */
#ifndef RINKD_API_BUILD_JSON_H
#define RINKD_API_BUILD_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Adds a member and takes over the value; false when memory is short (NULL included). */
static inline bool build_add(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* The same for an element. */
static inline bool build_append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

/* The value, or NULL in its place when something did not work out. */
static inline json_t *build_done(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

#endif
