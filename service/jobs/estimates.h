/* Estimates how long a job would take from a few seconds of it: by "PROGRAM estimate SPEC" or, if
 * its program has no such command, by its worker in a folder of its own, which goes afterwards. One
 * at a time, the others in a line, at low priority, killed if it takes too long. */
#ifndef RINKD_SERVICE_JOBS_ESTIMATES_H
#define RINKD_SERVICE_JOBS_ESTIMATES_H

#include "api/base/error.h"
#include "api/jobs/job_kinds.h"
#include "service/base/events.h"

#include <stdbool.h>
#include <stdint.h>

struct estimates;
struct base;

enum { ESTIMATE_WAIT_S = 60 /* of a caller who does not say how long */, ESTIMATE_BASIS_MAX = 256 };

struct estimate {
    double seconds; /* NAN: none */
    char
        basis[ESTIMATE_BASIS_MAX]; /* what it rests on, or why there is none; without a full stop */
};

/* At start, before the folders of jobs are looked at: removes what a killed trial has left. */
void estimates_tidy(const char *data);

enum api_error estimates_start(const struct base *base, struct estimates **ret_estimates);

/* Reserves a number for an estimate; any thread. */
int64_t estimate_number(struct estimates *estimates);

/* Starts an estimate of a job of this kind with a resolved spec (JSON), or puts it into the line.
 * If that is too long or the program cannot start, it ends at once without a result; at the latest
 * it ends at until_s (CLOCK_MONOTONIC). Core thread. */
void estimate_begin(struct estimates *estimates, int64_t number, const struct job_kind *kind,
                    const char *spec, double until_s);

/* Whether the estimate has ended (an old number counts as ended), and its result. Any thread. */
bool estimate_ended(struct estimates *estimates, int64_t number, struct estimate *ret_estimate);

/* The topic (events.h) whose event announces the end of the estimate. */
struct topic_name estimate_topic(int64_t number);

/* Kills the running estimate and refuses new ones. Core thread. */
void estimates_stop(struct estimates *estimates);
/* Whether an estimate runs. Core thread. */
bool estimates_are_busy(const struct estimates *estimates);
void estimates_free(struct estimates *estimates); /* when no estimate runs; NULL is fine */

#endif
