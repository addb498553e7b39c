/* What `rink-evaluate worker` can do: a function for each kind of job (workers/worker.h). Specs are
 * those that the daemon has resolved (api/job_json.h): every field is there but for limits and
 * tests that are not wanted. */
#ifndef RINKD_WORKERS_EVALUATE_WORKER_JOBS_H
#define RINKD_WORKERS_EVALUATE_WORKER_JOBS_H

#include "api/strict_json.h"
#include "workers/evaluate/play/pair.h"
#include "workers/worker.h"

worker_function job_match, job_tournament; /* worker_play.c */
worker_function job_exploitability;        /* worker_exploitability.c */
worker_function job_rate;                  /* worker_rate.c */
worker_function job_diagnose;              /* worker_diagnose.c */

/* --- readers that they share, strict as those of api/strict_json.h (worker_spec.c) --- */

/* "profile": rules, ice and its noise; "seed"; "limits" where the spec has them. */
bool spec_setting(const struct strict_place *spec, struct pair_setting *ret_setting);
bool spec_threads(const struct strict_place *spec, int *ret_threads);
bool spec_player(const struct strict_place *place, struct player *ret_player);

/* The first error as the job's failure; returns NULL. */
json_t *spec_fail(struct worker *worker, const struct strict_errors *errors);

/* --- progress --- */

struct course {
    struct worker *worker;
    int64_t total, skipped; /* all, and those that need not be done again */
    double start_s, partial_s;
};

struct course course_start(struct worker *worker, int64_t total);
/* `done` of the total; true every few seconds: a partial result is wanted. */
bool course_update(struct course *course, int64_t done, bool resumed);

#endif
