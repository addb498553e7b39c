/* The states of a job, and their names in the API. service/store/jobs.c has the moves between them.
 * Also what becomes of a job that is after another one. */
#ifndef RINKD_API_JOBS_JOB_STATES_H
#define RINKD_API_JOBS_JOB_STATES_H

#include <stdbool.h>

/* X(state, name, whether a job in it has ended) */
#define JOB_STATE_ROWS(X)                                                        \
    X(JOB_READY, "ready", false)        /* waits for a worker (or for run_at) */ \
    X(JOB_LEASED, "leased", false)      /* a worker has it */                    \
    X(JOB_PAUSED, "paused", false)      /* waits until a caller resumes it */    \
    X(JOB_DONE, "done", true)           /* has a result */                       \
    X(JOB_BURIED, "buried", true)       /* failed for good; can be kicked */     \
    X(JOB_CANCELLED, "cancelled", true) /* ended by a caller; may have a partial result */

enum job_state {
#define X(state, ...) state,
    JOB_STATE_ROWS(X)
#undef X
        JOB_STATES
};

const char *job_state_name(enum job_state state);
/* False: no state has this name. */
bool job_state_read(const char *name, enum job_state *ret_state);
bool job_has_ended(enum job_state state);

enum { JOB_AFTER_MAX = 32 }; /* jobs that one job can be after */

/* X(value, name, for people): what becomes of a job if one that it is after fails or is
 * cancelled. */
#define JOB_IF_FAILED_ROWS(X)                                                       \
    X(JOB_IF_FAILED_CANCEL, "cancel", "it is cancelled, and so are those after it") \
    X(JOB_IF_FAILED_RUN, "run", "it runs all the same once all have ended")         \
    X(JOB_IF_FAILED_PAUSE, "pause", "it is paused until a caller resumes it")

enum job_if_failed {
#define X(value, ...) value,
    JOB_IF_FAILED_ROWS(X)
#undef X
        JOB_IF_FAILED
};

const char *job_if_failed_name(enum job_if_failed what);
/* The names, NULL at the end. */
extern const char *const job_if_failed_names[JOB_IF_FAILED + 1];

#endif
