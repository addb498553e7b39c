/* Requests for jobs: the body of POST /v1/jobs.
 *
 *   {"kind","spec","priority"?,"delay_s"?,"max_attempts"?,"dry_run"?}
 *
 * The spec is read by the fields of its kind (job_kinds.h), which also fill in the defaults. */
#ifndef RINKD_API_JOB_JSON_H
#define RINKD_API_JOB_JSON_H

#include "api/error.h"
#include "api/job_kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct job_request {
    const struct job_kind *kind;
    json_t *spec; /* the caller's: every field is there, players are specs */
    int priority; /* smaller is earlier */
    int64_t delay_ms;
    int max_attempts; /* 0: as many as the queue gives */
    bool dry_run;
};

/* Reads a request. API_BAD_FIELD and at least one error; API_NO_MEMORY. *ret_request is written on
 * API_OK only, *ret_errors always. */
enum api_error job_request_read(json_t *document, job_player_reader *reader, void *context,
                                struct job_request *ret_request, struct strict_errors *ret_errors);

/* The resolved spec of a job of this kind that follows one with the spec `ended`: its fields have
 * the values that they have there, or their defaults. API_BAD_FIELD: they do not fit;
 * API_NO_MEMORY. */
enum api_error job_follower_spec(const struct job_kind *kind, const json_t *ended,
                                 json_t **ret_spec);

/* How many seconds a resolved spec takes at most, where its limits say so; NAN: not known. */
double job_estimate_s(const struct job_kind *kind, const json_t *spec);

#ifdef __cplusplus
}
#endif

#endif
