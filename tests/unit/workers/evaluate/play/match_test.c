/* Adding up pairs: a match and a round robin small enough to check by hand. */
#include "workers/evaluate/play/match.h"

#include "workers/evaluate/play/tournament.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

/* A pair of one-end games: points of player 0 in each. In game 0 player 1 has the hammer. */
static struct pair_result pair_of(int first, int second)
{
    struct pair_result result = {.effort = {{8, 80, 0.5, 0.75}, {8, 16, 0.25, 0.25}}};
    const int score[2] = {first, second};
    for (int g = 0; g < 2; g++) {
        result.game[g].ends = 1;
        result.game[g].end[0].score = (int8_t)score[g];
        result.game[g].end[0].hammer = g == 1;
        result.game[g].half_points = score[g] > 0 ? 2 : score[g] == 0 ? 1 : 0;
    }
    return result;
}

static void assert_games(const struct match_games *games, int wins, int draws, int losses)
{
    assert_int_equal(games->wins, wins);
    assert_int_equal(games->draws, draws);
    assert_int_equal(games->losses, losses);
}

static void a_match_is_added_up_by_seats(void **state)
{
    (void)state;
    const struct pair_result results[4] = {pair_of(1, 2), pair_of(-1, 2), pair_of(-3, 0),
                                           pair_of(0, 0)};
    struct match_summary match;

    match_summarise(results, 4, 1, 1, &match);
    assert_int_equal(match.pairs, 4);
    assert_games(&match.games[0][0], 1, 1, 2);
    assert_games(&match.games[0][1], 2, 2, 0);
    assert_games(&match.games[1][0], 0, 2, 2);
    assert_games(&match.games[1][1], 2, 1, 1);
    const int64_t half_points[PENTANOMIAL] = {0, 1, 2, 0, 1};
    assert_memory_equal(match.half_points, half_points, sizeof half_points);
    close_to(match.score, 9.0 / 16.0, 1e-15);
    assert_true(match.pentanomial.low < match.score && match.score < match.pentanomial.high);
    assert_true(match.bootstrap.low <= match.score && match.score <= match.bootstrap.high);

    /* Without the hammer player 0 scored 1, -1, -3, 0; with it 2, 2, 0, 0. */
    close_to(match_points(&match.seats[0][0]), -0.75, 1e-15);
    close_to(match_points(&match.seats[0][1]), 1.0, 1e-15);
    close_to(match_points(&match.seats[1][1]), 0.75, 1e-15);
    close_to(match_points(&match.seats[1][0]), -1.0, 1e-15);
    assert_int_equal(match_ends(&match.seats[0][1]), 4);
    close_to(match_points_error(&match.seats[0][1]), sqrt(4.0 / 3.0 / 4.0), 1e-15);
    assert_int_equal(match.effort[0].moves, 32);
    assert_int_equal(match.effort[1].simulations, 64);
    close_to(match.effort[0].cpu_s, 2.0, 1e-15);
    close_to(match.effort[0].elapsed_s, 3.0, 1e-15);
}

/* A game of several ends, given by points of player 0; scoring gives the hammer away, a blank end
 * keeps it. */
static struct pair_game game_of(bool hammer, int ends, const int scores[])
{
    struct pair_game game = {.ends = ends};
    int lead = 0;

    for (int e = 0; e < ends; e++) {
        game.end[e].score = (int8_t)scores[e];
        game.end[e].hammer = hammer;
        hammer = scores[e] < 0 || (scores[e] == 0 && hammer);
        lead += scores[e];
    }
    game.half_points = lead > 0 ? 2 : lead == 0 ? 1 : 0;
    return game;
}

/* Pairs with differing, correlated numbers of ends in a seat: the error is the scatter of s - mean
 * n over pairs, computed by hand. */
static void the_error_of_points_takes_the_pair_as_the_sample(void **state)
{
    (void)state;
    const struct pair_result results[] = {
        {.game = {game_of(false, 4, (const int[]){1, -2, 3, -1}),
                  game_of(true, 4, (const int[]){2, 1, 1, -1})}},
        {.game = {game_of(false, 4, (const int[]){-1, -1, -2, -3}),
                  game_of(true, 5, (const int[]){-1, 0, 0, 1, -1})}},
        {.game = {game_of(false, 2, (const int[]){0, -4}), game_of(true, 1, (const int[]){3})}},
        {.game = {{.conceded = true, .half_points = 2}, game_of(true, 1, (const int[]){-5})}},
    };
    enum { PAIRS = sizeof results / sizeof results[0] };
    struct match_summary match;

    match_summarise(results, PAIRS, 4, 1, &match);
    for (int hammer = 0; hammer < 2; hammer++) {
        double points[PAIRS] = {0}, ends[PAIRS] = {0}, all_points = 0.0, all_ends = 0.0;
        double squares = 0.0, pairs = 0.0;
        for (int k = 0; k < PAIRS; k++) {
            for (int g = 0; g < 2; g++)
                for (int e = 0; e < results[k].game[g].ends; e++)
                    if (results[k].game[g].end[e].hammer == (hammer == 1)) {
                        points[k] += results[k].game[g].end[e].score;
                        ends[k] += 1.0;
                    }
            all_points += points[k];
            all_ends += ends[k];
            pairs += ends[k] > 0.0;
        }
        double mean = all_points / all_ends;
        for (int k = 0; k < PAIRS; k++)
            squares += (points[k] - mean * ends[k]) * (points[k] - mean * ends[k]);
        double error = sqrt(squares / (pairs - 1.0) * pairs) / all_ends;
        assert_true(pairs == (hammer ? 4.0 : 3.0)); /* one pair without an end in this seat */
        close_to(match_points(&match.seats[0][hammer]), mean, 1e-12);
        close_to(match_points_error(&match.seats[0][hammer]), error, 1e-12);
        close_to(match_points_error(&match.seats[1][!hammer]), error, 1e-12);
    }
    match_summarise(results, 1, 4, 1, &match);
    assert_true(isfinite(match_points(&match.seats[0][0])));
    assert_true(isnan(match_points_error(&match.seats[0][0]))); /* four ends, one sample */
}

/* Pairs whose ends in a seat are all alike prove as much as one end of each. */
static void more_of_the_same_luck_proves_nothing(void **state)
{
    (void)state;
    struct pair_result one[10], three[10];
    struct match_summary short_games, long_games;

    for (int k = 0; k < 10; k++) {
        int points = k % 2 ? 2 : -1;
        const int scores[] = {points, points, points};
        one[k] =
            (struct pair_result){.game = {game_of(false, 1, scores), game_of(true, 1, scores)}};
        three[k] = one[k];
        for (int g = 0; g < 2; g++) {
            three[k].game[g] = game_of(g == 1, 3, scores);
            for (int e = 0; e < 3; e++)
                three[k].game[g].end[e].hammer = g == 1;
        }
    }
    match_summarise(one, 10, 1, 1, &short_games);
    match_summarise(three, 10, 3, 1, &long_games);
    for (int hammer = 0; hammer < 2; hammer++) {
        assert_int_equal(match_ends(&long_games.seats[0][hammer]), 30);
        close_to(match_points_error(&long_games.seats[0][hammer]), sqrt(2.25 * 10 / 9 / 10), 1e-12);
        close_to(match_points_error(&short_games.seats[0][hammer]), sqrt(2.25 * 10 / 9 / 10),
                 1e-12);
    }
}

static void no_pairs_are_no_result(void **state)
{
    (void)state;
    struct match_summary match;

    match_summarise(NULL, 0, 1, 1, &match);
    assert_true(isnan(match.score));
    assert_true(match.pentanomial.low == 0.0 && match.pentanomial.high == 1.0);
    assert_true(isnan(match_points(&match.seats[0][0])));
    assert_true(isnan(match_points_error(&match.seats[0][0])));
}

/* Three players: 2 beats 1 beats 0, in every game. */
static void a_round_robin_makes_a_ladder(void **state)
{
    (void)state;
    static struct tournament tournament;
    struct pair_result results[3 * 10];

    for (int k = 0; k < 30; k++)
        results[k] = pair_of(-1, -1); /* the first of a pairing has the lower number */
    results[29] = pair_of(0, 0);      /* one draw each between 1 and 2 */
    assert_true(tournament_summarise(3, results, 30, 1, 0, &tournament));
    assert_int_equal(tournament.ladder[0], 2);
    assert_int_equal(tournament.ladder[1], 1);
    assert_int_equal(tournament.ladder[2], 0);
    assert_games(&tournament.games[0], 0, 0, 40);
    assert_games(&tournament.games[1], 20, 2, 18);
    assert_games(&tournament.games[2], 38, 2, 0);
    assert_int_equal(tournament.half_points[1][2][0], 9);
    assert_int_equal(tournament.half_points[1][2][2], 1);
    assert_int_equal(tournament.half_points[2][1][4], 9);
    assert_true(tournament.counts.games[1][2] == 10.0 && tournament.counts.games[2][1] == 10.0);
    assert_true(tournament.counts.score[1][2] == 0.5 && tournament.counts.score[2][1] == 9.5);
    assert_int_equal(tournament.effort[1].moves, 160);
    assert_int_equal(tournament.effort[1].simulations, 10 * 16 + 10 * 80);
    assert_true(tournament.ratings.rating[0] == 0.0);
}

static void hammer_wins_are_credited_to_the_hammer(void **state)
{
    (void)state;
    static struct tournament tournament;
    struct pair_result results[20];

    /* The hammer decides every game: all are level, and the hammer is worth a lot. */
    for (int k = 0; k < 20; k++)
        results[k] = pair_of(-1, 1);
    assert_true(tournament_summarise(2, results, 20, 1, 1, &tournament));
    close_to(tournament.ratings.rating[0], 0.0, 1e-6);
    assert_true(tournament.ratings.hammer > 400.0);
    assert_true(tournament.ratings.covariance[0][0] > 0.0);
}

static void equal_players_keep_their_order(void **state)
{
    (void)state;
    static struct tournament tournament, untouched;

    assert_true(tournament_summarise(4, NULL, 0, 1, 2, &tournament));
    for (int k = 0; k < 4; k++)
        assert_int_equal(tournament.ladder[k], k);
    memcpy(&untouched, &tournament, sizeof tournament);
    assert_false(tournament_summarise(4, NULL, 0, 1, 4, &tournament));
    assert_false(tournament_summarise(1, NULL, 0, 1, 0, &tournament));
    assert_false(tournament_summarise(ELO_PLAYERS_MAX + 1, NULL, 0, 1, 0, &tournament));
    assert_memory_equal(&untouched, &tournament, sizeof tournament);
}

static void the_check_of_draws_is_compared_with_the_ladder(void **state)
{
    (void)state;
    static struct tournament tournament;
    struct pair_result results[3];

    for (int k = 0; k < 3; k++)
        results[k] = pair_of(-1, k - 1); /* one draw, between 0 and 2 */
    assert_true(tournament_summarise(3, results, 3, 1, 1, &tournament));
    assert_true(tournament.davidson.nu > 0.0 && tournament.davidson.rating[1] == 0.0);
    assert_true(tournament_davidson_shift(&tournament, 1) == 0.0);
    close_to(tournament.ratings.rating[2] + tournament_davidson_shift(&tournament, 2),
             tournament.davidson.rating[2], 1e-9);

    tournament = (struct tournament){.players = 3,
                                     .ladder = {2, 0, 1},
                                     .ratings.rating = {100.0, 0.0, 120.0},
                                     .davidson.rating = {130.0, 0.0, 110.0}};
    close_to(tournament_davidson_shift(&tournament, 2), -10.0, 1e-9);
    assert_true(tournament_davidson_swaps(&tournament, 0));
    assert_false(tournament_davidson_swaps(&tournament, 1));
    tournament.davidson.rating[0] = tournament.davidson.rating[2];
    assert_false(tournament_davidson_swaps(&tournament, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_is_added_up_by_seats),
        cmocka_unit_test(the_error_of_points_takes_the_pair_as_the_sample),
        cmocka_unit_test(more_of_the_same_luck_proves_nothing),
        cmocka_unit_test(no_pairs_are_no_result),
        cmocka_unit_test(a_round_robin_makes_a_ladder),
        cmocka_unit_test(hammer_wins_are_credited_to_the_hammer),
        cmocka_unit_test(equal_players_keep_their_order),
        cmocka_unit_test(the_check_of_draws_is_compared_with_the_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
