/* The history of a job as stored. */
#ifndef RINKD_TESTS_UNIT_SERVICE_STORE_JOB_EVENTS_H
#define RINKD_TESTS_UNIT_SERVICE_STORE_JOB_EVENTS_H

#include "service/store/store.h"

/* Returns [{"seq","at","kind","detail":TEXT|null}], oldest first; seq counts 1, 2, … within the
 * job. The caller frees it. */
json_t *job_events(struct store *store, int64_t id);

#endif
