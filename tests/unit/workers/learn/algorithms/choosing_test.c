/* Drawn actions: only legal ones, with the right frequencies. */
#include "workers/learn/algorithms/choosing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ACTIONS = 5, DRAWS = 40000 };
static const bool legal[ACTIONS] = {false, true, true, false, true};

static uint64_t bits_of(int draw)
{
    const struct random_key key = {.seed = 1, .purpose = RANDOM_CHOICE};
    uint64_t bits[4];
    random_bits(&key, (uint64_t)draw, 0, bits);
    return bits[0];
}

static void assert_share(int count, double expected)
{
    double share = (double)count / DRAWS;
    if (!(fabs(share - expected) < 4.5 * sqrt(expected * (1.0 - expected) / DRAWS) + 1e-12))
        fail_msg("%.4f is not %.4f", share, expected);
}

static void numbers_come_evenly(void **state)
{
    int count[7] = {0};
    (void)state;
    for (int k = 0; k < DRAWS; k++)
        count[pick_number(bits_of(k), 7)]++;
    for (int n = 0; n < 7; n++)
        assert_share(count[n], 1.0 / 7.0);
    assert_int_equal(pick_number(0, 7), 0);
    assert_int_equal(pick_number(UINT64_MAX, 7), 6);
}

static void legal_actions_come_evenly(void **state)
{
    int count[ACTIONS] = {0};
    (void)state;
    for (int k = 0; k < DRAWS; k++)
        count[pick_legal(bits_of(k), legal, ACTIONS)]++;
    for (int a = 0; a < ACTIONS; a++)
        assert_share(count[a], legal[a] ? 1.0 / 3.0 : 0.0);
}

/* Odds of 1 : 2 : 5 among the legal actions. */
static void policies_are_followed(void **state)
{
    const float logits[ACTIONS] = {9.0f, 0.0f, logf(2.0f), 9.0f, logf(5.0f)};
    const double p[ACTIONS] = {0.0, 0.125, 0.25, 0.0, 0.625};
    int count[ACTIONS] = {0};
    (void)state;
    for (int k = 0; k < DRAWS; k++)
        count[pick_by_logits(bits_of(k), logits, legal, ACTIONS)]++;
    for (int a = 0; a < ACTIONS; a++)
        assert_share(count[a], p[a]);
    /* The ends of the range, where sums of float32 numbers miss 1. */
    assert_int_equal(pick_by_logits(0, logits, legal, ACTIONS), 1);
    assert_int_equal(pick_by_logits(UINT64_MAX, logits, legal, ACTIONS), 4);
    const float sure[ACTIONS] = {0.0f, 200.0f, 0.0f, 0.0f, 0.0f};
    assert_int_equal(pick_by_logits(UINT64_MAX, sure, legal, ACTIONS), 1);
    /* The outputs of a diverged network: some legal action. */
    const float none[ACTIONS] = {NAN, NAN, NAN, NAN, NAN};
    assert_int_equal(pick_by_logits(0, none, legal, ACTIONS), 1);
}

static void exploring_fades(void **state)
{
    (void)state;
    assert_true(fabs(explore_share(0.06, 0.01, 0) - 0.06) < 1e-12);
    assert_true(fabs(explore_share(0.06, 0.01, 10000) - 0.03) < 1e-12);
    assert_true(fabs(explore_share(0.06, 0.0, 90000) - 0.06) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_evenly),
        cmocka_unit_test(legal_actions_come_evenly),
        cmocka_unit_test(policies_are_followed),
        cmocka_unit_test(exploring_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
