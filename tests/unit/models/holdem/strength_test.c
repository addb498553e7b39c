/* Strength of hands before and after the flop. */
#include "models/holdem/strength.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TWO = 0, SEVEN = 5, TEN = 8, JACK = 9, QUEEN = 10, KING = 11, ACE = 12 };
#define CARD(rank, suit) ((uint8_t)(SUITS * (rank) + (suit)))

static double before_flop(uint8_t a, uint8_t b)
{
    const struct strength_tables *tables = strength_tables();
    const struct strength_board none = strength_board(tables, NULL, 0);

    return strength_of(tables, &none, (uint8_t[]){a, b});
}

static void good_hands_are_strong_before_the_flop(void **state)
{
    (void)state;
    double sum = 0.0;

    assert_true(before_flop(CARD(ACE, 0), CARD(ACE, 1)) > 0.99);
    assert_true(before_flop(CARD(TWO, 0), CARD(SEVEN, 1)) < 0.1);
    assert_true(before_flop(CARD(ACE, 0), CARD(KING, 0)) > before_flop(CARD(ACE, 0), CARD(TEN, 1)));
    for (int a = 0; a < CARDS; a++)
        for (int b = a + 1; b < CARDS; b++)
            sum += before_flop((uint8_t)a, (uint8_t)b);
    assert_true(fabs(sum / 1326.0 - 0.5) < 1e-6);
}

static void strength_depends_on_the_board(void **state)
{
    (void)state;
    const struct strength_tables *tables = strength_tables();
    const uint8_t plain[] = {CARD(KING, 0), CARD(SEVEN, 1), CARD(TWO, 2)},
                  suited[] = {CARD(KING, 0), CARD(SEVEN, 0), CARD(TWO, 0)},
                  pair[] = {CARD(ACE, 0), CARD(ACE, 1)}, low[] = {CARD(TEN, 2), CARD(JACK, 1)};
    const struct strength_board on_plain = strength_board(tables, plain, 3),
                                on_suited = strength_board(tables, suited, 3);

    assert_true(strength_of(tables, &on_plain, pair) > 0.9);
    assert_true(strength_of(tables, &on_plain, low) < 0.5);
    assert_true(strength_of(tables, &on_suited, low) < strength_of(tables, &on_plain, pair));
}

static void chances_grow_with_the_cards(void **state)
{
    (void)state;
    const struct strength_tables *tables = strength_tables();
    const uint8_t cards[] = {CARD(ACE, 0), CARD(KING, 0), CARD(QUEEN, 0), CARD(JACK, 0),
                             CARD(JACK, 1)};
    const struct strength_board board = strength_board(tables, cards, 5),
                                flop = strength_board(tables, cards, 3);
    const struct strength_chances none = strength_chances(&flop, HAND_EMPTY),
                                  some = strength_chances(&board, board.hand);

    assert_true(none.flush == 0.0 && none.straight == 0.0 && none.pairs == 0.0);
    assert_true(fabs(some.flush - 2.0 / 3.0) < 1e-9 && fabs(some.straight - 2.0 / 3.0) < 1e-9);
    assert_true(some.pairs > 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_hands_are_strong_before_the_flop),
        cmocka_unit_test(strength_depends_on_the_board),
        cmocka_unit_test(chances_grow_with_the_cards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
