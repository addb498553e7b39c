/* Fitted values as an algorithm: a stage learns what positions are worth in ends that it has not
 * seen, and a run does not depend on threads and stops. */
#include "models/networks/end_value.h"
#include "models/networks/policy.h"
#include "tests/unit/workers/learn/algorithms/curling_run.h"
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

/* The file is an end-value network with the finished stages, and no policy. */
static void its_file_is_an_end_value_network(void **state)
{
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    static struct end_value network;
    static const struct end_value_stage zero;
    struct policy *policy;
    char error[NET_ERROR_MAX];
    size_t size;

    (void)state;
    curling_go_on(learner, 1);
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
    learner = curling_read(&learner_value, hyper, file, error);
    if (!learner)
        fail_msg("%s", error);
    fclose(file);
    return learner;
}

/* Neither three threads nor a stop in the middle of the fit make a difference. */
static void a_stage_learns_what_positions_are_worth(void **state)
{
    struct learner *whole = curling_begin(&learner_value, &learning, 1),
                   *begun = curling_begin(&learner_value, &learning, 3);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    assert_true(isnan(curling_figure(whole, "held_out/rms")));
    curling_go_on(whole, 1);
    print_message("error %.3f of spread %.3f\n", curling_figure(whole, "held_out/rms"),
                  curling_figure(whole, "held_out/spread"));
    assert_true(curling_figure(whole, "held_out/rms") <
                0.9 * curling_figure(whole, "held_out/spread"));
    assert_true(curling_figure(whole, "value/thrown") == 15.0);
    assert_true(curling_figure(whole, "value/sweep") == 1.0);
    for (int step = 0; step < 3; step++)
        assert_true(learner_value.step(begun, error));
    assert_int_equal(learner_report_of(begun).games, 0);
    begun = stop(begun, &learning);
    assert_int_equal(learner_report_of(begun).decisions, 0);
    curling_go_on(begun, 1);
    curling_assert_same_file(whole, begun);
    learner_free(whole);
    learner_free(begun);
}

/* The second sweep begins after 15 stages, with ends that the network plays; the stops are after
 * these ends, and after examples of the second sweep. */
static void further_sweeps_do_not_depend_on_threads_and_stops(void **state)
{
    static const uint64_t stops[] = {15, 16};
    struct learner *whole = curling_begin(&learner_value, &stopping, 3),
                   *begun = curling_begin(&learner_value, &stopping, 1);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    curling_go_on(whole, 17);
    assert_true(curling_figure(whole, "value/sweep") == 2.0 &&
                curling_figure(whole, "value/thrown") == 14.0);
    for (size_t k = 0; k < sizeof stops / sizeof stops[0]; k++) {
        curling_go_on(begun, stops[k]);
        assert_true(learner_value.step(begun, error));
        assert_int_equal(learner_report_of(begun).games, stops[k]);
        begun = stop(begun, &stopping);
    }
    curling_go_on(begun, 17);
    curling_assert_same_file(whole, begun);
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
    struct learner *learner = curling_begin(&learner_value, &wild, 1);
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
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
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
        assert_null(curling_read(&learner_value, &stopping, part, error));
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
    return cmocka_run_group_tests(tests, curling_make_game, curling_free_game);
}
