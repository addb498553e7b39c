/* What a branch may be. See branch.h. */
#include "service/routes/branch.h"

#include "service/store/runs.h"

#include <stdio.h>
#include <string.h>

/* What a checkpoint is of: all else may be another in the branch. */
static const char *const fixed[] = {"algorithm", "profile", "network", NULL};

enum api_error branch_check(struct store *store, json_t *spec, struct strict_errors *ret_errors)
{
    json_t *from = json_object_get(spec, "from"), *run, *checkpoint = NULL;
    const char *id = json_string_value(json_object_get(from, "run"));
    long long step = json_integer_value(json_object_get(from, "step"));

    *ret_errors = (struct strict_errors){.count = 0};
    if (!from)
        return API_OK;
    enum api_error error = run_store_get(store, id, &run);
    if (error == API_NOT_FOUND)
        strict_refuse_at(ret_errors, "/spec/from/run", "value", "there is no such run");
    if (error != API_OK)
        return error == API_NOT_FOUND ? API_BAD_FIELD : error;
    const json_t *origin = json_object_get(run, "spec");
    error = run_store_checkpoint_at(store, id, step, &checkpoint);
    if (error == API_NOT_FOUND)
        strict_refuse_at(ret_errors, "/spec/from/step", "value",
                         "the run has no checkpoint of step %lld (see /v1/runs/%s/checkpoints)",
                         step, id);
    for (int k = 0; fixed[k]; k++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/spec/%s", fixed[k]);
        if (!json_equal(json_object_get(origin, fixed[k]), json_object_get(spec, fixed[k])))
            strict_refuse_at(ret_errors, pointer, "value", "has to be that of the run %s", id);
    }
    json_decref(checkpoint);
    json_decref(run);
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    return ret_errors->count > 0 ? API_BAD_FIELD : API_OK;
}
