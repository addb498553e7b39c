/* Moves the jobs that were after one that has ended (service/store/job_after.h), in transactions of
 * their own, and publishes their new states. Core thread only. */
#ifndef RINKD_SERVICE_JOBS_SETTLING_H
#define RINKD_SERVICE_JOBS_SETTLING_H

#include "service/base/base.h"

struct settling;

/* `moved` is called after a commit that moved jobs: some of them may start now. `failed` is called
 * if they cannot be stored; wake it again later. NULL: memory is short. */
struct settling *settling_open(const struct base *base, void (*moved)(void *context),
                               void (*failed)(void *context), void *context);
/* Jobs have ended, or may have. */
void settling_wake(struct settling *settling);
void settling_free(struct settling *settling); /* NULL is fine */

#endif
