/* Sessions of hold'em: duplicate hands, rule players, players that switch. */
#include "workers/holdem/rule_player.h"
#include "workers/holdem/session.h"
#include "workers/holdem/switch_player.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct poker_tally play(struct poker_player a, struct poker_player b, int hands, int every)
{
    const struct poker_session session = {
        .player = {a, b}, .seed = 9, .hands = hands, .every = every};
    struct poker_tally tally = {.pairs = 0};
    void *memory = aligned_alloc(64, poker_session_memory(&session));

    assert_non_null(memory);
    assert_true(poker_session_play(&session, memory, NULL, &tally));
    free(memory);
    return tally;
}

/* A player without chance that always calls. */
static size_t no_memory(const struct poker_player *player)
{
    (void)player;
    return 0;
}

static void no_begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    (void)player, (void)memory, (void)seed;
}

static void no_deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    (void)player, (void)memory, (void)number, (void)position;
}

static struct holdem_action calls(const struct poker_player *player, void *memory,
                                  const struct poker_scene *scene)
{
    (void)player, (void)memory, (void)scene;
    return (struct holdem_action){HOLDEM_CALL, 0};
}

static const struct poker_class caller = {
    .memory = no_memory, .begin = no_begin, .deal = no_deal, .choose = calls};

/* With swapped positions every hand comes out even between equal players without chance. */
static void duplicate_hands_cancel_the_cards(void **state)
{
    (void)state;
    const struct poker_tally tally =
        play((struct poker_player){&caller, NULL}, (struct poker_player){&caller, NULL}, 300, 0);

    assert_int_equal(tally.pairs, 300);
    assert_int_equal(tally.squares, 0);
    assert_true(poker_tally_half_width(&tally) == 0.0);
}

static void what_one_wins_the_other_loses(void **state)
{
    (void)state;
    const struct poker_tally there = play(poker_rule_player(1), poker_rule_player(3), 400, 0);
    int64_t blocks = 0;

    for (int k = 0; k < POKER_BLOCKS; k++)
        blocks += there.block[k];
    assert_int_equal(blocks, there.chips);
    assert_true(there.squares > 0);
    assert_true(poker_tally_half_width(&there) > 0.0);
}

/* Loose players play more than 40 % of their hands, tight ones fewer; aggressive ones raise more
 * often than passive ones of the same kind. */
static void styles_are_what_they_are_called(void **state)
{
    (void)state;
    double plays[POKER_STYLES], raises[POKER_STYLES];

    for (int k = 0; k < POKER_STYLES; k++) {
        const struct poker_tally tally = play(poker_rule_player(k), poker_rule_player(3), 1500, 0);
        plays[k] = (double)tally.played[0] / (double)tally.hands[0];
        raises[k] = (double)tally.raised[0] / (double)tally.decisions[0];
        print_message("o%d %-60s plays %.2f raises %.2f\n", k + 1, poker_rule_about(k), plays[k],
                      raises[k]);
    }
    assert_true(plays[0] > .4 && plays[1] > .4 && plays[2] < .4 && plays[3] < .4);
    assert_true(raises[1] > raises[0] + .2 && raises[3] > raises[2] + .1);
    assert_true(plays[4] > .4 && plays[5] < .4 && plays[6] > .4 && plays[7] < .4);
}

static void a_switch_plays_each_in_turn(void **state)
{
    (void)state;
    const struct switch_order order = {
        .count = 2, .every = 50, .player = {{&caller, NULL}, poker_rule_player(1)}};
    const struct poker_tally tally =
        play((struct poker_player){&caller, NULL}, poker_switch_player(&order), 200, 50);
    int64_t part = 0;

    /* In blocks 0 and 2 of four both only call. */
    for (int k = 0; k < POKER_BLOCKS; k++) {
        if (k / (POKER_BLOCKS / 4) % 2 == 0)
            assert_int_equal(tally.block[k], 0);
        else
            part += llabs(tally.block[k]);
    }
    assert_true(part > 0);
    for (int k = 0; k < POKER_AFTER; k++)
        assert_in_range(tally.afters[k], 8, 12);
}

static void a_shuffled_switch_plays_all(void **state)
{
    (void)state;
    struct switch_order order = {.count = 8, .every = 10, .shuffled = true};

    for (int k = 0; k < 8; k++)
        order.player[k] = poker_rule_player(k);
    const struct poker_tally one = play(poker_switch_player(&order), poker_rule_player(0), 80, 10),
                             two = play(poker_switch_player(&order), poker_rule_player(0), 80, 10);
    assert_memory_equal(&one, &two, sizeof one);
    order.shuffled = false;
    const struct poker_tally three =
        play(poker_switch_player(&order), poker_rule_player(0), 80, 10);
    assert_true(one.chips != three.chips);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicate_hands_cancel_the_cards),
        cmocka_unit_test(what_one_wins_the_other_loses),
        cmocka_unit_test(styles_are_what_they_are_called),
        cmocka_unit_test(a_switch_plays_each_in_turn),
        cmocka_unit_test(a_shuffled_switch_plays_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
