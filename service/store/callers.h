/* What callers have in the queue. */
#ifndef RINKD_SERVICE_STORE_CALLERS_H
#define RINKD_SERVICE_STORE_CALLERS_H

#include "service/store/store.h"

struct caller_use {
    int64_t waiting; /* jobs that neither run nor have ended */
    int64_t bytes;   /* of their specs */
    int64_t running; /* jobs that run */
    int64_t cores;   /* that these occupy */
};

/* owner "": jobs of no token. All 0 for a caller that never had jobs. */
enum api_error caller_store_use(struct store *store, const char *owner, struct caller_use *ret_use);

/* Lists the callers with jobs that wait or run, by name; "" is none. The JSON is the caller's. */
enum api_error caller_store_names(struct store *store, json_t **ret_names);

#endif
