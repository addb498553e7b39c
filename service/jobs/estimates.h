/* How long a job would take: "PROGRAM estimate SPEC" does a few seconds of it. One at a time; it
 * is nice, and ended when it takes too long. */
#ifndef RINKD_SERVICE_JOBS_ESTIMATES_H
#define RINKD_SERVICE_JOBS_ESTIMATES_H

#include "api/error.h"
#include "service/base/events.h"

#include <stdbool.h>
#include <stdint.h>

struct estimates;
struct base;

enum { ESTIMATE_MOST_S = 60 };

enum api_error estimates_start(const struct base *base, struct estimates **ret_estimates);

/* A number for an estimate that is to be made; any thread. */
int64_t estimate_number(struct estimates *estimates);

/* Begins it with a program (job_kind.program) and a resolved spec (JSON). When another one is under
 * way, or the program does not run, it has ended at once. Core thread. */
void estimate_begin(struct estimates *estimates, int64_t number, const char *program,
                    const char *spec);

/* Whether it has ended (long ago counts as ended), and the seconds; NAN: not known. Any thread. */
bool estimate_ended(struct estimates *estimates, int64_t number, double *ret_s);

/* The topic (events.h) that says so. */
void estimate_topic(int64_t number, char ret_topic[EVENTS_TOPIC_MAX]);

/* Ends the one that is under way and begins no others. Core thread. */
void estimates_stop(struct estimates *estimates);
/* Whether one is under way. Core thread. */
bool estimates_are_busy(const struct estimates *estimates);
/* After estimates_stop(), when none is under way. Its timer is closed by the loop, so the memory
 * stays until estimates_free(), after the loop. */
void estimates_close(struct estimates *estimates);
void estimates_free(struct estimates *estimates); /* NULL is fine */

#endif
