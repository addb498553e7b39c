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

/* Whether the run is a training with the algorithm of the spec, if that names one. Its fields say
 * nothing to another one. */
static bool can_go_on(const json_t *run, const json_t *spec)
{
    const json_t *algorithm = json_object_get(spec, "algorithm"),
                 *own = json_object_get(json_object_get(run, "spec"), "algorithm");

    return own && (!algorithm || json_equal(algorithm, own));
}

/* Refuses what cannot go on from a run at all, in a sentence. */
static void refuse_run(const json_t *run, const char *id, struct strict_errors *errors)
{
    const char *own = json_string_value(json_object_get(json_object_get(run, "spec"), "algorithm"));

    if (own)
        strict_refuse_at(errors, "/spec/algorithm", "value",
                         "run %s goes on with its own algorithm, %s; leave it out", id, own);
    else
        strict_refuse_at(errors, "/spec/from/run", "value", "is not a run of a training");
}

/* Refuses fields that differ from those of the run. */
static void check_fixed(const json_t *run, const char *id, const json_t *spec,
                        struct strict_errors *errors)
{
    for (int k = 0; k < FIXED; k++) {
        json_t *value = origin_of(run, fixed[k]);
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/spec/%s", fixed[k]);
        if (value ? !json_equal(value, json_object_get(spec, fixed[k]))
                  : json_object_get(spec, fixed[k]) != NULL)
            strict_refuse_at(errors, pointer, "value", "must be as in run %s; leave it out", id);
        json_decref(value);
    }
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
    const bool fits = can_go_on(run, spec);
    for (int k = 0; k < FIXED && fits; k++) {
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
    if (error == API_NOT_FOUND && can_go_on(run, spec) && !run_is_awaited(run, after))
        strict_refuse_at(ret_errors, "/spec/from/step", "value",
                         "the run has no checkpoint of step %lld (see /v1/runs/%s/checkpoints)",
                         step, id);
    if (!can_go_on(run, spec))
        refuse_run(run, id, ret_errors);
    else
        check_fixed(run, id, spec, ret_errors);
    if (json_integer_value(json_object_get(spec, "iterations")) <= step)
        strict_refuse_at(ret_errors, "/spec/iterations", "range",
                         "is a total, with those before the checkpoint: must be more than its "
                         "step, %lld",
                         step);
    json_decref(checkpoint);
    json_decref(run);
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    return ret_errors->count > 0 ? API_BAD_FIELD : API_OK;
}
