/* Removes an ended job with everything that belongs to it: first its rows, in a transaction, and
 * after the commit its files. A kill in between leaves files without rows, which the next start
 * moves to lost+found (job_folder.h, model_files.h). */
#ifndef RINKD_SERVICE_JOBS_JOB_REMOVAL_H
#define RINKD_SERVICE_JOBS_JOB_REMOVAL_H

#include "api/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct core;
struct store;

/* Deletes the rows of a job and its models, except those in use; appends to `gone_weights` the
 * hashes of weights that no model has any more. API_NOT_FOUND: no such job. API_STATE: it has not
 * ended, or job *ret_needed_by (0: none) has not ended and needs it (store/job_needs.h). */
enum api_error job_remove_rows(struct store *store, int64_t id, int64_t now_ms,
                               json_t *gone_weights, int64_t *ret_needed_by);

/* Deletes the files after the commit; any thread. */
void job_remove_files(struct core *core, const char *data, int64_t id, const json_t *gone_weights);

#endif
