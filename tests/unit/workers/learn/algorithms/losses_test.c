/* The arithmetic of learning, checked by hand. */
#include "workers/learn/algorithms/losses.h"

#include "workers/learn/algorithms/choosing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6))
        fail_msg("%.9f is not %.9f", value, expected);
}

static const bool all[3] = {true, true, true}, last_two[3] = {false, true, true};

static void the_best_action_is_legal(void **state)
{
    (void)state;
    const float values[3] = {3.0f, 1.0f, 2.0f}, equal[3] = {1.0f, 1.0f, 1.0f};
    assert_int_equal(legal_argmax(values, all, 3), 0);
    assert_int_equal(legal_argmax(values, last_two, 3), 2);
    assert_int_equal(legal_argmax(equal, last_two, 3), 1);
}

static void targets_look_one_decision_ahead(void **state)
{
    (void)state;
    const float next[3] = {3.0f, 1.0f, 2.0f};
    assert_close(double_q_target(0.5, 0.9, next, next, all, 3), 0.5 + 0.9 * 3.0);
    assert_close(double_q_target(0.5, 0.9, next, next, last_two, 3), 0.5 + 0.9 * 2.0);
    assert_close(double_q_target(-0.25, 0.9, NULL, NULL, NULL, 3), -0.25);
}

/* One network chooses the second action, the other one values it. */
static void double_targets_use_both_networks(void **state)
{
    (void)state;
    const float choosing[3] = {9.0f, 5.0f, 4.0f}, values[3] = {3.0f, 1.0f, 2.0f};
    assert_close(double_q_target(0.5, 0.9, choosing, values, last_two, 3), 0.5 + 0.9 * 1.0);
    assert_close(double_q_target(0.5, 0.9, choosing, values, all, 3), 0.5 + 0.9 * 3.0);
    assert_close(double_q_target(-0.25, 0.9, NULL, NULL, NULL, 3), -0.25);
}

static void values_move_for_the_action_only(void **state)
{
    (void)state;
    const float values[3] = {3.0f, 1.0f, 2.0f};
    float d[3] = {9.0f, 9.0f, 9.0f};
    assert_close(q_loss(values, 3, 1, 1.5, 0.25f, d), 0.125);
    assert_close(d[0], 0.0);
    assert_close(d[1], -0.125);
    assert_close(d[2], 0.0);
}

static void averages_move_towards_the_action(void **state)
{
    (void)state;
    /* Odds of 1 : 2 : 5. */
    const float logits[3] = {0.0f, logf(2.0f), logf(5.0f)};
    float p[3], d[3];
    legal_softmax(logits, all, 3, p);
    assert_close(p[0], 0.125);
    assert_close(p[1], 0.25);
    assert_close(p[2], 0.625);
    assert_close(cross_entropy_loss(logits, all, 3, 1, 0.5f, d), log(4.0));
    assert_close(d[0], 0.0625);
    assert_close(d[1], -0.375);
    assert_close(d[2], 0.3125);

    /* Towards probabilities: the mean over actions drawn from them. */
    const float target[3] = {0.0f, 0.25f, 0.75f};
    assert_close(soft_cross_entropy_loss(logits, all, 3, target, 0.5f, d),
                 0.25 * log(4.0) + 0.75 * log(1.6));
    assert_close(d[0], 0.0625);
    assert_close(d[1], 0.0);
    assert_close(d[2], -0.0625);

    /* Illegal actions have no share and get no gradient. */
    assert_close(cross_entropy_loss(logits, last_two, 3, 2, 1.0f, d), log(7.0 / 5.0));
    assert_close(d[0], 0.0);
    assert_close(d[1], 2.0 / 7.0);
    assert_close(d[2], -2.0 / 7.0);

    const float huge[3] = {-1e30f, 1000.0f, 1000.0f};
    legal_softmax(huge, all, 3, p);
    assert_close(p[0], 0.0);
    assert_close(p[1], 0.5);
}

static void log_probabilities_and_entropies_match_hand_calculation(void **state)
{
    (void)state;
    const float logits[3] = {0.0f, logf(2.0f), logf(5.0f)}, far[3] = {0.0f, 0.0f, -2000.0f};
    assert_close(legal_log_probability(logits, all, 3, 1), log(0.25));
    assert_close(legal_log_probability(logits, last_two, 3, 1), log(2.0 / 7.0));
    assert_close(legal_log_probability(far, last_two, 3, 2), -2000.0); /* not log 0 */
    assert_close(legal_entropy(logits, all, 3),
                 0.125 * log(8.0) + 0.25 * log(4.0) + 0.625 * log(1.6));
    assert_close(legal_entropy(far, all, 3), log(2.0));
}

static void advantages_match_hand_calculation(void **state)
{
    (void)state;
    const float rewards[3] = {1.0f, 0.0f, 2.0f}, values[3] = {0.5f, 1.0f, 0.5f};
    float a[3];
    /* Misses, last first: 2 - .5; .9 * .5 - 1; 1 + .9 * 1 - .5. */
    estimate_advantages(rewards, values, 3, 0.9, 0.5, a);
    assert_close((double)a[2], 1.5);
    assert_close((double)a[1], -0.55 + 0.45 * 1.5);
    assert_close((double)a[0], 1.4 + 0.45 * (-0.55 + 0.45 * 1.5));
    /* Lambda 1: returns less values; 0: the miss alone. */
    estimate_advantages(rewards, values, 3, 0.9, 1.0, a);
    assert_close((double)a[0], 1.0 + 0.81 * 2.0 - 0.5);
    estimate_advantages(rewards, values, 3, 0.9, 0.0, a);
    assert_close((double)a[0], 1.4);
}

/* Probabilities 1/8, 1/4, 5/8; the action had 1/4 unless stated otherwise. */
static void policies_move_within_the_clip(void **state)
{
    (void)state;
    const float logits[3] = {0.0f, logf(2.0f), logf(5.0f)};
    const double same = log(0.25), half = log(0.5), third = log(0.75);
    double entropy;
    float d[3];
    /* Ratio 1: minus the advantage; towards a good action, away from a bad one. */
    assert_close(clipped_policy_loss(logits, all, 3, 1, same, 2.0, 0.2, 0.0, 1.0f, d, &entropy),
                 -2.0);
    assert_close(d[0], 2.0 * 0.125);
    assert_close(d[1], 2.0 * -0.75);
    assert_close(d[2], 2.0 * 0.625);
    assert_close(entropy, legal_entropy(logits, all, 3));
    assert_close(clipped_policy_loss(logits, all, 3, 1, same, -2.0, 0.2, 0.0, 0.5f, d, &entropy),
                 2.0);
    assert_close(d[1], 0.75);
    /* Ratio 2: a good action has moved far enough, a bad one is pulled back. */
    assert_close(
        clipped_policy_loss(logits, all, 3, 1, log(0.125), 2.0, 0.2, 0.0, 1.0f, d, &entropy), -2.4);
    assert_true(d[0] == 0.0f && d[1] == 0.0f && d[2] == 0.0f);
    assert_close(
        clipped_policy_loss(logits, all, 3, 1, log(0.125), -2.0, 0.2, 0.0, 1.0f, d, &entropy), 4.0);
    assert_close(d[1], 4.0 * 0.75);
    /* Ratios 1/2 and 1/3: the other way round. */
    assert_close(clipped_policy_loss(logits, all, 3, 1, half, 2.0, 0.2, 0.0, 1.0f, d, &entropy),
                 -1.0);
    assert_close(d[1], -0.75);
    assert_close(clipped_policy_loss(logits, all, 3, 1, third, -2.0, 0.2, 0.0, 1.0f, d, &entropy),
                 1.6);
    assert_true(d[0] == 0.0f && d[1] == 0.0f && d[2] == 0.0f);
}

/* All derivatives with respect to the logits against differences of the loss. */
static void policy_derivatives_are_those_of_the_loss(void **state)
{
    (void)state;
    enum { ACTIONS = 6 };
    const bool legal[ACTIONS] = {true, false, true, true, true, false};
    const double old_log_p[] = {-1.2, -2.0, -0.4}, advantages[] = {1.5, -0.7};
    for (int o = 0; o < 3; o++)
        for (int n = 0; n < 2; n++) {
            float logits[ACTIONS] = {0.3f, 5.0f, -0.6f, 1.1f, 0.2f, -3.0f}, d[ACTIONS];
            float unused[ACTIONS];
            double entropy;
            clipped_policy_loss(logits, legal, ACTIONS, 3, old_log_p[o], advantages[n], 0.2, 0.3,
                                1.0f, d, &entropy);
            for (int a = 0; a < ACTIONS; a++) {
                const float at = logits[a], by = 1.0f / 512.0f;
                double loss[2];
                for (int k = 0; k < 2; k++) {
                    logits[a] = k ? at + by : at - by;
                    loss[k] = clipped_policy_loss(logits, legal, ACTIONS, 3, old_log_p[o],
                                                  advantages[n], 0.2, 0.3, 1.0f, unused, &entropy);
                }
                logits[a] = at;
                double slope = (loss[1] - loss[0]) / (2.0 * (double)by);
                if (!(fabs(slope - (double)d[a]) < 1e-4))
                    fail_msg("logit %d: %.6f is not %.6f", a, (double)d[a], slope);
                assert_true(legal[a] || d[a] == 0.0f);
            }
        }
}

static void exploring_fades(void **state)
{
    (void)state;
    assert_close(explore_share(0.06, 0.01, 0), 0.06);
    assert_close(explore_share(0.06, 0.01, 10000), 0.03);
    assert_close(explore_share(0.06, 0.01, 90000), 0.015);
}

/* Half the weight on each of two equal choices; a single choice when cold. */
static void soft_targets_are_means(void **state)
{
    (void)state;
    const float choosing[] = {1.0f, 3.0f, 1.0f, 0.0f}, values[] = {0.5f, 9.0f, -0.25f, 4.0f};
    const bool legal[] = {true, false, true, true};
    double cold = soft_q_target(0.1, 0.5, 0.01, choosing, values, legal, 4);
    assert_true(fabs(cold - (0.1 + 0.5 * 0.125)) < 1e-12);
    double e = exp(-1.0), mean = (0.5 - 0.25 + 4.0 * e) / (2.0 + e);
    assert_true(fabs(soft_q_target(0.1, 0.5, 1.0, choosing, values, legal, 4) -
                     (0.1 + 0.5 * mean)) < 1e-12);
    assert_true(soft_q_target(0.1, 0.5, 1.0, NULL, NULL, legal, 4) == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_action_is_legal),
        cmocka_unit_test(targets_look_one_decision_ahead),
        cmocka_unit_test(double_targets_use_both_networks),
        cmocka_unit_test(values_move_for_the_action_only),
        cmocka_unit_test(averages_move_towards_the_action),
        cmocka_unit_test(log_probabilities_and_entropies_match_hand_calculation),
        cmocka_unit_test(advantages_match_hand_calculation),
        cmocka_unit_test(policies_move_within_the_clip),
        cmocka_unit_test(policy_derivatives_are_those_of_the_loss),
        cmocka_unit_test(exploring_fades),
        cmocka_unit_test(soft_targets_are_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
