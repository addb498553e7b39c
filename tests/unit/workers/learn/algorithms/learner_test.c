/* The algorithms as the trainer sees them: each makes runs, describes them, resumes exactly from a
 * file, and reports divergence. */
#include "workers/learn/algorithms/run.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/algorithms/toy_numbers.h"
#include "workers/learn/games/line_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CLASS(id, ...) &learner_##id,
static const struct learner_class *const classes[] = {TRAIN_ALGORITHMS(CLASS)};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static const struct learner_number numbers[] = {
    {"parallel", 16},
    {"batch", 32},
    {"updates", 1},
    {"warm_up", 50},
};
static const struct learner_hyper hyper = {numbers, sizeof numbers / sizeof numbers[0]};
static const struct learner_common common = {
    .network = {.architecture = "mlp", .hidden = {16}}, .device = "cpu", .threads = 1, .seed = 3};

/* Returns these numbers merged over the algorithm's numbers for toys; valid until the next call. */
static const struct learner_hyper *over_toys(const struct learner_class *class,
                                             const struct learner_hyper *over)
{
    static struct learner_number room[TOY_NUMBERS_MAX];
    static struct learner_hyper all;
    all = toy_numbers(class, over->numbers, over->count, room);
    return &all;
}

static const struct learner_hyper *hyper_of(const struct learner_class *class)
{
    return over_toys(class, &hyper);
}

static void go_on(struct learner *learner, int steps)
{
    char error[LEARNER_ERROR_MAX];
    for (int k = 0; k < steps; k++)
        if (!learner->class->step(learner, error))
            fail_msg("%s: %s", learner->class->name, error);
}

static struct learner *run_new(const struct learner_class *class)
{
    char error[LEARNER_ERROR_MAX];
    struct learner *learner = class->make(class, &leduc_game, &common, hyper_of(class), error);
    if (!learner)
        fail_msg("%s: %s", class->name, error);
    assert_ptr_equal(learner->class, class);
    return learner;
}

static void names_are_found(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++)
        assert_ptr_equal(learner_class_find(classes[k]->name), classes[k]);
    assert_null(learner_class_find("alphago"));
    assert_true(learner_hyper_number(&hyper, "batch", 7.0) == 32.0);
    assert_true(learner_hyper_number(&hyper, "batches", 7.0) == 7.0);
}

/* Half a run, a file and the other half equal a whole run, for every algorithm. */
static void every_run_goes_on_from_a_file(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++) {
        const struct learner_class *class = classes[k];
        if (class->policy_file) /* has no toys; its own test is beside it */
            continue;
        struct learner *whole = run_new(class), *begun = run_new(class);
        char error[LEARNER_ERROR_MAX];
        FILE *file = tmpfile();
        go_on(whole, 60);
        go_on(begun, 30);
        assert_true(class->write(begun, file));
        learner_free(begun);
        rewind(file);
        struct learner *resumed =
            class->read(class, &leduc_game, &common, hyper_of(class), file, error);
        if (!resumed)
            fail_msg("%s: %s", class->name, error);
        go_on(resumed, 30);

        struct learner_policy_view a[LEARNER_POLICIES_MAX], b[LEARNER_POLICIES_MAX];
        int policies = class->policies(whole, a);
        assert_true(policies >= 1 && policies <= LEARNER_POLICIES_MAX);
        assert_int_equal(class->policies(resumed, b), policies);
        for (int p = 0; p < policies; p++)
            for (int seat = 0; seat < 2; seat++) {
                char hash[65], same[65];
                net_sha256(a[p].net[seat], hash);
                net_sha256(b[p].net[seat], same);
                assert_string_equal(hash, same);
                assert_string_equal(a[p].name, b[p].name);
            }
        struct learner_report report;
        class->report(resumed, &report);
        assert_true(report.games > 0 && report.decisions > report.games && report.updates > 0);
        assert_true(report.losses > 0 && report.losses <= LEARNER_LOSSES_MAX);
        assert_true(strncmp(report.loss[0].name, "loss/", 5) == 0);
        fclose(file);
        learner_free(whole);
        learner_free(resumed);
    }
}

/* Computes the hashes of all weights 30 steps after loading a file, concatenated. */
static void branch_off(const struct learner_class *class, uint64_t seed, FILE *file,
                       char ret_hashes[2 * LEARNER_POLICIES_MAX * 64 + 1])
{
    struct learner_common own = common;
    char error[LEARNER_ERROR_MAX];
    own.seed = seed;
    rewind(file);
    struct learner *learner = class->read(class, &leduc_game, &own, hyper_of(class), file, error);
    if (!learner)
        fail_msg("%s: %s", class->name, error);
    go_on(learner, 30);
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    int policies = class->policies(learner, views);
    ret_hashes[0] = '\0';
    for (int k = 0; k < 2 * policies; k++) {
        char hash[65];
        net_sha256(views[k / 2].net[k % 2], hash);
        strcat(ret_hashes, hash);
    }
    learner_free(learner);
}

/* From one file, other seeds give other runs, and the same seed the same run. */
static void a_file_is_continued_under_any_seed(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++) {
        const struct learner_class *class = classes[k];
        if (class->policy_file) /* has no toys; its own test is beside it */
            continue;
        struct learner *learner = run_new(class);
        char own[2 * LEARNER_POLICIES_MAX * 64 + 1], one[sizeof own], again[sizeof own];
        FILE *file = tmpfile();
        go_on(learner, 30);
        assert_true(class->write(learner, file));
        learner_free(learner);
        branch_off(class, common.seed, file, own);
        branch_off(class, 8, file, one);
        branch_off(class, 8, file, again);
        assert_string_equal(one, again);
        assert_string_not_equal(one, own);
        branch_off(class, 9, file, again);
        assert_string_not_equal(one, again);
        fclose(file);
    }
}

/* Learns until the run ends, which must be soon and by a report of divergence. */
static void assert_diverges(const struct learner_class *class, const struct learner_game *game,
                            const struct learner_common *with, const struct learner_hyper *fast,
                            char ret_error[LEARNER_ERROR_MAX])
{
    struct learner *learner = class->make(class, game, with, over_toys(class, fast), ret_error);
    int steps = 0;
    if (!learner)
        fail_msg("%s: %s", class->name, ret_error);
    while (steps < 500 && class->step(learner, ret_error))
        steps++;
    if (steps == 500 || !learner_has_diverged(learner))
        fail_msg("%s: %d steps, '%s'", class->name, steps, steps < 500 ? ret_error : "");
    learner_free(learner);
}

static const struct learner_common deep = {
    .network = {.architecture = "mlp", .hidden = {16, 16, 16, 16}},
    .device = "cpu",
    .threads = 1,
    .seed = 3};

/* The rate decides which exceeds all bounds first: the losses or, while these are still finite, the
 * gradients. */
static void divergence_differs_from_failure(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++) {
        const struct learner_class *class = classes[k];
        if (class->policy_file) /* has no toys; its own test is beside it */
            continue;
        int gradients = 0;
        for (double rate = 1e3; rate < 2e9; rate *= 100.0) {
            const struct learner_number fast[] = {
                {"parallel", 16}, {"batch", 32},           {"updates", 1}, {"warm_up", 50},
                {"rate", rate},   {"response_rate", rate}, {"clip", 0},    {"optimiser", NET_SGD},
            };
            const struct learner_hyper all = {fast, sizeof fast / sizeof fast[0]};
            char error[LEARNER_ERROR_MAX] = "";
            assert_diverges(class, &leduc_game, &deep, &all, error);
            gradients += strstr(error, "not finite") != NULL;
        }
        assert_true(gradients > 0);
    }
}

/* Best responses play so rarely that only the value network learns before divergence. */
static void divergence_of_a_value_network_is_reported(void **state)
{
    (void)state;
    int gradients = 0;
    for (double rate = 1e3; rate < 2e9; rate *= 100.0) {
        const struct learner_number fast[] = {
            {"parallel", 16},        {"batch", 32},          {"updates", 1},    {"warm_up", 50},
            {"anticipatory", 0.001}, {"value_network", 1},   {"candidates", 2}, {"clip", 0},
            {"response_rate", rate}, {"optimiser", NET_SGD},
        };
        const struct learner_hyper all = {fast, sizeof fast / sizeof fast[0]};
        char error[LEARNER_ERROR_MAX] = "";
        assert_diverges(learner_class_find("nfsp"), line_learner_game(2), &deep, &all, error);
        assert_memory_equal(error, "value/", 6);
        gradients += strstr(error, "not finite") != NULL;
    }
    assert_true(gradients > 0);
}

/* The program is linked with --wrap=net_forward: while memory is short, it fails and leaves invalid
 * outputs. */
enum net_status __wrap_net_forward(struct net *net, int batch, const float *inputs,
                                   float *ret_outputs);
enum net_status __real_net_forward(struct net *net, int batch, const float *inputs,
                                   float *ret_outputs);
static bool memory_is_short;

enum net_status __wrap_net_forward(struct net *net, int batch, const float *inputs,
                                   float *ret_outputs)
{
    if (!memory_is_short)
        return __real_net_forward(net, batch, inputs, ret_outputs);
    for (int k = 0; k < batch; k++) /* at least this many outputs exist */
        ret_outputs[k] = NAN;
    return NET_NO_MEMORY;
}

static void assert_fails_undiverged(const struct learner_class *class,
                                    const struct learner_game *game,
                                    const struct learner_hyper *with)
{
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = class->make(class, game, &common, over_toys(class, with), error);
    int steps = 0;
    if (!learner)
        fail_msg("%s: %s", class->name, error);
    go_on(learner, 300); /* every network has learned */
    struct learner_report report;
    class->report(learner, &report);
    for (int k = 0; k < report.losses; k++)
        if (!isfinite(report.loss[k].value))
            fail_msg("%s: no %s yet", class->name, report.loss[k].name);
    memory_is_short = true;
    while (steps < 500 && class->step(learner, error))
        steps++;
    memory_is_short = false;
    if (!strstr(error, "memory is short") || learner_has_diverged(learner))
        fail_msg("%s: '%s'", class->name, error);
    learner_free(learner);
}

/* A daemon retries a failed job, but not a diverged one. */
static void a_network_that_fails_has_not_diverged(void **state)
{
    static const struct learner_number trying[] = {
        {"parallel", 16},      {"batch", 32},        {"updates", 1},   {"warm_up", 50},
        {"anticipatory", 0.3}, {"value_network", 1}, {"candidates", 2}};
    static const struct learner_hyper all = {trying, sizeof trying / sizeof trying[0]};
    (void)state;
    for (int k = 0; k < CLASSES; k++)
        if (!classes[k]->policy_file)
            assert_fails_undiverged(classes[k], &leduc_game, &hyper);
    assert_fails_undiverged(learner_class_find("nfsp"), line_learner_game(2), &all);

    char error[LEARNER_ERROR_MAX];
    double loss = (double)NAN;
    assert_false(run_step_is_good(NET_NO_MEMORY, &loss, "value", error));
    assert_string_equal(error, "value: memory is short");
    assert_false(run_step_is_good(NET_OK, &loss, "value", error));
    assert_non_null(strstr(error, "its loss is infinite or not a number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(every_run_goes_on_from_a_file),
        cmocka_unit_test(a_file_is_continued_under_any_seed),
        cmocka_unit_test(divergence_differs_from_failure),
        cmocka_unit_test(divergence_of_a_value_network_is_reported),
        cmocka_unit_test(a_network_that_fails_has_not_diverged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
