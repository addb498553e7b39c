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
 * ended. *ret_branched: API_STATE because an unfinished job starts from one of
 * its checkpoints. */
enum api_error job_remove_rows(struct store *store, int64_t id, int64_t now_ms,
                               json_t *gone_weights, bool *ret_branched);

/* Deletes the files after the commit; any thread. */
void job_remove_files(struct core *core, const char *data, int64_t id, const json_t *gone_weights);

#endif
