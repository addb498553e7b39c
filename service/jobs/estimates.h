/* Estimates how long a job would take: "PROGRAM estimate SPEC" tries out a few seconds of it. One
 * estimate at a time, at low priority, killed if it takes too long. */
#ifndef RINKD_SERVICE_JOBS_ESTIMATES_H
#define RINKD_SERVICE_JOBS_ESTIMATES_H

#include "api/base/error.h"
#include "service/base/events.h"

#include <stdbool.h>
#include <stdint.h>

struct estimates;
struct base;

enum { ESTIMATE_MOST_S = 60 };

enum api_error estimates_start(const struct base *base, struct estimates **ret_estimates);

/* Reserves a number for an estimate; any thread. */
int64_t estimate_number(struct estimates *estimates);

/* Starts an estimate with a program (job_kind.program) and a resolved spec (JSON). If another one
 * runs or the program cannot start, it ends at once without a result. Core thread. */
void estimate_begin(struct estimates *estimates, int64_t number, const char *program,
                    const char *spec);

/* Whether the estimate has ended (an old number counts as ended), and its result in seconds; NAN:
 * none. Any thread. */
bool estimate_ended(struct estimates *estimates, int64_t number, double *ret_s);

/* The topic (events.h) whose event announces the end of the estimate. */
struct topic_name estimate_topic(int64_t number);

/* Kills the running estimate and refuses new ones. Core thread. */
void estimates_stop(struct estimates *estimates);
/* Whether an estimate runs. Core thread. */
bool estimates_are_busy(const struct estimates *estimates);
void estimates_free(struct estimates *estimates); /* when no estimate runs; NULL is fine */

#endif
