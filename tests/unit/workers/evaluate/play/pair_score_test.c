/* Pairs decided by the total score of both games. */
#include "workers/evaluate/play/match.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

static struct pair_game game_of(int count, const int scores[])
{
    struct pair_game game = {.ends = count};
    int lead = 0;

    for (int e = 0; e < count; e++) {
        game.end[e].score = (int8_t)scores[e];
        lead += scores[e];
    }
    game.half_points = lead > 0 ? 2 : lead == 0 ? 1 : 0;
    return game;
}

/* Two games of one end. */
static struct pair_result pair_of(int first, int second)
{
    return (struct pair_result){.game = {game_of(1, &first), game_of(1, &second)}};
}

static void the_scores_of_both_games_are_added(void **state)
{
    (void)state;
    const struct pair_result results[] = {
        pair_of(3, -1),  /* one game won by each, won on score */
        pair_of(1, -1),  /* drawn */
        pair_of(-4, 2),  /* lost */
        pair_of(0, 1),   /* won */
        pair_of(0, 0),   /* drawn */
        pair_of(2, 2),   /* won */
        pair_of(-1, -2), /* lost */
        pair_of(1, 0),   /* won */
    };
    const int wanted[] = {2, 0, -2, 1, 0, 4, -3, 1};

    for (size_t k = 0; k < 8; k++)
        assert_int_equal(pair_points(&results[k], PAIR_ALL_ENDS), wanted[k]);
    struct pair_score score = pair_score_of(results, 8, PAIR_ALL_ENDS, 0.95, 1);
    assert_int_equal(score.wins, 4);
    assert_int_equal(score.draws, 2);
    assert_int_equal(score.losses, 2);
    close_to(score.share, 5.0 / 8.0, 1e-15);
    close_to(score.share_of_decided, 4.0 / 6.0, 1e-15);
    assert_true(score.interval.low < score.share && score.share < score.interval.high);
}

static void all_ends_count_extra_ends_too(void **state)
{
    (void)state;
    const struct pair_result result = {.game = {game_of(4, (const int[]){2, -1, 0, -1}),
                                                game_of(5, (const int[]){0, 0, 0, 0, 1})}};

    assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), 1);
}

/* Conceding a game is no better than losing it by a point. */
static void a_conceded_game_counts_at_least_one_point(void **state)
{
    (void)state;
    struct pair_result result = pair_of(0, 0);

    result.game[0] = (struct pair_game){.ends = 0, .half_points = 0, .conceded = true};
    assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), -1);
    result.game[0].half_points = 2;
    assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), 1);
    /* It was even ahead. */
    result.game[0] = game_of(1, (const int[]){3});
    result.game[0].half_points = 0;
    result.game[0].conceded = true;
    assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), -1);
    /* If the other player leads by more, that lead counts. */
    result.game[0] = game_of(1, (const int[]){-5});
    result.game[0].conceded = true;
    assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), -5);
}

static void an_undecided_test_is_reported(void **state)
{
    (void)state;
    const struct pair_result drawn[2] = {pair_of(1, -1), pair_of(0, 0)};
    struct pair_score score = pair_score_of(drawn, 2, PAIR_ALL_ENDS, 0.95, 1);

    assert_true(score.share == 0.5);
    assert_true(isnan(score.share_of_decided));
    score = pair_score_of(NULL, 0, PAIR_ALL_ENDS, 0.95, 1);
    assert_true(isnan(score.share));
    assert_true(score.interval.low == 0.0 && score.interval.high == 1.0);
}

/* With this many pairs both intervals match the normal one of a share, except for its skewness. */
static void variance_and_bootstrap_agree(void **state)
{
    (void)state;
    enum { PAIRS = 500 };
    static const int shares[][3] = {{300, 100, 100}, {400, 50, 50}, {150, 200, 150}, {50, 0, 450}};
    static struct pair_result results[PAIRS];

    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        double wins = shares[k][0], draws = shares[k][1];
        for (int pair = 0; pair < PAIRS; pair++)
            results[pair] = pair < shares[k][0]                  ? pair_of(2, -1)
                            : pair < shares[k][0] + shares[k][1] ? pair_of(1, -1)
                                                                 : pair_of(0, -1);
        struct pair_score score = pair_score_of(results, PAIRS, PAIR_ALL_ENDS, 0.95, k);
        double share = (wins + 0.5 * draws) / PAIRS;
        double variance = (wins + 0.25 * draws) / PAIRS - share * share;
        double half = 1.96 * sqrt(variance / PAIRS);
        close_to(score.share, share, 1e-12);
        close_to(score.interval.low, share - half, 0.003);
        close_to(score.interval.high, share + half, 0.003);
        close_to(score.bootstrap.low, score.interval.low, 0.006);
        close_to(score.bootstrap.high, score.interval.high, 0.006);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_of_both_games_are_added),
        cmocka_unit_test(all_ends_count_extra_ends_too),
        cmocka_unit_test(a_conceded_game_counts_at_least_one_point),
        cmocka_unit_test(an_undecided_test_is_reported),
        cmocka_unit_test(variance_and_bootstrap_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
