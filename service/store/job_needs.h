/* What a job needs of other jobs until it has ended: the games, checkpoints and policies that its
 * spec names, by the fields of its kind (api/fields/job_fields.h). */
#ifndef RINKD_SERVICE_STORE_JOB_NEEDS_H
#define RINKD_SERVICE_STORE_JOB_NEEDS_H

#include "service/store/store.h"

/* Notes whose things the spec names; replaces what was noted of the job. A name of nothing is no
 * error. */
enum api_error job_needs_note(struct store *store, int64_t job, const char *kind, json_t *spec);

/* The first job that has not ended and needs this one; 0: there is none. */
enum api_error job_needs_who(struct store *store, int64_t job, int64_t *ret_by);
/* Whether there is one. */
enum api_error job_needs_any(struct store *store, int64_t job, bool *ret_is);

#endif
