/* Styles: the model finds which rule player it sees, and says when it does not know. */
#include "workers/holdem/ensemble.h"
#include "workers/holdem/session.h"
#include "workers/holdem/style.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct style_vector library[POKER_STYLES];

/* Plays rule player `style` against rule player 3 and counts it; a small copy of a table. With a
 * belief, each hand is counted alone and told. */
static void count_style(int style, uint64_t seed, int hands, struct style_count *count,
                        struct style_belief *belief)
{
    const struct strength_tables *tables = strength_tables();
    const struct poker_player player[2] = {poker_rule_player(style), poker_rule_player(3)};
    unsigned char memory[2][256];

    for (int k = 0; k < 2; k++) {
        assert_true(player[k].class->memory(&player[k]) <= sizeof memory[k]);
        player[k].class->begin(&player[k], memory[k], seed + (uint64_t)k);
    }
    for (uint64_t n = 0; n < (uint64_t)hands; n++) {
        const struct holdem_deal deal = holdem_deal(seed, n);
        struct holdem hand = holdem_start();
        int seat = (int)(n % 2); /* of the one that is counted */
        for (int k = 0; k < 2; k++)
            player[k].class->deal(&player[k], memory[k], n, k == 0 ? seat : 1 - seat);
        while (hand.mover >= 0) {
            int who = hand.mover == seat ? 0 : 1;
            const struct strength_board board =
                strength_board(tables, deal.board, holdem_board_cards(hand.round));
            const struct poker_scene scene = {
                .tables = tables,
                .hand = &hand,
                .hole = deal.hole[hand.mover],
                .board = &board,
                .strength = strength_of(tables, &board, deal.hole[hand.mover])};
            struct holdem_action action =
                player[who].class->choose(&player[who], memory[who], &scene);
            if (who == 0)
                style_count_see(count, &hand, action);
            assert_true(holdem_play(&hand, action));
        }
        style_count_end(count, &(struct poker_end){.shown = false});
        if (!belief)
            continue;
        style_belief_see(belief, library, count);
        style_count_begin(count);
    }
}

static int make_library(void **state)
{
    (void)state;
    for (int k = 0; k < POKER_STYLES; k++) {
        struct style_count count;
        style_count_begin(&count);
        count_style(k, 21, 4000, &count, NULL);
        library[k] = style_vector_of(&count);
    }
    return 0;
}

static struct style_belief belief_of_nothing(void)
{
    struct style_belief belief;

    style_belief_begin(&belief, library);
    return belief;
}

static int likely(const struct style_belief *belief)
{
    int best = 0;

    for (int k = 1; k < POKER_STYLES; k++)
        best = belief->chance[k] > belief->chance[best] ? k : best;
    return best;
}

static void check_sum(const struct style_belief *belief)
{
    double sum = belief->stranger;

    for (int k = 0; k < POKER_STYLES; k++)
        sum += belief->chance[k];
    assert_true(fabs(sum - 1.0) < 1e-9);
}

static void every_style_is_found(void **state)
{
    (void)state;
    for (int k = 0; k < POKER_STYLES; k++) {
        struct style_count count;
        struct style_belief belief = belief_of_nothing();
        style_count_begin(&count);
        count_style(k, 77, 200, &count, &belief);
        print_message("o%d: %.3f\n", k + 1, belief.chance[k]);
        assert_int_equal(likely(&belief), k);
        assert_true(belief.chance[k] > .7);
        check_sum(&belief);
    }
}

static void nothing_seen_is_no_knowledge(void **state)
{
    (void)state;
    struct style_count count;
    struct style_belief belief = belief_of_nothing();

    check_sum(&belief);
    for (int k = 1; k < POKER_STYLES; k++)
        assert_true(belief.chance[k] == belief.chance[0]);
    style_count_begin(&count); /* a hand without a decision says nothing */
    style_count_end(&count, &(struct poker_end){.shown = false});
    style_belief_see(&belief, library, &count);
    assert_true(fabs(belief.chance[0] - belief_of_nothing().chance[0]) < 1e-9);
    count_style(1, 5, 1, &count, &belief);
    assert_true(belief.chance[likely(&belief)] < .9);
}

static void another_opponent_is_noticed(void **state)
{
    (void)state;
    struct style_count count;
    struct style_belief belief = belief_of_nothing();

    style_count_begin(&count);
    count_style(1, 9, 500, &count, &belief);
    assert_int_equal(likely(&belief), 1);
    assert_true(belief.chance[1] > .9);
    count_style(2, 10, 30, &count, &belief);
    assert_true(belief.chance[1] < .1);
    check_sum(&belief);
}

/* A player that always raises to five pots is none of the library. */
static void a_stranger_is_told(void **state)
{
    (void)state;
    struct style_count count;
    struct style_belief belief = belief_of_nothing();

    style_count_begin(&count);
    for (int k = 0; k < 50; k++) {
        const struct holdem hand = holdem_start();
        style_count_see(&count, &hand, holdem_raise_by(&hand, 5.0));
        style_count_end(&count, &(struct poker_end){.opponent_folded = false});
        style_belief_see(&belief, library, &count);
        style_count_begin(&count);
    }
    print_message("stranger %.3f\n", belief.stranger);
    assert_true(belief.stranger > .8);
    check_sum(&belief);
}

/* Equal networks vote as one of them alone would decide. */
static void an_ensemble_of_equals_plays_like_one(void **state)
{
    (void)state;
    const struct poker_form form = {4, 8};
    size_t count = poker_weight_count(form);
    float *weights = calloc(count, sizeof *weights);
    static struct ensemble ensemble;
    struct poker_tally tally[2] = {{.pairs = 0}, {.pairs = 0}};

    assert_non_null(weights);
    weights[count - POKER_ACTIONS + POKER_CALL] = 1.0f; /* always calls */
    memcpy(ensemble.style, library, sizeof library);
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++)
        ensemble.network[k] = (struct poker_network){form, weights};
    for (int kind = ENSEMBLE_FULL; kind <= ENSEMBLE_EQUAL; kind++) {
        ensemble.kind = (enum ensemble_kind)kind;
        for (int k = 0; k < 2; k++) {
            const struct poker_player player = k == 0 ? poker_ensemble_player(&ensemble)
                                                      : poker_network_player(&ensemble.network[0]);
            const struct poker_session session = {
                .player = {player, poker_rule_player(1)}, .seed = 2, .hands = 100};
            void *memory = aligned_alloc(64, poker_session_memory(&session));
            tally[k] = (struct poker_tally){.pairs = 0};
            assert_true(poker_session_play(&session, memory, NULL, &tally[k]));
            free(memory);
        }
        assert_int_equal(tally[0].chips, tally[1].chips);
    }
    free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_style_is_found),
        cmocka_unit_test(nothing_seen_is_no_knowledge),
        cmocka_unit_test(another_opponent_is_noticed),
        cmocka_unit_test(a_stranger_is_told),
        cmocka_unit_test(an_ensemble_of_equals_plays_like_one),
    };

    return cmocka_run_group_tests(tests, make_library, NULL);
}
