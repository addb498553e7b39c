/* What rink-evaluate can do: its commands, and a function for each kind of job (workers/worker.h).
 */
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

/* --- specs (worker_spec.c) --- */

/* The spec of a job, read by the fields of its kind (api/job_kinds.h); `reader` checks players. The
 * caller owns it. NULL, and the job has failed: worker_fail() says which field is wrong. */
json_t *spec_read(struct worker *worker, const struct worker_job *job, const json_t *spec,
                  job_player_reader *reader);

/* A reader that accepts what player_read() accepts. */
job_player_reader spec_check_player;

/* The following read a spec of spec_read(). */
int64_t spec_whole(const json_t *spec, const char *name);

/* "profile": rules, ice and its noise; "seed"; "limits"; the length of games, where the job plays
 * some. False, and the job has failed, if pairs cannot be played like this. */
bool spec_setting(struct worker *worker, const json_t *spec, struct pair_setting *ret_setting);

/* A player from its text. False, and the job has failed. */
bool spec_player(struct worker *worker, const json_t *text, struct player *ret_player);

/* Fails the job with the first error; returns NULL. */
json_t *spec_fail(struct worker *worker, const struct strict_errors *errors);

/* --- progress --- */

struct course {
    struct worker *worker;
    int64_t total, skipped;    /* all units of work, and those of an earlier attempt */
    double start_s, partial_s; /* of the attempt, of the last partial result */
};

struct course course_start(struct worker *worker, int64_t total);
/* Reports `done` of the total; true every few seconds: a partial result is due. */
bool course_update(struct course *course, int64_t done, bool resumed);

command_function command_match, command_tournament, command_exploitability, command_tendencies;

#endif
