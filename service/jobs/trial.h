/* Asks the program of a kind what its worker would say of a spec, before the job is accepted: files
 * that it would read, models of players, the record of a game. */
#ifndef RINKD_SERVICE_JOBS_TRIAL_H
#define RINKD_SERVICE_JOBS_TRIAL_H

#include "api/jobs/job_kinds.h"
#include "service/store/store.h"

struct config;

/* Adds an error below `spec` if a worker would refuse it for good. One trial at a time, so that it
 * keeps one thread at most: while another goes on, and when the program gives no answer, nothing is
 * refused, and the worker tells later. Any thread with a store of its own. */
enum api_error trial_run(const struct config *config, struct store *store,
                         const struct job_kind *kind, const struct strict_place *spec);

#endif
