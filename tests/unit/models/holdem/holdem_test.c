/* Rules of heads-up no-limit hold'em, and the deal. */
#include "models/holdem/holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct holdem_action fold = {HOLDEM_FOLD, 0}, call = {HOLDEM_CALL, 0};

static struct holdem_action raise_to(int to)
{
    return (struct holdem_action){HOLDEM_RAISE, to};
}

static void a_checked_hand_goes_to_the_showdown(void **state)
{
    (void)state;
    struct holdem hand = holdem_start();

    assert_int_equal(hand.mover, 0);
    assert_true(holdem_play(&hand, call));
    assert_int_equal(hand.mover, 1); /* the big blind may still raise */
    assert_int_equal(hand.round, 0);
    assert_false(holdem_play(&hand, fold));
    assert_true(holdem_play(&hand, call));
    for (int round = 1; round < HOLDEM_ROUNDS; round++) {
        assert_int_equal(hand.round, round);
        assert_int_equal(hand.mover, 1);
        assert_true(holdem_play(&hand, call));
        assert_int_equal(hand.mover, 0);
        assert_true(holdem_play(&hand, call));
    }
    assert_true(holdem_is_showdown(&hand));
    assert_int_equal(holdem_pot(&hand), 200);
    assert_false(holdem_play(&hand, call));
}

static void raises_have_a_least_size(void **state)
{
    (void)state;
    struct holdem hand = holdem_start();
    int least, most;

    assert_true(holdem_raise_range(&hand, &least, &most));
    assert_int_equal(least, 200);
    assert_int_equal(most, HOLDEM_STACK);
    assert_false(holdem_play(&hand, raise_to(199)));
    assert_false(holdem_play(&hand, raise_to(HOLDEM_STACK + 1)));
    assert_true(holdem_play(&hand, raise_to(500)));
    assert_true(holdem_raise_range(&hand, &least, &most));
    assert_int_equal(least, 900);
    assert_true(holdem_play(&hand, raise_to(19900)));
    assert_true(holdem_raise_range(&hand, &least, &most));
    assert_int_equal(least, HOLDEM_STACK); /* all-in is always possible */
    assert_true(holdem_play(&hand, raise_to(HOLDEM_STACK)));
    assert_false(holdem_raise_range(&hand, &least, &most));
    assert_true(holdem_play(&hand, call));
    assert_true(holdem_is_showdown(&hand));
    assert_int_equal(holdem_pot(&hand), 2 * HOLDEM_STACK);
}

static void who_folds_loses_what_lies_in_the_pot(void **state)
{
    (void)state;
    const struct holdem_deal deal = holdem_deal(1, 1);
    struct holdem hand = holdem_start();

    assert_true(holdem_play(&hand, fold));
    assert_int_equal(holdem_result(&hand, hand_tables(), &deal), -HOLDEM_SMALL_BLIND);
    hand = holdem_start();
    assert_true(holdem_play(&hand, raise_to(300)));
    assert_true(holdem_play(&hand, fold));
    assert_int_equal(holdem_result(&hand, hand_tables(), &deal), HOLDEM_BIG_BLIND);
}

static void a_raise_is_a_share_of_the_pot(void **state)
{
    (void)state;
    struct holdem hand = holdem_start();

    assert_int_equal(holdem_raise_by(&hand, 1.0).to, 300);
    assert_int_equal(holdem_raise_by(&hand, 0.1).to, 200);
    assert_int_equal(holdem_raise_by(&hand, 1e9).to, HOLDEM_STACK);
    assert_true(holdem_play(&hand, raise_to(HOLDEM_STACK)));
    assert_int_equal(holdem_raise_by(&hand, 1.0).move, HOLDEM_CALL);
}

static void the_better_hand_wins_and_equal_hands_share(void **state)
{
    (void)state;
    struct holdem_deal deal = {.hole = {{48, 49}, {0, 1}}, .board = {44, 36, 30, 22, 8}};
    struct holdem hand = holdem_start();

    while (hand.mover >= 0)
        assert_true(holdem_play(&hand, call));
    assert_int_equal(holdem_result(&hand, hand_tables(), &deal), 100);
    memcpy(deal.hole[1], (uint8_t[]){50, 51}, 2);
    assert_int_equal(holdem_result(&hand, hand_tables(), &deal), 0);
}

/* Nine different cards; each card is about equally often at each place. */
static void deals_are_fair(void **state)
{
    (void)state;
    enum { DEALS = 52000, PLACES = 9 };
    static int count[PLACES][CARDS];

    for (uint64_t k = 0; k < DEALS; k++) {
        const struct holdem_deal deal = holdem_deal(3, k);
        uint8_t cards[PLACES];
        uint64_t seen = 0;
        memcpy(cards, deal.hole, 4);
        memcpy(cards + 4, deal.board, 5);
        for (int p = 0; p < PLACES; p++) {
            assert_true(cards[p] < CARDS);
            seen |= UINT64_C(1) << cards[p];
            count[p][cards[p]]++;
        }
        assert_int_equal(__builtin_popcountll(seen), PLACES);
    }
    for (int p = 0; p < PLACES; p++)
        for (int card = 0; card < CARDS; card++)
            assert_in_range(count[p][card], 840, 1160); /* 1000 +- 5 standard deviations */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checked_hand_goes_to_the_showdown),
        cmocka_unit_test(raises_have_a_least_size),
        cmocka_unit_test(who_folds_loses_what_lies_in_the_pot),
        cmocka_unit_test(a_raise_is_a_share_of_the_pot),
        cmocka_unit_test(the_better_hand_wins_and_equal_hands_share),
        cmocka_unit_test(deals_are_fair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
