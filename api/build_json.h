/* Builds JSON where memory may run short at any step: callers collect the results of all steps and
 * check them once, at the end. */
#ifndef RINKD_API_BUILD_JSON_H
#define RINKD_API_BUILD_JSON_H

#include <jansson.h>
#include <stdbool.h>

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

/* Returns the value if all steps worked; else frees it and returns NULL. */
static inline json_t *build_done(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

#endif
