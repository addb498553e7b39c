/* Requests for jobs: the body of POST /v1/jobs.
 *
 *   {"kind","spec","priority"?,"delay_s"?,"max_attempts"?,"cores"?,"dry_run"?,
 *    "after"?,"after_failure"?}
 *
 * The fields of the job's kind (job_kinds.h) say how to read the spec, and its defaults. */
#ifndef RINKD_API_JOBS_JOB_JSON_H
#define RINKD_API_JOBS_JOB_JSON_H

#include "api/base/error.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/job_states.h"

enum { JOB_CORES_MAX = 100000 }; /* of "cores" */

struct job_request {
    const struct job_kind *kind;
    json_t *spec; /* owned by the caller; complete, players are specs */
    int priority; /* smaller is earlier */
    int64_t delay_ms;
    int max_attempts; /* 0: the queue's number */
    int cores;        /* that its tasks may occupy together; 0: all there are */
    bool dry_run;
    int64_t after[JOB_AFTER_MAX]; /* the jobs that have to end first, each once */
    int after_count;
    enum job_if_failed if_failed;
};

/* Reads a request. Returns API_OK, API_NO_MEMORY, or API_BAD_FIELD with at least one error. Writes
 * *ret_request on API_OK only, *ret_errors always. */
enum api_error job_request_read(json_t *document, job_player_reader *reader, void *context,
                                struct job_request *ret_request, struct strict_errors *ret_errors);

/* Whether a resolved spec still reads by the fields of its kind; players are taken as they are.
 * API_BAD_FIELD: there are errors. */
enum api_error job_spec_check(const struct job_kind *kind, json_t *spec,
                              struct strict_errors *ret_errors);

/* Makes the resolved spec of a job of this kind that follows a job with the spec `ended`: fields
 * keep their values from `ended` or get their defaults. API_BAD_FIELD: the values are invalid here;
 * API_NO_MEMORY. */
enum api_error job_follower_spec(const struct job_kind *kind, const json_t *ended,
                                 json_t **ret_spec);

/* Upper bound of the seconds that a resolved spec takes, from its limits; NAN: not known. */
double job_estimate_s(const struct job_kind *kind, const json_t *spec);

#endif
