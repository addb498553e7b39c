/* Trainings in tasks, with the test in place of the daemon: each seed is a task, and ends like one
 * that was never stopped, wherever and however often its process dies. */
#include "tests/programs/program.h"
#include "tests/programs/task_daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ---- */

/* Kuhn poker takes a second; curling as small as this learns nothing, but has models. */
#define KUHN                                                                                   \
    "{\"algorithm\":\"nfsp\",\"reward\":\"fr\",\"profile\":\"kuhn\",\"iterations\":9000,"      \
    "\"seeds\":[1,2,3],\"network\":{\"architecture\":\"mlp\",\"hidden\":[16]},\"hyper\":{"     \
    "\"parallel\":16,\"batch\":32,\"warm_up\":64,\"response_memory\":2000,\"average_memory\":" \
    "4000},\"opponents\":[],\"evaluate_every\":0,\"exploitability_every\":0,"                  \
    "\"checkpoint_every\":1000,\"keep_checkpoints\":3,\"device\":\"cpu\",\"threads\":1}"
#define CURLING                                                                                   \
    "{\"algorithm\":\"nfsp\",\"reward\":\"ser\",\"profile\":\"dc2\",\"iterations\":120,"          \
    "\"seeds\":[1,2],\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{"           \
    "\"parallel\":4,\"batch\":8,\"warm_up\":64,\"response_memory\":2000,\"average_memory\":4000," \
    "\"candidates\":3},\"opponents\":[\"random\"],\"evaluate_every\":40,\"evaluate_pairs\":2,"    \
    "\"exploitability_every\":0,\"checkpoint_every\":20,\"keep_checkpoints\":3,\"device\":"       \
    "\"cpu\",\"threads\":1}"

/* In rounds. Further sweeps and iterations: rounds_test.c. */
#define VALUE                                                                                   \
    "{\"algorithm\":\"value\",\"profile\":\"dc2\",\"iterations\":3,\"seeds\":[3,4],\"hyper\":{" \
    "\"states\":100,\"simulations\":100,\"epochs\":3},\"checkpoint_every\":2,\"keep_"           \
    "checkpoints\":"                                                                            \
    "3,\"threads\":1}"
#define GPI                                                                                    \
    "{\"algorithm\":\"gpi\",\"profile\":\"dc2\",\"iterations\":3,\"seeds\":[3,4],\"hyper\":{"  \
    "\"first_samples\":300,\"samples\":100,\"draws_before\":2,\"draws_after\":4,\"hidden\":8," \
    "\"hidden2\":8,\"batch\":16,\"epochs\":2},\"opponents\":[],\"evaluate_every\":0,"          \
    "\"checkpoint_every\":2,\"keep_checkpoints\":3,\"threads\":1}"

#define POLICY_VALUE                                                                            \
    "{\"algorithm\":\"policy-value\",\"profile\":\"dc2\",\"iterations\":3,\"seeds\":[3,4],"     \
    "\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"teacher_simulations\":" \
    "100,\"first_ends\":24,\"first_epochs\":2,\"ends\":16,\"simulations\":20,\"memory\":20,"    \
    "\"epochs\":2,\"batch\":32},\"opponents\":[\"random\"],\"evaluate_every\":1,"               \
    "\"evaluate_pairs\":1,\"checkpoint_every\":2,"                                              \
    "\"keep_checkpoints\":3,\"threads\":1}"

/* So many rounds that files of the first ones are not kept to the end. */
#define LONG                                                                                   \
    "{\"algorithm\":\"gpi\",\"profile\":\"dc2\",\"iterations\":22,\"seeds\":[3],\"hyper\":{"   \
    "\"first_samples\":100,\"samples\":100,\"draws_before\":1,\"draws_after\":1,\"hidden\":4," \
    "\"hidden2\":4,\"batch\":16,\"epochs\":1},\"opponents\":[],\"evaluate_every\":0,"          \
    "\"checkpoint_every\":22,\"keep_checkpoints\":3,\"threads\":1}"
enum { LONG_ROUNDS = 22, ROUNDS_KEPT = 16 /* worker_train_rounds_lead.c */ };

static struct task_daemon daemon_of(const char *spec, const char *folder)
{
    struct task_daemon daemon = {.program = RINK_LEARN,
                                 .kind = "train",
                                 .spec = json_loads(spec, 0, NULL),
                                 .runs = json_array(),
                                 .folder = folder,
                                 .hands = 1,
                                 .seed = 7};

    assert_non_null(daemon.spec);
    for (size_t k = 0; k < json_array_size(json_object_get(daemon.spec, "seeds")); k++)
        json_array_append_new(daemon.runs, json_sprintf("r%zu", k + 1));
    return daemon;
}

static void free_daemon(struct task_daemon *daemon)
{
    json_decref(daemon->spec);
    json_decref(daemon->runs);
    task_daemon_free(daemon);
}

static char *folder_of(void *const *state, const char *name)
{
    char *folder;

    assert_true(asprintf(&folder, "%s/%s", (char *)*state, name) > 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    return folder;
}

static double cpu_s_of(const json_t *result, size_t run)
{
    const json_t *runs = json_object_get(result, "runs");

    return json_number_value(json_object_get(json_array_get(runs, run), "cpu_s"));
}

/* Processor time of all tasks of a run is summed, none twice: a rough look, as machines vary. */
static void assert_cpu_is_summed(const struct task_daemon *daemon,
                                 const struct task_daemon *expected)
{
    for (size_t k = 0; k < json_array_size(daemon->runs); k++) {
        const double here = cpu_s_of(daemon->result, k), there = cpu_s_of(expected->result, k);
        if (here < .3 * there || here > 4.0 * there)
            fail_msg("run %zu took %g s of processors, not about %g s", k, here, there);
    }
}

static void remove_times(json_t *result)
{
    json_t *run;
    size_t k;

    json_array_foreach(json_object_get(result, "runs"), k, run) json_object_del(run, "cpu_s");
}

static void assert_equal(const json_t *one, const json_t *other, const char *what)
{
    if (json_equal(one, other))
        return;
    fail_msg("%s\n%s\nis not\n%s", what, json_dumps(one, JSON_COMPACT | JSON_SORT_KEYS),
             json_dumps(other, JSON_COMPACT | JSON_SORT_KEYS));
}

static void assert_same(struct task_daemon *daemon, struct task_daemon *expected)
{
    if (!daemon->result)
        fail_msg("the job failed: %s: %s", daemon->code, daemon->detail);
    remove_times(daemon->result);
    remove_times(expected->result);
    assert_equal(daemon->result, expected->result, "the result");
    assert_equal(daemon->metrics, expected->metrics, "the curves");
    assert_equal(daemon->models, expected->models, "the models");
}

/* The training done by one worker. */
static struct task_daemon done_by_one(void **state, const char *spec)
{
    char *folder = folder_of(state, "whole");
    struct task_daemon daemon = daemon_of(spec, folder);

    task_daemon_run_whole(&daemon);
    if (!daemon.result)
        fail_msg("%s", daemon.detail);
    free(folder);
    return daemon;
}

static void compare(void **state, const char *spec, double kill_share, bool is_in_rounds)
{
    struct task_daemon expected = done_by_one(state, spec);

    for (int k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "tasks-%d", k);
        char *folder = folder_of(state, name);
        struct task_daemon daemon = daemon_of(spec, folder);
        daemon.hands = k + 1;
        daemon.kill_share = k > 0 ? kill_share : 0.0;
        daemon.kills_most = 12;
        daemon.far = k == 2;
        task_daemon_run(&daemon);
        if (daemon.result && is_in_rounds && k == 0)
            assert_cpu_is_summed(&daemon, &expected);
        assert_same(&daemon, &expected);
        if (is_in_rounds)
            assert_true(daemon.offered > 2 * 3 + 3); /* fits, and items in more than a task */
        else
            assert_int_equal(daemon.offered, json_array_size(daemon.runs));
        print_message("%d hands: %d kills\n", daemon.hands, daemon.kills);
        assert_true(k == 0 || daemon.kills > (is_in_rounds ? 0 : 2));
        free_daemon(&daemon);
        free(folder);
    }
    free_daemon(&expected);
}

/* ---- scenarios ---- */

static void seeds_as_tasks_learn_the_same(void **state)
{
    compare(state, KUHN, 0.01, false);
}

/* What was judged, and the models, travel with a checkpoint. */
static void models_and_judgements_of_seeds_are_the_same(void **state)
{
    compare(state, CURLING, 0.05, false);
}

static void values_fitted_in_rounds_are_the_same(void **state)
{
    compare(state, VALUE, 0.1, true);
}

/* Outputs of items and of fits that were cut are refused and made again. */
static void unsound_outputs_of_rounds_are_made_again(void **state)
{
    struct task_daemon expected = done_by_one(state, VALUE);
    char *folder = folder_of(state, "spoilt");
    struct task_daemon daemon = daemon_of(VALUE, folder);

    daemon.hands = 2;
    daemon.spoils_most = 1000;
    task_daemon_run(&daemon);
    assert_same(&daemon, &expected);
    print_message("%d tasks, %d refusals\n", (int)daemon.offered, daemon.refusals);
    assert_true(daemon.refusals > 2 * 3 && daemon.refusals == daemon.spoils);
    free_daemon(&daemon);
    free(folder);
    free_daemon(&expected);
}

/* What was made of a lie is made again, however late it is found; so is all that a lead knows when
 * the daemon knows nothing of it. */
static void a_training_goes_back_to_the_first_lie(void **state)
{
    struct task_daemon expected = done_by_one(state, VALUE);
    char *folder = folder_of(state, "lies");

    for (int k = 0; k < 2; k++) {
        struct task_daemon daemon = daemon_of(VALUE, folder);
        daemon.hands = 2;
        daemon.lies_after = k == 0 ? 9 : 0;
        task_daemon_run(&daemon);
        assert_same(&daemon, &expected);
        print_message("%d tasks, lies from %d on\n", (int)daemon.offered, (int)daemon.lies_from);
        assert_true(k > 0 || daemon.lies_from > 1);
        free_daemon(&daemon);
    }
    free(folder);
    free_daemon(&expected);
}

/* Whether a file of the lead is in the folder. */
static bool has(const char *folder, const char *name)
{
    char path[8192];

    snprintf(path, sizeof path, "%s/task-0.%s", folder, name);
    return access(path, F_OK) == 0;
}

/* States and items go some rounds after they were needed, also when leads die; and the training
 * can go back to a lie all these rounds. */
static void files_of_rounds_go_when_no_stage_needs_them(void **state)
{
    struct task_daemon expected = done_by_one(state, LONG);
    char *folder = folder_of(state, "long");
    struct task_daemon daemon = daemon_of(LONG, folder);

    daemon.hands = 2;
    daemon.kill_share = 0.05;
    daemon.kills_most = 12;
    daemon.lies_after = 2 * LONG_ROUNDS - 8; /* near the end: half of the way is done again */
    task_daemon_run(&daemon);
    assert_same(&daemon, &expected);
    print_message("%d tasks, %d kills of leads, lies from %d on\n", (int)daemon.offered,
                  daemon.kills_of_leads, (int)daemon.lies_from);
    assert_true(daemon.lies_from > 1);
    for (int round = 1; round <= LONG_ROUNDS; round++) {
        const bool is_kept = round > LONG_ROUNDS - 1 - ROUNDS_KEPT;
        char name[64];
        snprintf(name, sizeof name, "r1-%d.state", round);
        if (has(folder, name) != is_kept)
            fail_msg("%s is %s", name, is_kept ? "gone" : "still there");
        snprintf(name, sizeof name, "r1-%d.samples.items", round);
        if (has(folder, name) != (is_kept && round < LONG_ROUNDS))
            fail_msg("%s is %s", name, is_kept ? "gone" : "still there");
    }
    free_daemon(&daemon);
    free(folder);
    free_daemon(&expected);
}

static void policies_iterated_in_rounds_are_the_same(void **state)
{
    compare(state, GPI, 0.1, true);
}

/* The memory of earlier rounds travels with the run. */
static void searches_in_rounds_are_the_same(void **state)
{
    compare(state, POLICY_VALUE, 0.1, true);
}

/* An earlier version trained all seeds in one process, with one journal. */
static void a_training_that_began_without_tasks_goes_on(void **state)
{
    struct task_daemon expected = done_by_one(state, CURLING);
    int drained = 0;

    for (int lines = 20; lines <= 200; lines += 60) {
        char name[16];
        snprintf(name, sizeof name, "old-%d", lines);
        char *folder = folder_of(state, name);
        struct task_daemon old = daemon_of(CURLING, folder);
        old.drain_after = lines;
        task_daemon_run_whole(&old);
        if (!old.result) {
            assert_true(old.released);
            drained++;
            struct task_daemon daemon = daemon_of(CURLING, folder);
            daemon.hands = 2;
            daemon.checkpoint = json_incref(old.checkpoint);
            task_daemon_run(&daemon);
            /* What the old one said counts, too. */
            json_object_update_missing(daemon.metrics, old.metrics);
            json_object_update_missing(daemon.models, old.models);
            assert_same(&daemon, &expected);
            free_daemon(&daemon);
        }
        free_daemon(&old);
        free(folder);
    }
    assert_true(drained > 0); /* a fast machine is done before it hears of the drain */
    free_daemon(&expected);
}

static void a_cancelled_training_keeps_what_its_seeds_have(void **state)
{
    struct task_daemon daemon = daemon_of(KUHN, *state);

    json_object_set_new(daemon.spec, "iterations", json_integer(100000000));
    daemon.hands = 2;
    daemon.cancel_lines = 60;
    task_daemon_run(&daemon);
    assert_true(daemon.cancelled);
    const json_t *runs = json_object_get(daemon.result, "runs");
    assert_int_equal(json_array_size(runs), 2);
    for (size_t k = 0; k < 2; k++)
        assert_true(json_integer_value(json_object_get(json_array_get(runs, k), "ends")) > 0);
    free_daemon(&daemon);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, program_make_folder, program_remove_folder)
        TEST(seeds_as_tasks_learn_the_same),
        TEST(models_and_judgements_of_seeds_are_the_same),
        TEST(values_fitted_in_rounds_are_the_same),
        TEST(unsound_outputs_of_rounds_are_made_again),
        TEST(a_training_goes_back_to_the_first_lie),
        TEST(files_of_rounds_go_when_no_stage_needs_them),
        TEST(policies_iterated_in_rounds_are_the_same),
        TEST(searches_in_rounds_are_the_same),
        TEST(a_training_that_began_without_tasks_goes_on),
        TEST(a_cancelled_training_keeps_what_its_seeds_have),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
