/* The job "poker-match": what its parts share. */
#ifndef RINKD_WORKERS_EVALUATE_WORKER_POKER_H
#define RINKD_WORKERS_EVALUATE_WORKER_POKER_H

#include "workers/holdem/poker_match.h"
#include "workers/worker.h"

struct poker_job {
    struct worker *worker;
    const json_t *spec;       /* resolved */
    struct poker_match match; /* the whole; its progress and context are not set */
    const char *names[2];
    json_t *run; /* of the curves; NULL: none. Borrowed. */
};

/* Returns a line that names all that a match depends on, or a part of it of `count` sessions from
 * `first` on (count 0: the whole); NULL: no memory. The caller frees it. */
char *poker_job_header(const struct poker_job *poker, int64_t first, int64_t count);

/* Sends the winnings so far with their interval, as points of curves. */
void poker_job_send_points(const struct poker_job *poker, const struct poker_tally *tally);

/* Fails the job for a status, and errno. */
json_t *poker_job_fail(const struct poker_job *poker, enum poker_match_status status,
                       const char *path);

/* The worker functions of the lead and of a task (worker_poker_tasks.c). */
json_t *lead_poker(struct poker_job *poker, const struct wire_job *job);
json_t *task_poker(struct poker_job *poker, const struct wire_job *job);

#endif
