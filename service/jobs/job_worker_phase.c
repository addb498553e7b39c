/* See job_worker_phase.h. */
#include "service/jobs/job_worker_phase.h"

#include <stdint.h>

static const char *const names[WORKER_PHASES] = {
    [WORKER_CLAIMED] = "claimed", [WORKER_STARTING] = "starting",     [WORKER_WORKING] = "working",
    [WORKER_DONE] = "done",       [WORKER_GIVES_BACK] = "gives-back", [WORKER_ENDED] = "ended",
    [WORKER_LOST] = "lost",
};

/* Row = from, bit = to. A move that is not listed here is a bug. */
static const uint8_t moves[WORKER_PHASES] = {
    [WORKER_CLAIMED] = 1u << WORKER_STARTING | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_STARTING] = 1u << WORKER_WORKING | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_WORKING] = 1u << WORKER_DONE | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_DONE] = 1u << WORKER_ENDED | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_GIVES_BACK] = 1u << WORKER_ENDED | 1u << WORKER_LOST,
};

const char *job_worker_phase_name(enum job_worker_phase phase)
{
    return names[phase];
}

bool job_worker_may_move(enum job_worker_phase from, enum job_worker_phase to)
{
    return (moves[from] >> to & 1u) != 0;
}
