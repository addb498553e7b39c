/* The algorithm policy-value: its networks come closer to a fixed set of a teacher's examples, then
 * to the search that they guide; a run does not depend on threads and stops. */
#include "models/tables/profiles.h"
#include "tests/slow.h"
#include "tests/unit/workers/learn/algorithms/curling_run.h"
#include "workers/learn/imitation/imitate.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct learner_number to_learn[] = {
    {"teacher_simulations", 100}, {"first_ends", 60}, {"first_epochs", 12}, {"ends", 8},
    {"simulations", 30},          {"epochs", 2},      {"batch", 16},        {"rate", .004}};
static const struct learner_number to_stop[] = {
    {"teacher_simulations", 100}, {"first_ends", 10}, {"first_epochs", 2}, {"ends", 9},
    {"simulations", 12},          {"memory", 14},     {"epochs", 2},       {"batch", 32}};
static const struct learner_number without[] = {
    {"teacher", 0}, {"first_ends", 2}, {"ends", 2},  {"simulations", 10}, {"kernel", 0},
    {"memory", 0},  {"epochs", 1},     {"batch", 8}, {"own_values", 0},   {"explored", 16}};
static const struct learner_hyper learning = {to_learn, sizeof to_learn / sizeof to_learn[0]},
                                  stopping = {to_stop, sizeof to_stop / sizeof to_stop[0]},
                                  alone = {without, sizeof without / sizeof without[0]};

/* ---- a fixed set ---- */

struct fixed_set {
    struct imitate_example *example;
    size_t count;
};

static struct fixed_set fixed_set_of(const char *teacher)
{
    const struct rules *rules = rules_find("dc2");
    const struct ice_profile *ice = profile_of(rules)->ice;
    struct imitate_play play = {.rules = rules,
                                .ice = ice,
                                .noise = noise_default(ice, ice->noise),
                                .ends = 20,
                                .temperature = .05,
                                .seed = 991,
                                .threads = 1};
    char error[PLAYER_ERROR_MAX];
    struct fixed_set set;

    if (!player_read(teacher, &play.teacher, sizeof error, error) ||
        !imitate_play(&play, &set.example, &set.count, error))
        fail_msg("%s", error);
    return set;
}

/* Returns the mean cross-entropies of a run's policy on the set. */
static void losses_of(const struct learner *learner, const struct fixed_set *set,
                      double *ret_actions, double *ret_scores)
{
    struct policy *policy;
    char error[NET_ERROR_MAX];
    size_t size;
    unsigned char *bytes = learner->class->policy_file(learner, &size);

    assert_int_equal(policy_read(bytes, size, "cpu", &policy, error), NET_OK);
    assert_true(policy->form.has_scores);
    assert_string_equal(policy->form.algorithm, "policy-value");
    *ret_actions = *ret_scores = 0.0;
    for (size_t k = 0; k < set->count; k++) {
        const struct imitate_example *example = &set->example[k];
        const struct position position = compact_position_open(&example->position);
        static struct policy_look look;
        assert_int_equal(policy_look(policy, &position, 1, example->position.thrown,
                                     seat_of_stone(example->position.thrown), 1.0, false, &look),
                         NET_OK);
        for (int a = 0; a < example->targets; a++)
            *ret_actions -= (double)example->share[a] *
                            log((double)look.chance[example->action[a]] + 1e-12) /
                            (double)set->count;
        for (int s = 0; s < POLICY_SCORES; s++)
            *ret_scores -= (double)example->scores[s] * log((double)look.scores[s] + 1e-12) /
                           (double)set->count;
    }
    policy_free(policy);
    free(bytes);
}

/* ---- scenarios ---- */

static void the_loss_falls_on_a_fixed_set(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_policy_value, &learning, 1);
    const struct fixed_set set = fixed_set_of("rink:simulations=100,objective=score");
    double actions[2], scores[2];

    (void)state;
    losses_of(learner, &set, &actions[0], &scores[0]);
    curling_go_on(learner, 1);
    losses_of(learner, &set, &actions[1], &scores[1]);
    print_message("shots %.3f, then %.3f; scores %.3f, then %.3f\n", actions[0], actions[1],
                  scores[0], scores[1]);
    assert_true(actions[1] < actions[0] - 0.4);
    assert_true(scores[1] < scores[0] - 0.4);
    const struct learner_report first = learner_report_of(learner);
    assert_true(first.loss[2].value < first.loss[0].value);
    assert_true(curling_figure(learner, "among_20") > 0.1); /* chance: 20 of 640 */

    /* The search with the networks is learned from, too. */
    curling_go_on(learner, 2);
    const struct learner_report report = learner_report_of(learner);
    assert_true(isfinite(report.loss[0].value) && isfinite(report.loss[1].value));
    assert_int_equal(report.decisions, 60 + 8);
    assert_int_equal(report.memory[0].entries, 60 + 8);
    free(set.example);
    learner_free(learner);
}

/* What a run has learned guides the search as the player of matches. */
static void its_policy_is_one_for_the_search(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_policy_value, &stopping, 1);
    char sha256[65], text[128], error[PLAYER_ERROR_MAX];
    struct player player;
    size_t size;

    (void)state;
    curling_go_on(learner, 2);
    unsigned char *bytes = learner->class->policy_file(learner, &size);
    assert_true(policy_store_add(bytes, size, sha256, sizeof error, error));
    snprintf(text, sizeof text, "kr-dl-uct:weights=%s,value=policy", sha256);
    if (!player_read(text, &player, sizeof error, error))
        fail_msg("%s", error);
    assert_string_equal(player.weights_sha256, sha256);
    curling_go_on(learner, 3); /* the run's own use of the store does not end the player's */
    struct policy *policy = policy_store_borrow(player.model, player.weights_sha256);
    assert_non_null(policy);
    policy_store_return(policy);
    policy_store_drop(sha256);
    assert_null(policy_store_borrow(player.model, player.weights_sha256));
    free(bytes);
    learner_free(learner);
}

static void threads_and_stops_do_not_change_the_weights(void **state)
{
    struct learner *whole = curling_begin(&learner_policy_value, &stopping, 1),
                   *threads = curling_begin(&learner_policy_value, &stopping, 3),
                   *begun = curling_begin(&learner_policy_value, &stopping, 1);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    curling_go_on(whole, 3);
    curling_go_on(threads, 3);
    curling_assert_same_file(whole, threads);
    /* Stops while a round has some of its ends, or has begun its fit. */
    for (int stop = 0; stop < 2; stop++) {
        FILE *file = tmpfile();
        curling_go_on(begun, (uint64_t)stop + 1);
        for (int k = 0; k < 1 + 2 * stop; k++)
            assert_true(learner_policy_value.step(begun, error));
        assert_true(learner_policy_value.write(begun, file));
        learner_free(begun);
        begun = curling_read(&learner_policy_value, &stopping, file, error);
        if (!begun)
            fail_msg("%s", error);
        fclose(file);
    }
    curling_go_on(begun, 3);
    curling_assert_same_file(whole, begun);
    const struct learner_report one = learner_report_of(whole), other = learner_report_of(begun);
    assert_int_equal(one.decisions, 10 + 9 + 9);
    assert_int_equal(one.decisions, other.decisions);
    assert_int_equal(one.updates, other.updates);
    assert_int_equal(one.memory[0].entries, 14);
    assert_true(one.work == other.work && one.work > 0.0);
    learner_free(whole);
    learner_free(threads);
    learner_free(begun);
}

static void a_search_learns_without_a_teacher(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_policy_value, &alone, 1);

    (void)state;
    curling_go_on(learner, 2);
    assert_int_equal(learner_report_of(learner).decisions, 4);
    assert_int_equal(learner_report_of(learner).memory[0].entries, 0);
    learner_free(learner);
}

static void what_it_cannot_learn_or_read_is_refused(void **state)
{
    skip_one_thread();
    const struct learner_common common = {.threads = 1, .seed = 3};
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = curling_begin(&learner_policy_value, &stopping, 1);
    FILE *file = tmpfile();

    (void)state;
    assert_null(
        learner_policy_value.make(&learner_policy_value, &leduc_game, &common, &stopping, error));
    assert_non_null(strstr(error, "profile"));
    curling_go_on(learner, 1);
    assert_true(learner_policy_value.write(learner, file));
    learner_free(learner);
    /* Less memory than the file has. */
    assert_null(curling_read(&learner_policy_value, &alone, file, error));
    assert_non_null(strstr(error, "broken"));
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    for (long cut = 0; cut < size; cut += size / 7 + 1) {
        unsigned char *bytes = malloc((size_t)size);
        FILE *part = tmpfile();
        rewind(file);
        assert_int_equal(fread(bytes, 1, (size_t)cut, file), cut);
        assert_int_equal(fwrite(bytes, 1, (size_t)cut, part), cut);
        assert_null(curling_read(&learner_policy_value, &stopping, part, error));
        assert_non_null(strstr(error, "broken"));
        fclose(part);
        free(bytes);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_falls_on_a_fixed_set),
        cmocka_unit_test(its_policy_is_one_for_the_search),
        cmocka_unit_test(threads_and_stops_do_not_change_the_weights),
        cmocka_unit_test(a_search_learns_without_a_teacher),
        cmocka_unit_test(what_it_cannot_learn_or_read_is_refused),
    };
    return cmocka_run_group_tests(tests, curling_make_game, curling_free_game);
}
