/* The phases of a job's worker, and the allowed moves between them.
 *
 *     CLAIMED ──► STARTING ──► WORKING ──► DONE ──► ENDED
 *        │            │           │         │         ▲
 *        └────────────┴───────────┴─────────┴──► GIVES_BACK
 *
 *     from each but ENDED ──► LOST
 *
 * A worker that does its job follows the upper line. Its last word, or ours if it dies, hangs or
 * misbehaves, gives the job back; that word is written when the process is gone, because the next
 * worker uses the same folder. ENDED and LOST are final. */
#ifndef RINKD_SERVICE_JOBS_JOB_WORKER_PHASE_H
#define RINKD_SERVICE_JOBS_JOB_WORKER_PHASE_H

#include <stdbool.h>

enum job_worker_phase {
    WORKER_CLAIMED,    /* has a job but no process */
    WORKER_STARTING,   /* the process runs and has not said hello */
    WORKER_WORKING,    /* it has said hello */
    WORKER_DONE,       /* the last word says that the job is done; not yet in the store */
    WORKER_GIVES_BACK, /* the last word leaves the job undone; not yet in the store */
    WORKER_ENDED,      /* the last word is in the store: the job is no longer this worker's */
    WORKER_LOST,       /* no lease, or no memory for a last word: reports are dropped */
    WORKER_PHASES
};

const char *job_worker_phase_name(enum job_worker_phase phase);
bool job_worker_may_move(enum job_worker_phase from, enum job_worker_phase to);

#endif
