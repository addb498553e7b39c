/* The supervisor: claims jobs from the store and runs each in a worker process (job_worker.h). Core
 * thread only, except functions that say otherwise.
 *
 * The program of each kind is in api/job_kinds. At most config->workers jobs run at a time, plus
 * one of an internal kind, so that it never waits for users' jobs. */
#ifndef RINKD_SERVICE_JOBS_SUPERVISOR_H
#define RINKD_SERVICE_JOBS_SUPERVISOR_H

#include "api/error.h"
#include "api/job_kinds.h"
#include "service/store/jobs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct base;
struct supervisor;

/* Starts to claim jobs. Recover the leases of an earlier daemon first. */
enum api_error supervisor_start(const struct base *base, struct supervisor **ret_supervisor);

/* Claims a job if there is room for another worker, and moves the jobs after those that have ended:
 * one was added, moved or deleted. */
void supervisor_wake(struct supervisor *supervisor);

/* Tells the worker of a job, if there is one, that the job is cancelled (JOB_CANCEL) or paused
 * (JOB_PAUSE) in the store. */
void supervisor_tell(struct supervisor *supervisor, int64_t job, enum job_wish wish);

/* A sentence that explains why a ready job waits, owned by the caller; NULL: memory is short. Any
 * thread. */
json_t *supervisor_explain(const struct supervisor *supervisor, int64_t run_at_ms, int64_t now_ms,
                           int64_t position);

/* [{"pid","kind","job","since","beat_s"}] of the workers that run, for GET /v1/workers. */
json_t *supervisor_workers(const struct supervisor *supervisor);

/* Claims no more jobs, asks all workers to drain, kills them after `patience_ms`, and calls
 * `drained` when the last one is gone. */
void supervisor_drain(struct supervisor *supervisor, int64_t patience_ms,
                      void (*drained)(void *context), void *context);
void supervisor_free(struct supervisor *supervisor); /* NULL is fine */

#endif
