/* Ratings from made-up games of known strengths. */
#include "workers/evaluate/elo.h"

#include "models/ice/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

static double chance(double elo)
{
    return 1.0 / (1.0 + pow(10.0, -elo / 400.0));
}

/* Each score exactly as the model expects it. */
static struct elo_games expected_games(int players, const double *rating, double hammer, double n)
{
    struct elo_games games = {.players = players};
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++)
            if (i != j) {
                games.games[i][j] = n;
                games.score[i][j] = n * chance(rating[i] - rating[j] + hammer);
            }
    return games;
}

/* `n` games of each ordered pair, won and lost by chance. */
static struct elo_games random_games(int players, const double *rating, double hammer, int n,
                                     uint64_t run)
{
    struct elo_games games = {.players = players};
    struct random_key key = {.seed = 12, .game = run, .purpose = RANDOM_SCENE};
    uint64_t draw = 0;
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++)
            for (int k = 0; k < n && i != j; k++) {
                games.games[i][j] += 1.0;
                games.score[i][j] +=
                    random_uniform(&key, draw++) < chance(rating[i] - rating[j] + hammer);
            }
    return games;
}

static struct elo_ratings fit(const struct elo_games *games, int anchor)
{
    struct elo_ratings ratings;
    assert_true(elo_fit(games, anchor, &ratings));
    return ratings;
}

static const double strengths[] = {0.0, 150.0, 420.0, 900.0, 1100.0};
enum { STRENGTHS = 5 };

static void known_strengths_come_back(void **state)
{
    (void)state;
    struct elo_games games = expected_games(STRENGTHS, strengths, 35.0, 1e6);
    struct elo_ratings ratings = fit(&games, 0);

    for (int k = 0; k < STRENGTHS; k++)
        close_to(ratings.rating[k], strengths[k], 0.05); /* the prior's two games in a million */
    close_to(ratings.hammer, 35.0, 0.05);
    assert_true(ratings.rating[0] == 0.0 && elo_error(&ratings, 0) == 0.0);
}

/* Two players, without hammer: the score with the prior's two draws added is the chance. */
static void two_players_have_a_closed_form(void **state)
{
    (void)state;
    struct elo_games games = {.players = 2};
    games.games[0][1] = games.games[1][0] = 50.0;
    games.score[0][1] = 35.0;
    games.score[1][0] = 15.0; /* the same share in both seats: the hammer is worth nothing */
    struct elo_ratings ratings = fit(&games, 1);
    double p = (70.0 + 1.0) / (100.0 + 2.0);

    close_to(ratings.rating[0], 400.0 * log10(p / (1.0 - p)), 1e-9);
    close_to(ratings.hammer, 0.0, 1e-9);
    double unit = 400.0 / log(10.0);
    close_to(elo_error(&ratings, 0), unit / sqrt(102.0 * p * (1.0 - p)), 1e-5);
    close_to(elo_error(&ratings, 2), unit / sqrt(102.0 * p * (1.0 - p)), 1e-5);
    close_to(elo_expected(&ratings, 0, 1), p, 1e-12);
}

static void the_anchor_only_shifts(void **state)
{
    (void)state;
    struct elo_games games = random_games(STRENGTHS, strengths, 20.0, 30, 1);
    struct elo_ratings first = fit(&games, 0);

    for (int anchor = 1; anchor < STRENGTHS; anchor++) {
        struct elo_ratings other = fit(&games, anchor);
        for (int i = 0; i < STRENGTHS; i++) {
            close_to(other.rating[i] - other.rating[0], first.rating[i] - first.rating[0], 1e-6);
            for (int j = 0; j < STRENGTHS; j++) { /* the variance of each difference is the same */
                double a =
                    first.covariance[i][i] + first.covariance[j][j] - 2.0 * first.covariance[i][j];
                double b =
                    other.covariance[i][i] + other.covariance[j][j] - 2.0 * other.covariance[i][j];
                close_to(a, b, 1e-6 * (1.0 + a));
            }
        }
        close_to(other.hammer, first.hammer, 1e-6);
    }
}

/* The covariance says how much ratings scatter when the same tournament is played again. */
static void the_covariance_is_the_scatter(void **state)
{
    (void)state;
    enum { RUNS = 2000, PLAYERS = 4 };
    const double truth[PLAYERS] = {0.0, 80.0, 200.0, 300.0};
    double mean[PLAYERS + 1] = {0}, square[PLAYERS + 1][PLAYERS + 1] = {{0}};
    double claimed[PLAYERS + 1][PLAYERS + 1] = {{0}};
    int inside = 0;

    for (uint64_t run = 0; run < RUNS; run++) {
        struct elo_games games = random_games(PLAYERS, truth, 40.0, 100, run);
        struct elo_ratings ratings = fit(&games, 0);
        double value[PLAYERS + 1];
        for (int i = 0; i <= PLAYERS; i++) {
            value[i] = i < PLAYERS ? ratings.rating[i] - truth[i] : ratings.hammer - 40.0;
            mean[i] += value[i] / RUNS;
        }
        for (int i = 0; i <= PLAYERS; i++)
            for (int j = 0; j <= PLAYERS; j++) {
                square[i][j] += value[i] * value[j] / RUNS;
                claimed[i][j] += ratings.covariance[i][j] / RUNS;
            }
        inside += fabs(value[3]) <= 1.96 * elo_error(&ratings, 3);
    }
    for (int i = 1; i <= PLAYERS; i++) {
        close_to(mean[i], 0.0, 3.0); /* a prior of two games in six hundred, and scatter */
        for (int j = 1; j <= PLAYERS; j++) {
            double scale = sqrt(claimed[i][i] * claimed[j][j]);
            close_to(square[i][j], claimed[i][j], 0.12 * scale);
        }
    }
    assert_in_range(inside, (int)(0.935 * RUNS), (int)(0.965 * RUNS));
}

static void who_won_everything_stays_finite(void **state)
{
    (void)state;
    struct elo_games games = {.players = 3};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (i != j) {
                games.games[i][j] = 100.0;
                games.score[i][j] = i > j ? 100.0 : 0.0;
            }
    struct elo_ratings ratings = fit(&games, 0);

    assert_true(ratings.rating[2] > ratings.rating[1] && ratings.rating[1] > 300.0);
    assert_true(isfinite(ratings.rating[2]) && elo_error(&ratings, 2) > 100.0);
    close_to(ratings.hammer, 0.0, 1e-6);
}

static void players_that_never_played_are_level_and_unknown(void **state)
{
    (void)state;
    struct elo_games games = {.players = 3};
    struct elo_ratings ratings = fit(&games, 2);
    double residual = 7.0, deviations = 7.0;

    for (int k = 0; k < 3; k++)
        close_to(ratings.rating[k], 0.0, 1e-9);
    assert_true(elo_error(&ratings, 0) > 200.0);
    assert_false(elo_residual(&games, &ratings, 0, 1, &residual, &deviations));
    assert_true(residual == 7.0 && deviations == 7.0);
}

static void residuals_show_what_one_number_cannot(void **state)
{
    (void)state;
    /* Stone, scissors, paper: all are equally strong, and no pairing is level. */
    struct elo_games games = {.players = 3};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        games.games[i][j] = games.games[j][i] = 200.0;
        games.score[i][j] = 150.0;
        games.score[j][i] = 50.0;
    }
    struct elo_ratings ratings = fit(&games, 0);
    double residual, deviations, mirrored, mirrored_deviations;

    close_to(ratings.rating[1], 0.0, 1e-6);
    close_to(ratings.rating[2], 0.0, 1e-6);
    assert_true(elo_residual(&games, &ratings, 0, 1, &residual, &deviations));
    close_to(residual, 0.25, 1e-9);
    close_to(deviations, 100.0 / sqrt(400.0 * 0.25), 1e-6);
    assert_true(elo_residual(&games, &ratings, 1, 0, &mirrored, &mirrored_deviations));
    close_to(mirrored, -residual, 1e-9);
    close_to(mirrored_deviations, -deviations, 1e-9);

    struct elo_games exact = expected_games(STRENGTHS, strengths, 35.0, 1e6);
    ratings = fit(&exact, 0);
    assert_true(elo_residual(&exact, &ratings, 1, 3, &residual, &deviations));
    close_to(residual, 0.0, 1e-5);
}

static void senseless_numbers_are_refused(void **state)
{
    (void)state;
    struct elo_games good = expected_games(3, strengths, 0.0, 10.0), bad;
    struct elo_ratings ratings, untouched;

    memset(&ratings, 0x33, sizeof ratings);
    untouched = ratings;
    assert_false(elo_fit(&good, 3, &ratings));
    assert_false(elo_fit(&good, -1, &ratings));
    bad = good;
    bad.players = 1;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad.players = ELO_PLAYERS_MAX + 1;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.score[0][1] = 10.5;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad.score[0][1] = (double)NAN;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.games[1][2] = INFINITY;
    assert_false(elo_fit(&bad, 0, &ratings));
    assert_memory_equal(&ratings, &untouched, sizeof ratings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_strengths_come_back),
        cmocka_unit_test(two_players_have_a_closed_form),
        cmocka_unit_test(the_anchor_only_shifts),
        cmocka_unit_test(the_covariance_is_the_scatter),
        cmocka_unit_test(who_won_everything_stays_finite),
        cmocka_unit_test(players_that_never_played_are_level_and_unknown),
        cmocka_unit_test(residuals_show_what_one_number_cannot),
        cmocka_unit_test(senseless_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
