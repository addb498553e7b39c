/* Policies of runs: named after their runs, pruned when old, kept while in use; checkpoints
 * likewise. */
#include "tests/unit/service/store/stage.h"

#include "service/store/policies.h"
#include "service/store/registry.h"
#include "service/store/runs.h"

#include <stdio.h>
#include <string.h>

/* ---- helpers ---- */

static void hash_of(int64_t step, char ret_sha256[65])
{
    snprintf(ret_sha256, 65, "%064llx", 0xabc000ull + (unsigned long long)step);
}

static int64_t add_run(struct stage *s, char ret_run[RUN_ID_MAX])
{
    int64_t job = stage_add(s, "train");
    const struct run_new run = {.job = job, .seed = 1, .spec = "{}", .versions = "{}"};

    assert_int_equal(IN_COMMIT(s, run_store_add(s->store, &run, 1000, ret_run)), API_OK);
    return job;
}

static enum api_error put(struct stage *s, int64_t job, const char *run, const char *name,
                          int64_t step, const char *sha256, json_t *gone)
{
    const struct policy_new policy = {.job = job,
                                      .run = run,
                                      .name = name,
                                      .sha256 = sha256,
                                      .card = "{}",
                                      .step = step,
                                      .bytes = 10};
    return IN_COMMIT(s, policy_store_add(s->store, &policy, 1000 + step, gone));
}

/* Adds policies "average" of the steps 1 … count. */
static void put_many(struct stage *s, int64_t job, const char *run, int count)
{
    char sha256[65];
    json_t *gone = json_array();

    for (int step = 1; step <= count; step++) {
        hash_of(step, sha256);
        assert_int_equal(put(s, job, run, "average", step, sha256, gone), API_OK);
    }
    assert_int_equal(json_array_size(gone), 0);
    json_decref(gone);
}

static bool has_model(struct stage *s, const char *run, int step)
{
    char name[REGISTRY_NAME_MAX];
    json_t *model = NULL;

    snprintf(name, sizeof name, "%s.average.%d", run, step);
    enum api_error error = model_store_get(s->store, name, &model);
    json_decref(model);
    return error == API_OK;
}

/* Returns the step of the policy that RUN.average names. */
static int64_t step_of_alias(struct stage *s, const char *run)
{
    char alias[REGISTRY_NAME_MAX];
    json_t *model;

    snprintf(alias, sizeof alias, "%s.average", run);
    assert_int_equal(model_store_get(s->store, alias, &model), API_OK);
    int64_t step = json_integer_value(json_object_get(model, "step"));
    json_decref(model);
    return step;
}

/* ---- scenarios ---- */

static void names_of_runs_are_known(void **state)
{
    (void)state;
    assert_true(policy_name_is_of_run("0123456789abcdef0123456789abcdef.average"));
    assert_false(policy_name_is_of_run("0123456789abcdef0123456789abcdef"));
    assert_false(policy_name_is_of_run("0123456789abcdef0123456789abcde.average"));
    assert_false(policy_name_is_of_run("champion.average"));
}

static void a_policy_is_a_model_whose_alias_moves_on(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], name[REGISTRY_NAME_MAX];
    int64_t job = add_run(s, run);
    json_t *model, *shown;

    put_many(s, job, run, 2);
    assert_int_equal(step_of_alias(s, run), 2);
    snprintf(name, sizeof name, "%s.average.1", run);
    assert_int_equal(model_store_get(s->store, name, &model), API_OK);
    assert_string_equal(json_string_value(json_object_get(model, "run")), run);
    assert_string_equal(json_string_value(json_object_get(model, "policy")), "average");
    assert_int_equal(json_array_size(json_object_get(model, "aliases")), 0);
    json_decref(model);
    /* Reported again after a resume: the alias does not go back. */
    char sha256[65];
    json_t *gone = json_array();
    hash_of(1, sha256);
    assert_int_equal(put(s, job, run, "average", 1, sha256, gone), API_OK);
    assert_int_equal(step_of_alias(s, run), 2);
    assert_int_equal(json_array_size(gone), 0);
    json_decref(gone);

    assert_int_equal(run_store_get(s->store, run, &shown), API_OK);
    json_t *policies = json_object_get(shown, "policies");
    assert_int_equal(json_array_size(policies), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(policies, 0), "step")), 2);
    hash_of(2, sha256);
    assert_string_equal(json_string_value(json_object_get(json_array_get(policies, 0), "sha256")),
                        sha256);
    json_decref(shown);
}

static void other_weights_of_the_same_step_replace_it(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], first[65], second[65];
    int64_t job = add_run(s, run);
    json_t *gone = json_array();

    hash_of(1, first);
    hash_of(99, second);
    assert_int_equal(put(s, job, run, "average", 1, first, gone), API_OK);
    assert_int_equal(put(s, job, run, "average", 1, second, gone), API_OK);
    assert_int_equal(json_array_size(gone), 1);
    assert_string_equal(json_string_value(json_array_get(gone, 0)), first);
    json_decref(gone);
}

static void only_the_job_of_a_run_gives_its_policies(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], sha256[65];
    int64_t job = add_run(s, run);
    json_t *gone = json_array();

    hash_of(1, sha256);
    assert_int_equal(put(s, job + 1, run, "average", 1, sha256, gone), API_NOT_FOUND);
    assert_int_equal(put(s, job, "x", "average", 1, sha256, gone), API_NOT_FOUND);
    assert_int_equal(put(s, job, run, "averageaverageaverage", 123456789012, sha256, gone),
                     API_BAD_FIELD);
    json_decref(gone);
}

static void old_policies_are_deleted_unless_used(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], name[REGISTRY_NAME_MAX], sha256[65], missing[65], spec[200];
    int64_t job = add_run(s, run);
    json_t *gone = json_array();
    bool in_use;

    put_many(s, job, run, 8);
    /* 1 is a champion, 2 a registered player, 3 used by a waiting job, 4 by an ended one. */
    snprintf(name, sizeof name, "%s.average.1", run);
    assert_int_equal(IN_COMMIT(s, model_store_alias(s->store, "champion", name, 2000)), API_OK);
    hash_of(2, sha256);
    snprintf(spec, sizeof spec, "policy:weights=%s,choice=sample", sha256);
    assert_int_equal(
        IN_COMMIT(s, player_store_add(s->store, &(struct player_new){"old", spec, ""}, 2000)),
        API_OK);
    int64_t jobs[2] = {stage_add(s, "match"), stage_add(s, "match")};
    enum job_state was;
    for (int k = 0; k < 2; k++) {
        hash_of(3 + k, sha256);
        assert_int_equal(IN_COMMIT(s, weights_store_use(s->store, jobs[k], sha256)), API_OK);
        assert_int_equal(IN_COMMIT(s, weights_store_use(s->store, jobs[k], sha256)), API_OK);
    }
    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, jobs[1], JOB_CANCEL, NULL, NULL, 2000, &was)), API_OK);
    hash_of(3, sha256);
    assert_int_equal(weights_store_in_use(s->store, sha256, &in_use), API_OK);
    assert_true(in_use);
    hash_of(4, sha256);
    assert_int_equal(weights_store_in_use(s->store, sha256, &in_use), API_OK);
    assert_false(in_use);

    assert_int_equal(IN_COMMIT(s, policy_store_prune(s->store, run, "average", 2, gone)), API_OK);
    static const bool stays[] = {true, true, true, false, false, false, true, true};
    for (int step = 1; step <= 8; step++)
        assert_int_equal(has_model(s, run, step), stays[step - 1]);
    assert_int_equal(json_array_size(gone), 3);
    json_decref(gone);

    /* The weights of the ended job count as missing if it is to continue. */
    assert_int_equal(weights_store_missing(s->store, jobs[0], missing), API_OK);
    assert_string_equal(missing, "");
    assert_int_equal(weights_store_missing(s->store, jobs[1], missing), API_OK);
    hash_of(4, sha256);
    assert_string_equal(missing, sha256);

    /* Once the waiting job ends, its weights may go. */
    gone = json_array();
    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, jobs[0], JOB_CANCEL, NULL, NULL, 2000, &was)), API_OK);
    assert_int_equal(IN_COMMIT(s, policy_store_prune(s->store, run, "average", 2, gone)), API_OK);
    assert_int_equal(json_array_size(gone), 1);
    json_decref(gone);
}

static void policies_go_with_their_job_but_for_those_needed(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], name[REGISTRY_NAME_MAX];
    int64_t job = add_run(s, run);
    json_t *gone = json_array(), *model;

    put_many(s, job, run, 3);
    snprintf(name, sizeof name, "%s.average.2", run);
    assert_int_equal(IN_COMMIT(s, model_store_alias(s->store, "champion", name, 2000)), API_OK);
    assert_int_equal(IN_COMMIT(s, policy_store_forget(s->store, job, gone)), API_OK);
    assert_int_equal(json_array_size(gone), 2);
    assert_int_equal(model_store_get(s->store, "champion", &model), API_OK);
    assert_string_equal(json_string_value(json_object_get(model, "name")), name);
    json_decref(model);
    snprintf(name, sizeof name, "%s.average", run);
    assert_int_equal(model_store_get(s->store, name, &model), API_NOT_FOUND);
    json_decref(gone);
}

/* ---- checkpoints ---- */

static void put_checkpoints(struct stage *s, int64_t job, const char *run, int count)
{
    char path[64], sha256[65];
    json_t *gone = json_array();

    for (int step = 1; step <= count; step++) {
        snprintf(path, sizeof path, "%s-%d.checkpoint", run, step);
        hash_of(step, sha256);
        const struct run_checkpoint checkpoint = {
            .run = run, .path = path, .sha256 = sha256, .job = job, .step = step, .bytes = 5};
        assert_int_equal(IN_COMMIT(s, run_store_checkpoint(s->store, &checkpoint, 1000, gone)),
                         API_OK);
    }
    assert_int_equal(json_array_size(gone), 0);
    json_decref(gone);
}

static void old_checkpoints_go_unless_a_branch_begins_with_them(void **state)
{
    struct stage *s = *state;
    char run[RUN_ID_MAX], spec[120];
    int64_t job = add_run(s, run), branch;
    json_t *gone = json_array(), *checkpoint, *paths;
    enum job_state was;
    put_checkpoints(s, job, run, 6);
    snprintf(spec, sizeof spec, "{\"from\":{\"run\":\"%s\",\"step\":2}}", run);
    assert_int_equal(
        IN_COMMIT(s, job_store_add(s->store, &(struct job_new){.kind = "train", .spec = spec}, 1000,
                                   &branch)),
        API_OK);
    assert_int_equal(IN_COMMIT(s, run_store_prune(s->store, run, 2, gone)), API_OK);
    assert_int_equal(json_array_size(gone), 3);
    assert_int_equal(run_store_checkpoint_at(s->store, run, 2, &checkpoint), API_OK);
    assert_int_equal(json_integer_value(json_object_get(checkpoint, "job")), job);
    json_decref(checkpoint);
    assert_int_equal(run_store_checkpoint_at(s->store, run, 3, &checkpoint), API_NOT_FOUND);
    assert_int_equal(run_store_files(s->store, job, &paths), API_OK);
    assert_int_equal(json_array_size(paths), 3);
    json_decref(paths);

    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, branch, JOB_CANCEL, NULL, NULL, 2000, &was)), API_OK);
    assert_int_equal(IN_COMMIT(s, run_store_prune(s->store, run, 2, gone)), API_OK);
    assert_int_equal(json_array_size(gone), 4);
    assert_int_equal(IN_COMMIT(s, run_store_prune(s->store, run, 1, gone)), API_OK);
    assert_int_equal(run_store_checkpoint_at(s->store, run, 6, &checkpoint), API_OK);
    json_decref(checkpoint);
    json_decref(gone);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_runs_are_known),
        SCENARIO(a_policy_is_a_model_whose_alias_moves_on),
        SCENARIO(other_weights_of_the_same_step_replace_it),
        SCENARIO(only_the_job_of_a_run_gives_its_policies),
        SCENARIO(old_policies_are_deleted_unless_used),
        SCENARIO(policies_go_with_their_job_but_for_those_needed),
        SCENARIO(old_checkpoints_go_unless_a_branch_begins_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
