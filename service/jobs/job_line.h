/* The "job" line (api/jobs/wire.h), which gives a worker its job: the spec, and facts known only
 * when the job starts. */
#ifndef RINKD_SERVICE_JOBS_JOB_LINE_H
#define RINKD_SERVICE_JOBS_JOB_LINE_H

#include "api/jobs/job_kinds.h"
#include "service/store/jobs.h"

#include <jansson.h>

enum { JOB_LINE_WHY_MAX = 256 };

/* Why a job can never run: an error for callers. text "": it can. */
struct job_line_why {
    const char *code;
    char text[JOB_LINE_WHY_MAX];
};

/* What a worker hears when it starts. */
struct job_lines {
    json_t *job;             /* the line "job", for wire_line() */
    json_t *news;            /* lines after it, for a lead: an array; NULL: none */
    struct job_line_why why; /* why the job can never run */
};

/* In the transaction of the claim: makes the line with the job's runs (a diagnosis without one gets
 * one), the results that a ladder is computed from, the record of the game that a review is about,
 * and the checkpoint that a branch starts from.
 * Policies that earlier jobs were to learn are replaced by what they learned, in the claim and the
 * job, too. The line of a claim with a task gives that task; without one, of a kind with tasks, it
 * makes the worker their lead, with `hands` processes that can work on them. The caller owns the
 * lines. For a job that can never run (its checkpoint is gone) returns API_OK and says why. */
enum api_error job_line_make(struct store *store, const char *data, struct job_claim *claim,
                             int hands, int64_t now_ms, struct job_lines *ret_lines);

/* Adds to a spec the record of the game that it names, if jobs of this kind get one. */
enum api_error job_line_fill_record(struct store *store, const char *data,
                                    const struct job_kind *kind, json_t *spec);

#endif
