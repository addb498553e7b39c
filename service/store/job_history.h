/* The history of a job, for the files of service/store that change one. */
#ifndef RINKD_SERVICE_STORE_JOB_HISTORY_H
#define RINKD_SERVICE_STORE_JOB_HISTORY_H

#include "service/store/store.h"

/* Adds an event to the history of a job; detail NULL: none. Kinds: added, leased, retried,
 * released, paused, resumed, kicked, done, buried, cancelled; of a leased job also cancel_wanted
 * and pause_wanted. */
enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail);

#endif
