/* The target of a request ("/v1/jobs/7?limit=5"), taken apart, and the route that it means. No
 * sockets here. */
#ifndef RINKD_SERVICE_HTTP_HTTP_TARGET_H
#define RINKD_SERVICE_HTTP_HTTP_TARGET_H

#include "service/http/http.h"

enum { TARGET_PARTS_MAX = 12, TARGET_PARAMETERS_MAX = 32, TARGET_METHODS_MAX = 96 };

struct target {
    int parts, parameters;
    const char *part[TARGET_PARTS_MAX]; /* of the path, decoded */
    struct {
        const char *name, *value; /* decoded */
    } parameter[TARGET_PARAMETERS_MAX];
};

/* Takes `text` apart in place; the target's texts lie in it. NULL, or in words what is wrong with
 * it: %-sequences that are none, bytes that are not text, too many parts. */
const char *target_read(char *text, struct target *ret_target);

/* The value of a parameter, NULL when absent. */
const char *target_parameter(const struct target *target, const char *name);

struct target_match {
    const struct route *route; /* NULL: none for this path and method */
    const char *arg[HTTP_ARGS_MAX];
    char methods[TARGET_METHODS_MAX]; /* that the path takes, "GET, HEAD, OPTIONS"; "": no such
                                       * path */
};

/* The first route of the list (method NULL at its end) that fits. HEAD is GET. */
struct target_match target_match(const struct target *target, const struct route *list,
                                 const char *method);

#endif
