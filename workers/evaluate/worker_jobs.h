/* The commands of rink-evaluate, and a function for each kind of job (workers/worker.h). */
#ifndef RINKD_WORKERS_EVALUATE_WORKER_JOBS_H
#define RINKD_WORKERS_EVALUATE_WORKER_JOBS_H

#include "api/job_fields.h"
#include "workers/command.h"
#include "workers/evaluate/play/pair.h"
#include "workers/worker.h"

worker_function job_play;           /* worker_play.c: match and tournament */
worker_function job_exploitability; /* worker_exploitability.c */
worker_function job_rate;           /* worker_rate.c */
worker_function job_diagnose;       /* worker_diagnose.c */
worker_function job_poker;          /* worker_poker.c: poker-match */
worker_function job_review;         /* worker_review.c */

/* --- specs (worker_spec.c) --- */

/* Returns the spec of a job, read by the fields of its kind (api/job_kinds.h); `reader` checks
 * players. The caller owns it. NULL: the job has failed, and worker_fail() has named the wrong
 * field. */
json_t *spec_read(struct worker *worker, const struct wire_job *job, const json_t *spec,
                  job_player_reader *reader);

/* A reader that accepts the same players as player_read(). */
job_player_reader spec_check_player;

/* The following functions read a spec from spec_read(). */
int64_t spec_whole(const json_t *spec, const char *name);

/* Reads "profile" (rules, ice and its noise), "seed", "limits" and, if the job plays games, their
 * length; luck is not measured. False, and the job has failed, if pairs cannot be played with this
 * setting. */
bool spec_setting(struct worker *worker, const json_t *spec, struct pair_setting *ret_setting);

/* Reads a player from its text. False, and the job has failed. */
bool spec_player(struct worker *worker, const json_t *text, struct player *ret_player);

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
    command_golden, command_poker;

#endif
