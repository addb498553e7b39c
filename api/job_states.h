/* The states of a job, and their names in the API. service/store/jobs.c has the moves between them.
 */
#ifndef RINKD_API_JOB_STATES_H
#define RINKD_API_JOB_STATES_H

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

#endif
