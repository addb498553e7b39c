/* Checks branches. See branch.h. */
#include "service/routes/branch.h"

#include "service/store/runs.h"

#include <stdio.h>
#include <string.h>

/* Fields that a branch shares with its run; the others may differ. */
static const char *const fixed[] = {"algorithm", "reward", "profile",        "network",
                                    "hyper",     "seeds",  "train_opponents"};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

/* The value of such a field in the run; "seeds" is the run's own seed only. NULL: it has none. The
 * caller owns it. */
static json_t *origin_of(const json_t *run, const char *field)
{
    if (strcmp(field, "seeds") == 0)
        return json_pack("[O]", json_object_get(run, "seed"));
    return json_incref(json_object_get(json_object_get(run, "spec"), field));
}

enum api_error branch_fill(struct store *store, json_t *spec)
{
    const char *id = json_string_value(json_object_get(json_object_get(spec, "from"), "run"));
    json_t *run;
    bool good = true;

    if (!id)
        return API_OK;
    enum api_error error = run_store_get(store, id, &run);
    if (error != API_OK)
        return error == API_NOT_FOUND ? API_OK : error;
    for (int k = 0; k < FIXED; k++) {
        json_t *value = json_object_get(spec, fixed[k]) ? NULL : origin_of(run, fixed[k]);
        if (value)
            good = json_object_set_new(spec, fixed[k], value) == 0 && good;
    }
    json_decref(run);
    return good ? API_OK : API_NO_MEMORY;
}

enum api_error branch_check(struct store *store, json_t *spec, const json_t *after,
                            struct strict_errors *ret_errors)
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
    error = run_store_checkpoint_at(store, id, step, &checkpoint);
    if (error == API_NOT_FOUND && !run_is_awaited(run, after))
        strict_refuse_at(ret_errors, "/spec/from/step", "value",
                         "the run has no checkpoint of step %lld (see /v1/runs/%s/checkpoints)",
                         step, id);
    for (int k = 0; k < FIXED; k++) {
        json_t *value = origin_of(run, fixed[k]);
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/spec/%s", fixed[k]);
        if (value ? !json_equal(value, json_object_get(spec, fixed[k]))
                  : json_object_get(spec, fixed[k]) != NULL)
            strict_refuse_at(ret_errors, pointer, "value", "must be as in run %s; leave it out",
                             id);
        json_decref(value);
    }
    json_decref(checkpoint);
    json_decref(run);
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    return ret_errors->count > 0 ? API_BAD_FIELD : API_OK;
}
