/* Removes ended jobs. See job_removal.h. */
#include "service/jobs/job_removal.h"

#include "service/jobs/job_folder.h"
#include "service/jobs/notes.h"
#include "service/models/model_files.h"
#include "service/store/job_needs.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"

#include <string.h>

/* Whatever followed from the results of the job is computed again without them. */
static enum api_error remove_job(struct store *store, int64_t id, const json_t *job, int64_t now_ms,
                                 json_t *gone_weights)
{
    enum api_error error = policy_store_forget(store, id, gone_weights);

    if (error == API_OK)
        error = job_store_delete(store, id);
    if (error == API_OK && strcmp(json_string_value(json_object_get(job, "state")),
                                  job_state_name(JOB_DONE)) == 0) /* only those have results */
        error = notes_deleted(store, json_string_value(json_object_get(job, "kind")),
                              json_object_get(job, "spec"), now_ms);
    return error;
}

enum api_error job_remove_rows(struct store *store, int64_t id, int64_t now_ms,
                               json_t *gone_weights, int64_t *ret_needed_by)
{
    json_t *job = NULL;
    enum api_error error = job_store_get(store, id, &job);

    *ret_needed_by = 0;
    if (error == API_OK)
        error = job_needs_who(store, id, ret_needed_by);
    if (error == API_OK)
        error = *ret_needed_by ? API_STATE : remove_job(store, id, job, now_ms, gone_weights);
    json_decref(job);
    return error;
}

void job_remove_files(struct core *core, const char *data, int64_t id, const json_t *gone_weights)
{
    const json_t *sha256;
    size_t k;

    json_array_foreach(gone_weights, k, sha256)
        model_file_remove(core, data, json_string_value(sha256));
    job_folder_remove(data, id);
}
