/* Every algorithm can be trained on every profile that it learns, with every reward, as a job is:
 * by a lead and its tasks. The rows come from the tables of fields and of profiles. */
#include "api/jobs/train_spec.h"
#include "models/tables/profiles.h"
#include "tests/programs/program.h"
#include "tests/programs/task_daemon.h"
#include "tests/slow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The field of that name which this algorithm has; NULL: none. */
static const struct field *field_of(const char *algorithm, const char *name)
{
    for (const struct field *field = train_fields; field->name; field++) {
        bool is_there = strcmp(field->name, name) == 0 && !field->by;
        for (int k = 0; field->by && field->only[k]; k++)
            is_there |= strcmp(field->name, name) == 0 && strcmp(field->only[k], algorithm) == 0;
        if (is_there)
            return field;
    }
    return NULL;
}

/* The smallest sizes that an algorithm allows; switches and rates keep their defaults. */
static json_t *smallest_hyper(const char *algorithm)
{
    json_t *hyper = json_object();

    for (const struct field *field = field_of(algorithm, "hyper")->fields; field->name; field++)
        if (field->type == FIELD_WHOLE && field->whole.most > 1)
            json_object_set_new(hyper, field->name, json_integer(field->whole.least));
    if (json_object_get(hyper, "finalists")) /* two of the smallest population have to survive */
        json_object_set_new(hyper, "survival", json_real(.5));
    return hyper;
}

static json_t *smallest(const char *algorithm, const char *reward, const char *profile)
{
    const int rounds = 2; /* the second one begins with what the first has learned */
    json_t *spec =
        json_pack("{s:s, s:[i], s:i, s:i, s:o}", "algorithm", algorithm, "seeds", 3, "iterations",
                  rounds, "checkpoint_every", rounds, "hyper", smallest_hyper(algorithm));

    if (reward)
        json_object_set_new(spec, "reward", json_string(reward));
    if (profile)
        json_object_set_new(spec, "profile", json_string(profile));
    if (field_of(algorithm, "network"))
        json_object_set_new(spec, "network",
                            json_pack("{s:s, s:[i]}", "architecture", "mlp", "hidden", 4));
    if (field_of(algorithm, "evaluate_every")) {
        json_object_set_new(spec, "evaluate_every", json_integer(rounds));
        json_object_set_new(spec, "evaluate_pairs", json_integer(1));
        json_object_set_new(spec, "opponents", json_pack("[s]", "random"));
    }
    return spec;
}

static void train(const char *folder, int row, const char *algorithm, const char *reward,
                  const char *profile)
{
    char own[4096];
    struct task_daemon daemon = {.program = RINK_LEARN,
                                 .kind = "train",
                                 .spec = smallest(algorithm, reward, profile),
                                 .runs = json_pack("[s]", "r1"),
                                 .folder = own,
                                 .hands = 1,
                                 .seed = 7};

    assert_true(snprintf(own, sizeof own, "%s/%d", folder, row) < (int)sizeof own);
    assert_int_equal(mkdir(own, 0700), 0);
    task_daemon_run(&daemon);
    if (!daemon.result || daemon.refusals > 0)
        fail_msg("%s, %s, %s: %d refusals: %s %s", algorithm, reward ? reward : "no reward",
                 profile ? profile : "no profile", daemon.refusals, daemon.code, daemon.detail);
    assert_true(json_object_size(daemon.models) > 0);
    json_decref(daemon.spec);
    json_decref(daemon.runs);
    task_daemon_free(&daemon);
}

/* Trains on a profile (NULL: the algorithm has none) with every reward, where that is slow with the
 * first. */
static int train_on(const char *folder, int row, const char *algorithm, const char *profile)
{
    const struct field *reward = field_of(algorithm, "reward");
    int k = 0;

    do
        train(folder, row + k, algorithm, reward ? reward->choices[k] : NULL, profile);
    while (reward && reward->choices[++k] && !BUILD_IS_SLOW);
    return row + (reward ? k : 1);
}

static void every_algorithm_learns_every_profile_with_every_reward(void **state)
{
    const char *const *algorithms = field_of("", "algorithm")->choices;
    const struct profile *profile;
    int row = 0;

    for (int k = 0; algorithms[k]; k++) {
        const struct field *on = field_of(algorithms[k], "profile");
        const int before = row;
        if (!on)
            row = train_on(*state, row, algorithms[k], NULL);
        for (int p = 0; on && (profile = profile_at(p)) != NULL; p++)
            if (!on->is_learned || profile_is_learnable(profile))
                row = train_on(*state, row, algorithms[k], profile->name);
        print_message("%s: %d trainings\n", algorithms[k], row - before);
        assert_true(row > before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_algorithm_learns_every_profile_with_every_reward,
                                        program_make_folder, program_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
