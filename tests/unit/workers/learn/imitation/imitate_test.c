/* Learning from a teacher: the contents of the examples, and that they are learned. */
#include "workers/learn/imitation/imitate.h"

#include "models/ice/action_grid.h"
#include "workers/search/policy/policy_store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct imitate_play play_of(const char *teacher, int64_t ends, int threads)
{
    struct imitate_play play = {.rules = rules_find("dc2"),
                                .ice = ice_profile_find("dc2"),
                                .ends = ends,
                                .random_share = 0.3,
                                .temperature = 0.05,
                                .seed = 3,
                                .threads = threads};
    char error[PLAYER_ERROR_MAX];
    play.noise = noise_default(play.ice, play.ice->noise);
    if (!player_read(teacher, &play.teacher, sizeof error, error))
        fail_msg("%s", error);
    return play;
}

static struct imitate_example *examples_of(const char *teacher, int64_t ends, int threads,
                                           size_t *ret_count)
{
    const struct imitate_play play = play_of(teacher, ends, threads);
    struct imitate_example *examples;
    char error[IMITATE_ERROR_MAX];
    if (!imitate_play(&play, &examples, ret_count, error))
        fail_msg("%s", error);
    return examples;
}

static void examples_are_the_same_for_any_threads(void **state)
{
    (void)state;
    size_t count, again_count;
    struct imitate_example *examples = examples_of("generator:samples=4", 70, 1, &count);

    assert_true(count > 70 * 8 && count < 70 * 16); /* some ends start with random play */
    for (int threads = 2; threads <= 3; threads++) {
        struct imitate_example *again =
            examples_of("generator:samples=4", 70, threads, &again_count);
        assert_int_equal(again_count, count);
        assert_memory_equal(again, examples, count * sizeof *examples);
        free(again);
    }
    free(examples);
}

static void an_example_has_shares_and_chances(void **state)
{
    (void)state;
    static const char *const teachers[] = {"ai-simple", "generator:samples=4"};
    for (int t = 0; t < 2; t++) {
        size_t count;
        struct imitate_example *examples = examples_of(teachers[t], 20, 1, &count);
        for (size_t k = 0; k < count; k++) {
            const struct imitate_example *example = &examples[k];
            double shares = 0.0, chances = 0.0;
            assert_in_range(example->targets, 1, IMITATE_TARGETS);
            for (int a = 0; a < example->targets; a++) {
                assert_true(action_is_playable(example->action[a]));
                assert_true(a == 0 || example->share[a] <= example->share[a - 1]);
                shares += (double)example->share[a];
            }
            for (int s = 0; s < POLICY_SCORES; s++)
                chances += (double)example->scores[s];
            assert_true(fabs(shares - 1.0) < 1e-5 && fabs(chances - 1.0) < 1e-5);
            assert_in_range(example->position.thrown, 0, 15);
        }
        free(examples);
    }
}

struct course {
    struct imitate_report first, last;
};

static void follow(void *context, const struct imitate_report *report)
{
    struct course *course = context;
    if (report->epoch == 1)
        course->first = *report;
    course->last = *report;
}

/* On unseen examples a network improves and approaches the teacher; a repetition gives the same
 * network. */
static void a_simple_teacher_is_learned(void **state)
{
    (void)state;
    const struct imitate_fit fit = {
        .epochs = 8, .batch = 16, .rate = 3e-3, .held_out = 0.1, .seed = 1, .device = "cpu"};
    const struct policy_form form = {.profile = "dc2",
                                     .architecture = "mlp",
                                     .hidden = {64},
                                     .outputs = POLICY_LOGITS,
                                     .actions = POLICY_ACTIONS,
                                     .has_scores = true,
                                     .step = -1};
    size_t count;
    struct imitate_example *examples = examples_of("ai-simple", 90, 1, &count);
    unsigned char *bytes[2];
    size_t size[2];

    for (int run = 0; run < 2; run++) {
        struct course course;
        struct net *net[2];
        char error[IMITATE_ERROR_MAX], sha256[65];
        if (!imitate_fit(&fit, &form, examples, count, follow, &course, net, error))
            fail_msg("%s", error);
        assert_int_equal(course.last.epoch, 8);
        for (int s = 0; s < 2; s++) {
            assert_true(course.last.examples[s] > 30);
            assert_true(course.last.action_loss[s] < course.first.action_loss[s] - 0.3);
            assert_true(course.last.action_loss[s] > course.last.action_floor[s]);
            assert_true(course.last.score_loss[s] < log(POLICY_SCORES) - 0.5);
            assert_true(course.last.twentieth[s] > 0.3); /* chance: 20 of 640 */
        }
        assert_int_equal(policy_write(&form, net[0], net[1], &bytes[run], &size[run], error),
                         NET_OK);
        /* The learned policy can play. */
        assert_true(policy_store_add(bytes[run], size[run], sha256, sizeof error, error));
        policy_store_drop(sha256);
        net_free(net[0]);
        net_free(net[1]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    free(examples);
}

static void training_can_be_interrupted(void **state)
{
    (void)state;
    struct imitate_play play = play_of("generator", 1000, 1);
    atomic_bool cancel = true;
    struct imitate_example *examples = NULL;
    size_t count = 0;
    char error[IMITATE_ERROR_MAX] = "";

    play.cancel = &cancel;
    assert_false(imitate_play(&play, &examples, &count, error));
    assert_string_equal(error, "interrupted");
    assert_null(examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_the_same_for_any_threads),
        cmocka_unit_test(an_example_has_shares_and_chances),
        cmocka_unit_test(a_simple_teacher_is_learned),
        cmocka_unit_test(training_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
