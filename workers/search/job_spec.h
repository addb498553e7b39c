/* Specs of jobs, for the workers whose jobs name players. */
#ifndef RINKD_WORKERS_SEARCH_JOB_SPEC_H
#define RINKD_WORKERS_SEARCH_JOB_SPEC_H

#include "api/fields/job_fields.h"
#include "workers/worker.h"

struct player;

/* Returns the spec of a job, read by the fields of its kind (api/jobs/job_kinds.h); `reader` checks
 * players. The caller owns it. NULL: the job has failed, and worker_fail() has named the wrong
 * field. */
json_t *spec_read(struct worker *worker, const struct wire_job *job, const json_t *spec,
                  job_player_reader *reader);

/* A reader that accepts the same players as player_read(). */
job_player_reader spec_check_player;

/* The following functions read a spec from spec_read(). */
int64_t spec_whole(const json_t *spec, const char *name);

/* Reads a player from its text; the second one also players that take turns. False, and the job has
 * failed. */
bool spec_player(struct worker *worker, const json_t *text, struct player *ret_player);
bool spec_player_turns(struct worker *worker, const json_t *text, struct player *ret_player);

#endif
