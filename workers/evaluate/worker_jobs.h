/* The commands of rink-evaluate, and a function for each kind of job (workers/worker.h). */
#ifndef RINKD_WORKERS_EVALUATE_WORKER_JOBS_H
#define RINKD_WORKERS_EVALUATE_WORKER_JOBS_H

#include "api/fields/job_fields.h"
#include "workers/command.h"
#include "workers/evaluate/play/pair.h"
#include "workers/search/job_spec.h"
#include "workers/worker.h"

worker_function job_play;           /* worker_play.c: match and tournament */
worker_function job_exploitability; /* worker_exploitability.c */
worker_function job_rate;           /* worker_rate.c */
worker_function job_diagnose;       /* worker_diagnose.c */
worker_function job_poker;          /* worker_poker.c: poker-match */
worker_function job_review;         /* worker_review.c */
worker_function job_regret;         /* worker_regret.c */

/* --- specs (worker_spec.c, job_spec.h) --- */

/* Reads "profile" (rules, ice and its noise), "noise", "seed", "limits" and, if the job plays
 * games, their length; luck is not measured. False, and the job has failed, if pairs cannot be
 * played with this setting. */
bool spec_setting(struct worker *worker, const json_t *spec, struct pair_setting *ret_setting);

/* The noise of the profile with the settings of "noise" of the spec. False, and the job has failed,
 * if the profile's hands cannot have them. */
bool spec_noise(struct worker *worker, const json_t *spec, const struct profile *profile,
                struct noise *ret_noise);

/* --- progress --- */

struct course {
    struct worker *worker;
    int64_t from;              /* the first unit, of a task */
    int64_t total, skipped;    /* all units of work, and those done by an earlier attempt */
    double start_s, partial_s; /* of the attempt, of the last partial result */
};

struct course course_start(struct worker *worker, int64_t total);
/* Reports `done` units of the total. True every few seconds: a partial result is due. */
bool course_update(struct course *course, int64_t done, bool resumed);

command_function command_match, command_tournament, command_exploitability, command_tendencies,
    command_golden, command_poker, command_styles, command_regret, command_positions,
    command_referee, command_calibration;

#endif
