/* Fitted values as an algorithm: a stage learns what positions are worth in ends that it has not
 * seen, and a run does not depend on threads and stops. */
#include "models/networks/end_value.h"
#include "models/networks/policy.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/learn/games/curling_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two shards of examples, and a fit of more than one step. */
static const struct learner_number to_learn[] = {
    {"states", 70}, {"simulations", 100}, {"epochs", 300}, {"held_out", .2}};
static const struct learner_number to_stop[] = {{"states", 4}, {"simulations", 100}, {"epochs", 2}};
static const struct learner_hyper learning = {to_learn, sizeof to_learn / sizeof to_learn[0]};
static const struct learner_hyper stopping = {to_stop, sizeof to_stop / sizeof to_stop[0]};
static struct learner_game *game;

static int make_game(void **state)
{
    char error[CURLING_LEARNER_ERROR_MAX];
    const struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));

    (void)state;
    game = curling_learner_new(&settings, error);
    return game ? 0 : -1;
}

static int free_game(void **state)
{
    (void)state;
    curling_learner_free(game);
    return 0;
}

static struct learner *begin(const struct learner_hyper *hyper, int threads)
{
    const struct learner_common common = {.threads = threads, .seed = 3};
    char error[LEARNER_ERROR_MAX];
    struct learner *learner = learner_value.make(&learner_value, game, &common, hyper, error);

    if (!learner)
        fail_msg("%s", error);
    return learner;
}

static void go_on(struct learner *learner, uint64_t stages)
{
    char error[LEARNER_ERROR_MAX];

    while (learner_report_of(learner).games < stages)
        if (!learner_value.step(learner, error))
            fail_msg("%s", error);
}

static struct learner *read_from(FILE *file, const struct learner_hyper *hyper, char *ret_error)
{
    const struct learner_common common = {.threads = 1, .seed = 3};

    rewind(file);
    return learner_value.read(&learner_value, game, &common, hyper, file, ret_error);
}

static double figure(const struct learner *learner, const char *name)
{
    const struct learner_report report = learner_report_of(learner);

    for (int k = 0; k < report.figures; k++)
        if (strcmp(report.figure[k].name, name) == 0)
            return report.figure[k].value;
    fail_msg("no figure %s", name);
    return 0.0;
}

static void assert_same_file(const struct learner *a, const struct learner *b)
{
    size_t size, other;
    unsigned char *bytes = learner_value.policy_file(a, &size),
                  *others = learner_value.policy_file(b, &other);

    assert_non_null(bytes);
    assert_non_null(others);
    assert_int_equal(size, other);
    assert_memory_equal(bytes, others, size);
    free(bytes);
    free(others);
}

/* The file is an end-value network with the finished stages, and no policy. */
static void its_file_is_an_end_value_network(void **state)
{
    struct learner *learner = begin(&stopping, 1);
    static struct end_value network;
    static const struct end_value_stage zero;
    struct policy *policy;
    char error[NET_ERROR_MAX];
    size_t size;

    (void)state;
    go_on(learner, 1);
    unsigned char *bytes = learner_value.policy_file(learner, &size);
    assert_non_null(bytes);
    assert_int_equal(end_value_read(bytes, size, &network), NET_OK);
    assert_memory_not_equal(&network.stage[14], &zero, sizeof zero);
    assert_memory_equal(&network.stage[13], &zero, sizeof zero);
    assert_int_equal(policy_read(bytes, size, "cpu", &policy, error), NET_BAD_SHAPE);
    assert_non_null(strstr(error, "an end-value network, not a policy"));
    free(bytes);
    learner_free(learner);
}

/* Writes and frees a run, and reads it. */
static struct learner *stop(struct learner *learner, const struct learner_hyper *hyper)
{
    char error[LEARNER_ERROR_MAX];
    FILE *file = tmpfile();

    assert_true(learner_value.write(learner, file));
    learner_free(learner);
    learner = read_from(file, hyper, error);
    if (!learner)
        fail_msg("%s", error);
    fclose(file);
    return learner;
}

/* Neither three threads nor a stop in the middle of the fit make a difference. */
static void a_stage_learns_what_positions_are_worth(void **state)
{
    struct learner *whole = begin(&learning, 1), *begun = begin(&learning, 3);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    assert_true(isnan(figure(whole, "held_out/rms")));
    go_on(whole, 1);
    print_message("error %.3f of spread %.3f\n", figure(whole, "held_out/rms"),
                  figure(whole, "held_out/spread"));
    assert_true(figure(whole, "held_out/rms") < 0.9 * figure(whole, "held_out/spread"));
    assert_true(figure(whole, "value/thrown") == 15.0);
    assert_true(figure(whole, "value/sweep") == 1.0);
    for (int step = 0; step < 3; step++)
        assert_true(learner_value.step(begun, error));
    assert_int_equal(learner_report_of(begun).games, 0);
    begun = stop(begun, &learning);
    assert_int_equal(learner_report_of(begun).decisions, 0);
    go_on(begun, 1);
    assert_same_file(whole, begun);
    learner_free(whole);
    learner_free(begun);
}

/* The second sweep begins after 15 stages, with ends that the network plays; the stops are after
 * these ends, and after examples of the second sweep. */
static void further_sweeps_do_not_depend_on_threads_and_stops(void **state)
{
    static const uint64_t stops[] = {15, 16};
    struct learner *whole = begin(&stopping, 3), *begun = begin(&stopping, 1);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    go_on(whole, 17);
    assert_true(figure(whole, "value/sweep") == 2.0 && figure(whole, "value/thrown") == 14.0);
    for (size_t k = 0; k < sizeof stops / sizeof stops[0]; k++) {
        go_on(begun, stops[k]);
        assert_true(learner_value.step(begun, error));
        assert_int_equal(learner_report_of(begun).games, stops[k]);
        begun = stop(begun, &stopping);
    }
    go_on(begun, 17);
    assert_same_file(whole, begun);
    const struct learner_report a = learner_report_of(whole), b = learner_report_of(begun);
    assert_int_equal(a.decisions, b.decisions);
    assert_int_equal(a.updates, b.updates);
    assert_true(a.loss[0].value == b.loss[0].value);
    learner_free(whole);
    learner_free(begun);
}

static void divergence_is_reported(void **state)
{
    const struct learner_number numbers[] = {
        {"states", 12}, {"simulations", 100}, {"epochs", 400}, {"rate", 10}};
    const struct learner_hyper wild = {numbers, sizeof numbers / sizeof numbers[0]};
    struct learner *learner = begin(&wild, 1);
    char error[LEARNER_ERROR_MAX] = "";
    bool good = true;

    (void)state;
    while (good && learner_report_of(learner).games < 1)
        good = learner_value.step(learner, error);
    assert_false(good);
    assert_true(learner_has_diverged(learner));
    assert_non_null(strstr(error, "value: "));
    learner_free(learner);
}

static void what_it_cannot_learn_or_read_is_refused(void **state)
{
    const struct learner_common common = {.threads = 1, .seed = 3};
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = begin(&stopping, 1);
    FILE *file = tmpfile();

    (void)state;
    assert_null(learner_value.make(&learner_value, &leduc_game, &common, &stopping, error));
    assert_non_null(strstr(error, "profile"));
    assert_true(learner_value.write(learner, file));
    learner_free(learner);
    long size = ftell(file);
    unsigned char *bytes = malloc((size_t)size);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    for (long cut = 0; cut < size; cut += size / 7 + 1) {
        FILE *part = tmpfile();
        assert_int_equal(fwrite(bytes, 1, (size_t)cut, part), cut);
        assert_null(read_from(part, &stopping, error));
        assert_non_null(strstr(error, "broken"));
        fclose(part);
    }
    free(bytes);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_learns_what_positions_are_worth),
        cmocka_unit_test(its_file_is_an_end_value_network),
        cmocka_unit_test(further_sweeps_do_not_depend_on_threads_and_stops),
        cmocka_unit_test(divergence_is_reported),
        cmocka_unit_test(what_it_cannot_learn_or_read_is_refused),
    };
    return cmocka_run_group_tests(tests, make_game, free_game);
}
