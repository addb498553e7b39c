/* The arithmetic of learning, by hand. */
#include "workers/learn/losses.h"

#include "workers/learn/nfsp.h"

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

static void the_best_is_legal(void **state)
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
    assert_close(q_target(0.5, 0.9, next, all, 3), 0.5 + 0.9 * 3.0);
    assert_close(q_target(0.5, 0.9, next, last_two, 3), 0.5 + 0.9 * 2.0);
    assert_close(q_target(-0.25, 0.9, NULL, NULL, 3), -0.25);
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

    /* What is illegal has no share and is not pushed. */
    assert_close(cross_entropy_loss(logits, last_two, 3, 2, 1.0f, d), log(7.0 / 5.0));
    assert_close(d[0], 0.0);
    assert_close(d[1], 2.0 / 7.0);
    assert_close(d[2], -2.0 / 7.0);

    const float huge[3] = {-1e30f, 1000.0f, 1000.0f};
    legal_softmax(huge, all, 3, p);
    assert_close(p[0], 0.0);
    assert_close(p[1], 0.5);
}

static void exploring_fades(void **state)
{
    (void)state;
    struct nfsp_settings settings = nfsp_default_settings();
    settings.explore = 0.06;
    settings.explore_decay = 0.01;
    assert_close(nfsp_explore(&settings, 0), 0.06);
    assert_close(nfsp_explore(&settings, 10000), 0.03);
    assert_close(nfsp_explore(&settings, 90000), 0.015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_legal),
        cmocka_unit_test(targets_look_one_decision_ahead),
        cmocka_unit_test(values_move_for_the_action_only),
        cmocka_unit_test(averages_move_towards_the_action),
        cmocka_unit_test(exploring_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
