/* The parsed target of a request ("/v1/jobs/7?limit=5") and its route. No sockets here. */
#ifndef RINKD_SERVICE_HTTP_HTTP_TARGET_H
#define RINKD_SERVICE_HTTP_HTTP_TARGET_H

#include "service/http/http.h"

enum { TARGET_PARTS_MAX = 12, TARGET_PARAMETERS_MAX = 32, TARGET_METHODS_MAX = 96 };

struct target {
    int parts, parameters;
    const char *part[TARGET_PARTS_MAX]; /* parts of the path, decoded */
    struct {
        const char *name, *value; /* decoded */
    } parameter[TARGET_PARAMETERS_MAX];
};

/* Parses `text` in place; the target points into it. Returns NULL, or a sentence that names the
 * mistake: bad %-sequences, bytes that are not UTF-8, too many parts. */
const char *target_read(char *text, struct target *ret_target);

/* Returns the value of a parameter, NULL if absent. */
const char *target_parameter(const struct target *target, const char *name);

struct target_match {
    const struct route *route; /* NULL: none for this path and method */
    const char *arg[HTTP_ARGS_MAX];
    char methods[TARGET_METHODS_MAX]; /* methods of this path, "GET, HEAD, OPTIONS"; "": no such
                                         path */
};

/* Finds the first matching route of the list (method NULL at the end). HEAD counts as GET. */
struct target_match target_match(const struct target *target, const struct route *list,
                                 const char *method);

#endif
