/* Whose turn it is: the order in which ready jobs and tasks of running jobs start. For the files of
 * service/store. */
#ifndef RINKD_SERVICE_STORE_TURNS_H
#define RINKD_SERVICE_STORE_TURNS_H

#include "service/store/jobs.h"

/* The place of a job in the line: of a ready one, or of a running one with tasks that wait. */
struct place {
    int64_t priority;
    int64_t turn;    /* the last one of its caller */
    int64_t running; /* cores that its tasks occupy; 0: a ready job */
    int64_t run_at_ms, id;
    int64_t cores; /* that it, or its next task, needs */
};

/* Whether the first one starts before the other. */
bool place_is_before(const struct place *a, const struct place *b);

/* Whether the caller may occupy so many cores more than it does. limits NULL: it may. */
bool place_has_cores(const struct place *place, const struct job_limits *limits, const char *caller,
                     int64_t occupied);

/* Finds the ready job of these kinds that may start first. API_NOT_FOUND: none. */
enum api_error job_queue_first(struct store *store, const char *const *kinds,
                               const struct job_limits *limits, int64_t now_ms,
                               struct place *ret_place);
/* Leases it. API_NOT_FOUND: it is not ready. */
enum api_error job_queue_lease(struct store *store, int64_t id, int64_t now_ms, int64_t lease_ms,
                               struct job_claim *ret_claim);

#endif
