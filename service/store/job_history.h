/* The history of a job, for the files of service/store that change one. */
#ifndef RINKD_SERVICE_STORE_JOB_HISTORY_H
#define RINKD_SERVICE_STORE_JOB_HISTORY_H

#include "service/store/store.h"

/* Adds what happened to the job; the kinds are those of job_store_events(). detail NULL: none. */
enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail);

#endif
