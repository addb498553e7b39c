/* Values of hands against the known frequencies of all hands of five and seven cards, and hands of
 * six and seven cards against the best five of them. */
#include "models/holdem/deal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* All hands of seven cards take a second in optimised code, and minutes otherwise. */
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define COUNTS_SEVEN true
#else
#define COUNTS_SEVEN false
#endif

static const uint64_t five[HAND_CATEGORIES] = {1302540, 1098240, 123552, 54912, 10200,
                                               5108,    3744,    624,    40};
static const uint64_t seven[HAND_CATEGORIES] = {23294460, 58627800, 31433400, 6461620, 6180020,
                                                4047644,  3473184,  224848,   41584};

static const struct hand_tables *tables;

/* Counts the values of all hands that add `more` cards below `below` to a hand. */
static void count_values(struct hand hand, int more, int below, uint64_t *counts)
{
    if (more == 0) {
        counts[hand_value(tables, hand)]++;
        return;
    }
    for (int card = more - 1; card < below; card++)
        count_values(hand_add(tables, hand, card), more - 1, card, counts);
}

static void check_frequencies(int cards, const uint64_t wanted[HAND_CATEGORIES])
{
    static uint64_t counts[HAND_VALUES];
    uint64_t found[HAND_CATEGORIES] = {0};

    memset(counts, 0, sizeof counts);
    count_values(HAND_EMPTY, cards, CARDS, counts);
    for (int value = 0; value < HAND_VALUES; value++)
        found[hand_category(value)] += counts[value];
    for (int k = 0; k < HAND_CATEGORIES; k++)
        assert_int_equal(found[k], wanted[k]);
}

static void all_hands_of_five(void **state)
{
    (void)state;
    check_frequencies(5, five);
}

static void all_hands_of_seven(void **state)
{
    (void)state;
    if (!COUNTS_SEVEN)
        skip();
    check_frequencies(7, seven);
}

/* The best value of five of `count` cards. */
static int best_of(struct hand hand, const uint8_t *cards, int count, int more)
{
    int best = -1;

    if (more == 0)
        return hand_value(tables, hand);
    for (int k = 0; k + more <= count; k++) {
        int value =
            best_of(hand_add(tables, hand, cards[k]), cards + k + 1, count - k - 1, more - 1);
        best = value > best ? value : best;
    }
    return best;
}

static void larger_hands_are_worth_their_best_five(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 5000; k++) {
        const struct holdem_deal deal = holdem_deal(4, k);
        uint8_t cards[7];
        struct hand hand = HAND_EMPTY;
        memcpy(cards, deal.board, sizeof deal.board);
        memcpy(cards + sizeof deal.board, deal.hole[0], sizeof deal.hole[0]);
        for (int n = 0; n < 7; n++) {
            hand = hand_add(tables, hand, cards[n]);
            if (n >= 4)
                assert_int_equal(hand_value(tables, hand), best_of(HAND_EMPTY, cards, n + 1, 5));
        }
    }
}

/* "2c" and so on. */
static int value_of(const char *text)
{
    static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";
    struct hand hand = HAND_EMPTY;

    for (; *text; text += 2)
        hand = hand_add(
            tables, hand,
            (int)(SUITS * (strchr(ranks, text[0]) - ranks) + (strchr(suits, text[1]) - suits)));
    return hand_value(tables, hand);
}

static void ties_and_kickers(void **state)
{
    (void)state;
    assert_true(value_of("AcAdKhQs2c") > value_of("AcAdKhJs9c"));
    assert_int_equal(value_of("AcAdKhQs9c3d2h"), value_of("AhAsKcQd9s4c2d"));
    assert_true(value_of("2c3d4h5s6c") > value_of("Ac2d3h4s5c"));
    assert_true(value_of("KcKdQhQs3c3dAh") == value_of("KcKdQhQs2c2dAh"));
    assert_true(value_of("KcKdQhQsJcJdTh") < value_of("KcKdQhQsAc2d3h"));
    assert_int_equal(value_of("2c2d2h3s3c3dAh"), value_of("3s3c3d2h2c"));
    assert_int_equal(hand_category(value_of("Ac2c3c4c5c9d9h")), HAND_STRAIGHT_FLUSH);
    assert_int_equal(hand_category(value_of("AcKc3c4c5c9d9h")), HAND_FLUSH);
    assert_int_equal(hand_category(value_of("QcKcAc2d3h")), HAND_HIGH_CARD);
}

static int set_up(void **state)
{
    (void)state;
    tables = hand_tables();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_hands_of_five),
        cmocka_unit_test(all_hands_of_seven),
        cmocka_unit_test(larger_hands_are_worth_their_best_five),
        cmocka_unit_test(ties_and_kickers),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
