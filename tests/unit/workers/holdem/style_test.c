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

/* Plays rule player `style` against rule player 3 and counts it; a small copy of a table. */
static void count_style(int style, uint64_t seed, int hands, double keep, struct style_count *count)
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
        style_count_end(count, &(struct poker_end){.shown = false}, keep);
    }
}

static struct style_vector library[POKER_STYLES];

static int make_library(void **state)
{
    (void)state;
    for (int k = 0; k < POKER_STYLES; k++) {
        struct style_count count;
        style_count_begin(&count);
        count_style(k, 21, 4000, 1.0, &count);
        library[k] = style_vector_of(&count);
    }
    return 0;
}

static void every_style_is_found(void **state)
{
    (void)state;
    for (int k = 0; k < POKER_STYLES; k++) {
        struct style_count count;
        double weights[POKER_STYLES], confidence;
        style_count_begin(&count);
        count_style(k, 77, 200, .99, &count);
        style_weights(&count, library, POKER_STYLES, weights, &confidence);
        for (int other = 0; other < POKER_STYLES; other++)
            assert_true(other == k || weights[other] < weights[k]);
        assert_true(confidence > .7);
    }
}

static void nothing_seen_is_no_confidence(void **state)
{
    (void)state;
    struct style_count count;
    double weights[POKER_STYLES], confidence;

    style_count_begin(&count);
    style_weights(&count, library, POKER_STYLES, weights, &confidence);
    assert_true(confidence == 0.0);
    count_style(1, 5, 3, .97, &count);
    style_weights(&count, library, POKER_STYLES, weights, &confidence);
    assert_true(confidence > 0.0 && confidence < .9);
}

/* A player that always raises by a quarter of the pot is none of the library. */
static void an_unknown_style_is_told(void **state)
{
    (void)state;
    struct style_count count;
    double weights[POKER_STYLES], confidence;

    style_count_begin(&count);
    for (int k = 0; k < 200; k++) {
        const struct holdem hand = holdem_start();
        style_count_see(&count, &hand, holdem_raise_by(&hand, 5.0));
        style_count_end(&count, &(struct poker_end){.opponent_folded = false}, .99);
    }
    style_weights(&count, library, POKER_STYLES, weights, &confidence);
    print_message("confidence %.3f\n", confidence);
    assert_true(confidence < .2);
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
        cmocka_unit_test(nothing_seen_is_no_confidence),
        cmocka_unit_test(an_unknown_style_is_told),
        cmocka_unit_test(an_ensemble_of_equals_plays_like_one),
    };

    return cmocka_run_group_tests(tests, make_library, NULL);
}
