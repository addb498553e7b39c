/* Moves of jobs, for requests that move one and for those that move many. */
#ifndef RINKD_SERVICE_ROUTES_JOB_MOVING_H
#define RINKD_SERVICE_ROUTES_JOB_MOVING_H

#include "api/base/strict_json.h"
#include "service/store/jobs.h"

struct server;

enum { JOB_REASON_MAX = 500 }; /* bytes of the reason of a cancel */

/* Reads {"reason"?} of a body; NULL stays if it is missing. */
void job_reason_read(const struct strict_place *root, const char **ret_reason);

/* After the commit of job_store_ask(): tells the worker, publishes the new state, and lets jobs
 * start. A running job is still leased; it moves, and is published, when its worker lets go.
 * `has_tasks`: it may have had some, whose files go with it if it is cancelled. */
void job_moved(struct server *server, int64_t id, enum job_wish wish, enum job_state state,
               bool has_tasks);

/* After the commit of job_remove_rows(): deletes the files; `gone_weights` as filled in there. */
void job_removed(struct server *server, int64_t id, const json_t *gone_weights);

#endif
