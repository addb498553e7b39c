/* Generalised policy iteration: its networks learn what a shot is worth, the best of many shots by
 * them beats random ones, and a run does not depend on threads and stops. */
#include "tests/slow.h"
#include "tests/unit/workers/learn/algorithms/curling_run.h"
#include "workers/learn/algorithms/gpi_samples.h"
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

#define SMALL                                                                                \
    {"draws_before", 4}, {"draws_after", 8}, {"hidden", 32}, {"hidden2", 16}, {"batch", 32}, \
        {"epochs", 6},                                                                       \
    {                                                                                        \
        "rate", .005                                                                         \
    }
static const struct learner_number to_learn[] = {{"first_samples", 1500}, SMALL};
static const struct learner_number to_stop[] = {{"first_samples", 150}, {"samples", 100}, SMALL};
static const struct learner_hyper learning = {to_learn, sizeof to_learn / sizeof to_learn[0]};
static const struct learner_hyper stopping = {to_stop, sizeof to_stop / sizeof to_stop[0]};

static struct learner *taken_up(FILE *file)
{
    char error[LEARNER_ERROR_MAX];
    struct learner *learner = curling_read(&learner_gpi, &stopping, file, error);

    if (!learner)
        fail_msg("%s", error);
    return learner;
}

/* Returns the mean score of gote in ends of random shots, the last of which is the best of 64 by a
 * network, or random too. */
static double mean_score(struct policy *policy)
{
    enum { ENDS = 200 };
    const struct rules *rules = rules_find("dc2");
    const struct ice_profile *ice = profile_of(rules)->ice;
    const struct gpi_round round = {.rules = rules,
                                    .noise = noise_default(ice, ice->noise),
                                    .box = shot_box_of(ice),
                                    .seed = 11,
                                    .iteration = 1,
                                    .shot = 14,
                                    .draws_before = 1,
                                    .draws_after = 64};
    double sum = 0.0;

    for (uint64_t k = 0; k < ENDS; k++) {
        struct gpi_sample sample;
        assert_true(gpi_sample_make(&round, policy, k, &sample));
        sum -= sample.points; /* sente threw shot 14 */
    }
    return sum / ENDS;
}

/* The last shot is the easiest to value: 1500 ends explain most of the score, and the best of 64
 * shots makes a point. */
static void a_network_learns_what_a_shot_is_worth(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_gpi, &learning, 1);
    struct policy *policy;
    char error[NET_ERROR_MAX];
    size_t size;

    (void)state;
    curling_go_on(learner, 1);
    print_message("R2 %.2f, correlation %.2f, counting %.2f\n", curling_figure(learner, "gpi/r2"),
                  curling_figure(learner, "gpi/correlation"),
                  curling_figure(learner, "gpi/counting_r2"));
    assert_true(curling_figure(learner, "gpi/r2") > 0.5);
    assert_true(curling_figure(learner, "gpi/correlation") > 0.7);
    assert_true(curling_figure(learner, "gpi/shot") == 15.0);
    unsigned char *bytes = learner_gpi.policy_file(learner, &size);
    assert_non_null(bytes);
    assert_int_equal(policy_read(bytes, size, "cpu", &policy, error), NET_OK);
    assert_int_equal(policy->form.sees, POLICY_SEES_SHOTS);
    double best = mean_score(policy), random = mean_score(NULL);
    print_message("gote with the best last shot %+.2f, with a random one %+.2f\n", best, random);
    assert_true(best > random + 0.5);
    policy_free(policy);
    free(bytes);
    learner_free(learner);
}

static void threads_and_stops_do_not_change_the_weights(void **state)
{
    struct learner *whole = curling_begin(&learner_gpi, &stopping, 1),
                   *threads = curling_begin(&learner_gpi, &stopping, 3),
                   *begun = curling_begin(&learner_gpi, &stopping, 1);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    curling_go_on(whole, 18);
    curling_go_on(threads, 18);
    curling_assert_same_file(whole, threads);
    assert_true(curling_figure(whole, "gpi/iteration") == 2.0 &&
                curling_figure(whole, "gpi/shot") == 14.0);
    /* Stops while the second network has half of its samples, and in the second iteration. */
    for (int stop = 0; stop < 2; stop++) {
        FILE *file = tmpfile();
        curling_go_on(begun, stop == 0 ? 1 : 17);
        for (int k = 0; k < 2; k++)
            assert_true(learner_gpi.step(begun, error));
        assert_true(learner_gpi.write(begun, file));
        learner_free(begun);
        begun = taken_up(file);
        fclose(file);
    }
    curling_go_on(begun, 18);
    curling_assert_same_file(whole, begun);
    assert_int_equal(learner_report_of(begun).decisions, learner_report_of(whole).decisions);
    learner_free(whole);
    learner_free(threads);
    learner_free(begun);
}

static void a_sample_depends_on_its_round_and_number_alone(void **state)
{
    const struct rules *rules = rules_find("dc3");
    const struct ice_profile *ice = profile_of(rules)->ice;
    struct gpi_round round = {.rules = rules,
                              .noise = noise_default(ice, ice->noise),
                              .box = shot_box_of(ice),
                              .seed = 5,
                              .iteration = 1,
                              .shot = 9};
    struct gpi_sample one, again, other;
    float inputs[POLICY_SHOTS_INPUTS], mirrored[POLICY_SHOTS_INPUTS];

    (void)state;
    assert_true(gpi_sample_make(&round, NULL, 7, &one));
    assert_true(gpi_sample_make(&round, NULL, 8, &other));
    assert_true(gpi_sample_make(&round, NULL, 7, &again));
    assert_memory_equal(&one, &again, sizeof one);
    assert_memory_not_equal(&one, &other, sizeof one);
    assert_int_equal(one.before.thrown, 9);
    assert_in_range(one.points + 8, 0, 16);
    round.iteration = 2;
    assert_true(gpi_sample_make(&round, NULL, 7, &other));
    assert_memory_not_equal(&one, &other, sizeof one);
    /* The mirror image differs in signs only. */
    gpi_sample_inputs(&round, &one, false, inputs);
    gpi_sample_inputs(&round, &one, true, mirrored);
    for (int k = 0; k < POLICY_SHOTS_INPUTS; k++)
        assert_true(fabsf(fabsf(inputs[k]) - fabsf(mirrored[k])) < 1e-3f);
    assert_true(inputs[END_FEATURES] == -mirrored[END_FEATURES] || inputs[END_FEATURES] == 0.0f);
    assert_true(isfinite(gpi_sample_count(&round, &one)));
}

static void what_it_cannot_learn_or_read_is_refused(void **state)
{
    skip_one_thread();
    const struct learner_common common = {.threads = 1, .seed = 3};
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = curling_begin(&learner_gpi, &stopping, 1);
    FILE *file = tmpfile();

    (void)state;
    assert_null(learner_gpi.make(&learner_gpi, &leduc_game, &common, &stopping, error));
    assert_non_null(strstr(error, "profile"));
    assert_true(learner_gpi.write(learner, file));
    learner_free(learner);
    long size = ftell(file);
    for (long cut = 0; cut < size; cut += size / 7 + 1) {
        unsigned char *bytes = malloc((size_t)size);
        FILE *part = tmpfile();
        rewind(file);
        assert_int_equal(fread(bytes, 1, (size_t)cut, file), cut);
        assert_int_equal(fwrite(bytes, 1, (size_t)cut, part), cut);
        assert_null(curling_read(&learner_gpi, &stopping, part, error));
        assert_non_null(strstr(error, "broken"));
        fclose(part);
        free(bytes);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_learns_what_a_shot_is_worth),
        cmocka_unit_test(threads_and_stops_do_not_change_the_weights),
        cmocka_unit_test(a_sample_depends_on_its_round_and_number_alone),
        cmocka_unit_test(what_it_cannot_learn_or_read_is_refused),
    };
    return cmocka_run_group_tests(tests, curling_make_game, curling_free_game);
}
