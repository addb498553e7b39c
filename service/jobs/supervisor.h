/* The supervisor: claims jobs from the store and has each done by a worker process (job_worker.h),
 * as many at a time as there may be. Core thread only, but for the functions that say otherwise.
 *
 * The program of each kind is in api/job_kinds. At most config->workers jobs run at a time,
 * and beside them one of an internal kind, which so never waits for those of users. */
#ifndef RINKD_SERVICE_JOBS_SUPERVISOR_H
#define RINKD_SERVICE_JOBS_SUPERVISOR_H

#include "api/error.h"
#include "api/job_kinds.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct base;
struct supervisor;

/* Whether the folder `programs` has the program of a kind of job. Any thread. */
bool supervisor_can_do(const char *programs, const struct job_kind *kind);

/* Starts claiming. The store's leases of an earlier daemon have been recovered before. */
enum api_error supervisor_start(const struct base *base, struct supervisor **ret_supervisor);

/* There may be something to claim: a job was added, kicked, resumed. */
void supervisor_wake(struct supervisor *supervisor);

/* Tells the worker of a job that it was cancelled or paused in the store; nothing happens if none
 * has it. */
void supervisor_cancel(struct supervisor *supervisor, int64_t job);
void supervisor_pause(struct supervisor *supervisor, int64_t job);

/* Why a ready job waits: a sentence for people, by what runs and the limits. Copied into ret_text.
 * Any thread. */
void supervisor_explain(const struct supervisor *supervisor, int64_t run_at_ms, int64_t now_ms,
                        int64_t position, int size, char *ret_text);

/* [{"pid","kind","job","since","beat_s"}] of the workers that run, for GET /v1/workers. */
json_t *supervisor_workers(const struct supervisor *supervisor);

/* Takes nothing more, tells all workers to drain, and calls `drained` when the last one has gone
 * (killed after `patience_ms`). */
void supervisor_drain(struct supervisor *supervisor, int64_t patience_ms,
                      void (*drained)(void *context), void *context);
void supervisor_free(struct supervisor *supervisor); /* NULL is fine */

#endif
