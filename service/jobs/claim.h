/* What a worker is told of a job that was claimed for it: the "job" line (api/wire.h), with what is
 * only known when the job starts. */
#ifndef RINKD_SERVICE_JOBS_CLAIM_H
#define RINKD_SERVICE_JOBS_CLAIM_H

#include "service/store/jobs.h"

#include <jansson.h>

enum { CLAIM_WHY_MAX = 256 };

/* In the transaction of the claim: finds the job's runs (one is made for a diagnosis that was added
 * without), for a ladder the games that it is made of, for a branch the checkpoint that it begins
 * with. *ret_runs is the caller's. A job that can never be done (its checkpoint is gone) is API_OK
 * with a sentence in ret_why, which is else empty. */
enum api_error claim_prepare(struct store *store, const char *data, struct job_claim *claim,
                             int64_t now_ms, json_t **ret_runs, char ret_why[CLAIM_WHY_MAX]);

/* The line, for wire_line(); steals `runs`. NULL: memory is short. */
json_t *claim_line(const struct job_claim *claim, json_t *runs, const char *folder);

#endif
