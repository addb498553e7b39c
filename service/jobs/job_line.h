/* The "job" line (api/wire.h), which gives a worker its job: the spec, and facts known only when
 * the job starts. */
#ifndef RINKD_SERVICE_JOBS_JOB_LINE_H
#define RINKD_SERVICE_JOBS_JOB_LINE_H

#include "service/store/jobs.h"

#include <jansson.h>

enum { JOB_LINE_WHY_MAX = 256 };

/* Why a job can never run: an error for callers. text "": it can. */
struct job_line_why {
    const char *code;
    char text[JOB_LINE_WHY_MAX];
};

/* In the transaction of the claim: makes the line, for wire_line(), with the job's runs (a
 * diagnosis without one gets one), the results that a ladder is computed from, and the checkpoint
 * that a branch starts from. Policies that earlier jobs were to learn are replaced by what they
 * learned, in the claim and the job, too. The caller owns *ret_line. For a job that can never run
 * (its checkpoint is gone) returns API_OK and says why in *ret_why. */
enum api_error job_line_make(struct store *store, const char *data, struct job_claim *claim,
                             int64_t now_ms, json_t **ret_line, struct job_line_why *ret_why);

#endif
