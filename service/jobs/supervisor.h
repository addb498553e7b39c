/* The supervisor: claims jobs and tasks from the store and runs each in a worker process
 * (job_worker.h). Core thread only, except functions that say otherwise.
 *
 *     job without tasks ──► its worker                                    a slot
 *     job with tasks    ──► its lead ── offers ──► tasks in the store     a slot until it has
 * offered ▲                      │ claim └── news ◄── store ◄── a worker each        a slot
 *
 * The program of each kind is in api/jobs/job_kinds. There are config->workers slots, one for
 * jobs of internal kinds, so that these never wait for users' jobs, and config->hosted_games for
 * games that are hosted, whose workers only watch. */
#ifndef RINKD_SERVICE_JOBS_SUPERVISOR_H
#define RINKD_SERVICE_JOBS_SUPERVISOR_H

#include "api/base/error.h"
#include "api/jobs/job_kinds.h"
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

/* Tells the workers of a job and of its tasks, if there are any, that the job is cancelled
 * (JOB_CANCEL) or paused (JOB_PAUSE) in the store. */
void supervisor_tell(struct supervisor *supervisor, int64_t job, enum job_wish wish);

/* The tasks of a job are done again, so what its lead says counts no more, from now on: its last
 * word only gives the job back. Call it in the transaction, and after it supervisor_tell() with
 * JOB_PAUSE, also if that failed: another lead has to follow. */
void supervisor_outdate(struct supervisor *supervisor, int64_t job);

/* Tells the lead of a job, if it has one, what is new of its tasks; the lines stay the caller's.
 * Call it after the commit. */
void supervisor_tell_lead(struct supervisor *supervisor, int64_t job, json_t *lines);

/* Calls `ready` whenever tasks may have become ready: nodes can take them, too. */
void supervisor_watch(struct supervisor *supervisor, void (*ready)(void *context), void *context);

/* Sets how many cores of nodes can work on tasks, besides the slots. */
void supervisor_set_nodes(struct supervisor *supervisor, int cores);

/* A sentence that explains why a ready job of a kind waits, owned by the caller; NULL: memory is
 * short. Any thread. */
json_t *supervisor_explain(const struct supervisor *supervisor, const struct job_kind *kind,
                           int64_t run_at_ms, int64_t now_ms, int64_t position);

/* [{"pid","kind","job","task":null|N,"since","beat_s"}] of the workers that run, for GET
 * /v1/workers. */
json_t *supervisor_workers(const struct supervisor *supervisor);

/* Claims no more jobs, asks all workers to drain, kills them after `patience_ms`, and calls
 * `drained` when the last one is gone. */
void supervisor_drain(struct supervisor *supervisor, int64_t patience_ms,
                      void (*drained)(void *context), void *context);
void supervisor_free(struct supervisor *supervisor); /* NULL is fine */

#endif
