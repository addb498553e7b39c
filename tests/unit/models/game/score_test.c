/* Which stones count, how much, in which order; and the value of an exact tie under each rule
 * table. */
#include "models/game/score.h"

#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_rule_counts(struct position position, int score, uint16_t counting)
{
    for (int k = 0; profile_at(k); k++)
        for (int hammer = 0; hammer < 2; hammer++) {
            assert_int_equal(score_position(&profile_at(k)->rules, &position, hammer), score);
            assert_int_equal(score_counting(&profile_at(k)->rules, &position, hammer), counting);
        }
}

static void empty_house_scores_nothing(void **state)
{
    (void)state;
    every_rule_counts((struct position){0}, 0, 0);
    every_rule_counts(board({0, 0.0, 35.0}, {1, 2.2, 38.0}), 0, 0);
}

static void nearer_seat_counts_its_stones_up_to_the_others_nearest(void **state)
{
    (void)state;
    every_rule_counts(board({0, 0.3, TEE}), 1, 1u << 0);
    every_rule_counts(board({1, 0.3, TEE}), -1, 1u << 1);
    every_rule_counts(board({0, 0.3, TEE}, {2, -0.5, TEE}, {1, 0.9, TEE}, {4, 1.2, TEE}), 2,
                      1u << 0 | 1u << 2);
    every_rule_counts(board({0, 0.4, TEE}, {3, 0.0, TEE}, {5, 0.0, TEE + 1.0}), -1, 1u << 3);
}

static void stones_outside_the_house_neither_count_nor_protect(void **state)
{
    (void)state;
    /* gote's only stone is outside: all of sente's stones in the house count. */
    every_rule_counts(
        board({0, 1.0, TEE}, {2, -1.9, TEE}, {4, 0.0, TEE - 2.5}, {1, 0.0, TEE - 2.1}), 2,
        1u << 0 | 1u << 2);
}

static void eight_stones_score_eight(void **state)
{
    (void)state;
    struct position position = {0};
    for (int k = 0; k < 8; k++)
        position_put(&position, 2 * k + 1, (struct vec2){-1.2 + 0.3 * k, TEE});
    every_rule_counts(position, -8, 0xAAAA);
}

static void house_ends_where_the_rules_say(void **state)
{
    (void)state;
    for (int k = 0; profile_at(k); k++) {
        const struct rules *rules = &profile_at(k)->rules;
        double radius = rules->score_radius;
        struct position in = board({0, radius - 1e-9, TEE});
        struct position on = board({0, radius, TEE});
        struct position out = board({0, radius + 1e-9, TEE});

        assert_int_equal(score_position(rules, &in, false), 1);
        assert_int_equal(score_position(rules, &on, false), rules->score_radius_inclusive ? 1 : 0);
        assert_int_equal(score_position(rules, &out, false), 0);
    }
    /* The 6 mm between the two houses. */
    struct position between = board({0, 1.977, TEE});
    assert_int_equal(score_position(rules_find("dc2"), &between, false), 1);
    assert_int_equal(score_position(rules_find("dc3"), &between, false), 0);
}

/* sente and gote at exactly the same distance, mirror images of each other. */
static void exact_tie_is_nobodys_or_team0s(void **state)
{
    (void)state;
    struct position tie = board({0, 0.5, TEE}, {1, -0.5, TEE});

    for (int k = 0; profile_at(k); k++) {
        bool team0_wins = profile_at(k)->rules.tie == RULES_TIE_TEAM0;
        assert_int_equal(score_position(&profile_at(k)->rules, &tie, false), team0_wins ? 1 : 0);
        assert_int_equal(score_position(&profile_at(k)->rules, &tie, true), team0_wins ? -1 : 0);
    }
}

static void exact_tie_for_second_place_counts_for_team0_only(void **state)
{
    (void)state;
    struct position tie = board({0, 0.2, TEE}, {2, 0.6, TEE}, {1, -0.6, TEE});

    assert_int_equal(score_position(rules_find("dc2"), &tie, false), 1);
    assert_int_equal(score_position(rules_find("dc3"), &tie, false), 1);
    assert_int_equal(score_position(rules_find("dc4"), &tie, false), 2); /* sente is team0 */
    assert_int_equal(score_position(rules_find("dc4"), &tie, true), 1);  /* gote is team0 */
}

static void order_is_by_distance_and_then_by_index(void **state)
{
    (void)state;
    struct position position =
        board({7, 0.5, TEE}, {3, -0.5, TEE}, {0, 2.0, 33.0}, {12, 0.1, TEE}, {15, 0.0, TEE - 0.3});
    int order[POSITION_STONES] = {[5] = -7};

    assert_int_equal(score_order(&position, order), 5);
    assert_int_equal(order[0], 12);
    assert_int_equal(order[1], 15);
    assert_int_equal(order[2], 3);
    assert_int_equal(order[3], 7);
    assert_int_equal(order[4], 0);
    assert_int_equal(order[5], -7); /* unchanged */

    struct position nobody = {0};
    assert_int_equal(score_order(&nobody, order), 0);
}

static void order_sorts_a_full_sheet(void **state)
{
    (void)state;
    struct position position = {0};
    int order[POSITION_STONES];

    for (int k = 0; k < POSITION_STONES; k++) /* 0, 7, 14, 5, 12, 3, … times 0.1 m from the tee */
        position_put(&position, k, (struct vec2){0.0, TEE - 0.1 * (7 * k % 16)});
    assert_int_equal(score_order(&position, order), POSITION_STONES);
    for (int k = 0; k < POSITION_STONES; k++)
        assert_int_equal(7 * order[k] % 16, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_house_scores_nothing),
        cmocka_unit_test(nearer_seat_counts_its_stones_up_to_the_others_nearest),
        cmocka_unit_test(stones_outside_the_house_neither_count_nor_protect),
        cmocka_unit_test(eight_stones_score_eight),
        cmocka_unit_test(house_ends_where_the_rules_say),
        cmocka_unit_test(exact_tie_is_nobodys_or_team0s),
        cmocka_unit_test(exact_tie_for_second_place_counts_for_team0_only),
        cmocka_unit_test(order_is_by_distance_and_then_by_index),
        cmocka_unit_test(order_sorts_a_full_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
