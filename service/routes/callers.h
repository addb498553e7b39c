/* Callers as operators see them, for GET /v1/callers and /metrics. */
#ifndef RINKD_SERVICE_ROUTES_CALLERS_H
#define RINKD_SERVICE_ROUTES_CALLERS_H

#include "service/base/callers.h"
#include "service/routes/server.h"
#include "service/store/callers.h"

/* A caller with its tokens, its limits and what it has in the queue. */
struct caller_row {
    char name[CONFIG_NAME_MAX]; /* "": jobs of no token, or no tokens at all */
    unsigned scopes;            /* of all its tokens */
    int tokens;                 /* 0: it has jobs, but no token any more */
    int64_t expires_ms;         /* when the last of them expires; 0: never, or no token */
    struct config_limits limits;
    struct caller_use use;
    int64_t refused[CALLER_REFUSALS]; /* requests since the start */
};

/* Calls `show` for each caller with a token, in the order of their file, then for each with jobs
 * but without token. Stops at the first error. */
enum api_error callers_each(const struct server *server, struct store *store,
                            enum api_error (*show)(void *context, const struct caller_row *row),
                            void *context);

#endif
