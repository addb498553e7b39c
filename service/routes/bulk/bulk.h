/* Requests that move many jobs: POST /v1/jobs/cancel, delete, priority. */
#ifndef RINKD_SERVICE_ROUTES_BULK_BULK_H
#define RINKD_SERVICE_ROUTES_BULK_BULK_H

#include "service/base/core.h"
#include "service/http/http.h"
#include "service/store/job_after.h"
#include "service/store/job_pick.h"

enum {
    BULK_IDS_MAX = 1000,        /* in a request */
    BULK_SHOWN_MAX = 100,       /* in an answer */
    BULK_AT_ONCE = JOB_MANY_MAX /* jobs that are picked at once */
};

struct bulk;

/* What such a request does to each job. */
struct bulk_verb {
    const char *name;             /* for the log */
    const enum job_state *states; /* that it can move, JOB_STATES at the end */
    const enum job_state *passes; /* their order, if a state comes twice; NULL: as above */
    bool takes_reason, takes_priority;
    bool needs_room; /* refused while the disk is full */
    /* In a transaction. API_STATE: the job stays as it is. */
    enum api_error (*move)(struct bulk *bulk, struct store *store, int64_t id,
                           enum job_state *ret_state);
    /* Moves those of the jobs for which that can be done at once, and leaves the others to `move`;
     * returns in ret_moved which it moved. NULL: none. */
    enum api_error (*move_many)(struct bulk *bulk, struct store *store, const int64_t *ids,
                                int count, int64_t *ret_moved, int *ret_count);
    enum job_state many_to;                            /* their state then */
    bool (*may_move)(struct store *store, int64_t id); /* for a dry run; NULL: always */
    /* After its commit. */
    void (*moved)(struct bulk *bulk, const struct job_moved *job);
};

/* A request on its way to an answer; request->state. */
struct bulk {
    const struct bulk_verb *verb;
    struct job_choice choice;
    bool is_dry_run;
    const char *reason; /* NULL: none. Of the body, like the texts of the choice */
    int priority;

    /* core thread */
    struct http_request *request;
    struct core_task task;
    struct job_pick_place place;
    int64_t last; /* the newest job when it began; 0: not known yet */
    bool hung_up;
    int64_t count, skipped, skipped_before;
    json_t *gone_weights; /* of the current transaction */
    int64_t shown[BULK_SHOWN_MAX];
    struct job_moved moved[8 * BULK_AT_ONCE]; /* in the current transaction */
    int moved_count;
    bool have_tasks; /* some of them may */

    int64_t ids[]; /* of the choice */
};

/* bulk_body.c: reads the request into request->state. */
enum api_error bulk_read(struct http_request *request, const struct bulk_verb *verb);

#endif
