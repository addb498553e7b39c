/* Ratings from made-up games of known strengths. */
#include "workers/evaluate/statistics/elo.h"

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

/* Adds `n` pairs of i and j, all won or lost, with this many wins with the hammer; the results are
 * independent. */
static void add_independent(struct elo_games *games, int i, int j, double n, double won_i,
                            double won_j)
{
    double both = won_i * won_j / n;

    elo_add_pairs(games, i, j, both, 1.0, 1.0);
    elo_add_pairs(games, i, j, won_i - both, 1.0, 0.0);
    elo_add_pairs(games, i, j, won_j - both, 0.0, 1.0);
    elo_add_pairs(games, i, j, n - won_i - won_j + both, 0.0, 0.0);
}

/* Returns games in which each score is exactly what the model expects. */
static struct elo_games expected_games(int players, const double *rating, double hammer, double n)
{
    struct elo_games games = {.players = players};
    for (int i = 0; i < players; i++)
        for (int j = i + 1; j < players; j++)
            add_independent(&games, i, j, n, n * chance(rating[i] - rating[j] + hammer),
                            n * chance(rating[j] - rating[i] + hammer));
    return games;
}

/* Returns `n` random pairs of every two players, won or lost. */
static struct elo_games random_games(int players, const double *rating, double hammer, int n,
                                     uint64_t run)
{
    struct elo_games games = {.players = players};
    struct random_key key = {.seed = 12, .game = run, .purpose = RANDOM_SCENE};
    uint64_t draw = 0;
    for (int i = 0; i < players; i++)
        for (int j = i + 1; j < players; j++)
            for (int k = 0; k < n; k++) {
                double u = random_uniform(&key, draw++), v = random_uniform(&key, draw++);
                elo_add_pairs(&games, i, j, 1.0, u < chance(rating[i] - rating[j] + hammer),
                              v < chance(rating[j] - rating[i] + hammer));
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
        close_to(ratings.rating[k], strengths[k], 0.05); /* the prior's two games among a million */
    close_to(ratings.hammer, 35.0, 0.05);
    assert_true(ratings.rating[0] == 0.0 && elo_error(&ratings, 0) == 0.0);
}

/* Two players, no hammer: the chance is the score including the prior's two draws. */
static void two_players_have_a_closed_form(void **state)
{
    (void)state;
    struct elo_games games = {.players = 2};
    /* The same share in both seats: the hammer is worth nothing. */
    add_independent(&games, 0, 1, 50.0, 35.0, 15.0);
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
            for (int j = 0; j < STRENGTHS; j++) { /* all differences have the same variance */
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

/* ---- draws as draws ---- */

/* Chances of a win, a draw and a loss of i, who has the hammer, by Davidson's formula. */
static void davidson_chances(double pi_i, double theta, double nu, double pi_j,
                             double ret_chances[3])
{
    double win = pi_i * theta, draw = nu * sqrt(pi_i * theta * pi_j), loss = pi_j;

    ret_chances[0] = win / (win + draw + loss);
    ret_chances[1] = draw / (win + draw + loss);
    ret_chances[2] = loss / (win + draw + loss);
}

static double strength(double elo)
{
    return pow(10.0, elo / 400.0);
}

/* Returns `n` pairs of every two players, won, drawn and lost as often as the model says. */
static struct elo_games drawn_games(int players, const double *rating, double hammer, double nu,
                                    double n)
{
    static const double scores[3] = {1.0, 0.5, 0.0};
    struct elo_games games = {.players = players};
    for (int i = 0; i < players; i++)
        for (int j = i + 1; j < players; j++) {
            double first[3], second[3];
            davidson_chances(strength(rating[i]), strength(hammer), nu, strength(rating[j]), first);
            davidson_chances(strength(rating[j]), strength(hammer), nu, strength(rating[i]),
                             second);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    elo_add_pairs(&games, i, j, n * first[a] * second[b], scores[a], scores[b]);
        }
    return games;
}

static void known_draws_come_back(void **state)
{
    (void)state;
    static const double nus[] = {1e-3, 0.2, 1.5};

    for (size_t k = 0; k < sizeof nus / sizeof nus[0]; k++) {
        struct elo_games games = drawn_games(STRENGTHS, strengths, 35.0, nus[k], 1e6);
        struct elo_davidson davidson;
        double scale = 2.0 / (2.0 + nus[k]);
        assert_true(elo_fit_davidson(&games, 0, &davidson));
        close_to(davidson.nu, nus[k], 1e-5 * (1.0 + nus[k]));
        for (int i = 0; i < STRENGTHS; i++)
            close_to(davidson.rating[i], scale * strengths[i], 0.05);
        close_to(davidson.hammer, scale * 35.0, 0.05);
    }
}

/* Level players: the share of draws is nu / (2 + nu), with the prior's two decided games. */
static void the_share_of_draws_has_a_closed_form(void **state)
{
    (void)state;
    struct elo_games games = {.players = 2};
    elo_add_pairs(&games, 0, 1, 15.0, 0.5, 0.5);
    elo_add_pairs(&games, 0, 1, 35.0, 1.0, 1.0);
    elo_add_pairs(&games, 0, 1, 35.0, 0.0, 0.0);
    struct elo_davidson davidson;
    double share = 30.0 / (170.0 + 2.0);

    assert_true(elo_fit_davidson(&games, 0, &davidson));
    close_to(davidson.nu, 2.0 * share / (1.0 - share), 1e-9);
    close_to(davidson.rating[1], 0.0, 1e-9);
    close_to(davidson.hammer, 0.0, 1e-9);
}

static void without_draws_both_models_are_the_same(void **state)
{
    (void)state;
    struct elo_games games = random_games(STRENGTHS, strengths, 20.0, 30, 2);
    struct elo_ratings ratings = fit(&games, 1);
    struct elo_davidson davidson;

    assert_true(elo_fit_davidson(&games, 1, &davidson));
    assert_true(davidson.nu == 0.0);
    for (int k = 0; k < STRENGTHS; k++)
        close_to(davidson.rating[k], ratings.rating[k], 1e-9);
    close_to(davidson.hammer, ratings.hammer, 1e-9);
}

/* The scale of both models: for nearly level players who often draw they agree. */
static void draws_do_not_stretch_the_scale(void **state)
{
    (void)state;
    static const double truth[] = {0.0, 15.0, 30.0};
    struct elo_games games = drawn_games(3, truth, 0.0, 2.0, 1e6);
    struct elo_ratings ratings = fit(&games, 0);
    struct elo_davidson davidson;

    assert_true(elo_fit_davidson(&games, 0, &davidson));
    for (int k = 1; k < 3; k++) {
        close_to(davidson.rating[k], 0.5 * truth[k], 0.01);
        close_to(ratings.rating[k], davidson.rating[k], 0.1);
    }
}

/* Returns the log posterior at the given parameters, from wins, draws and losses counted here:
 * [i][j][0..2] of i with the hammer against j. */
static double davidson_posterior(int players, double counts[][3][3],
                                 const struct elo_davidson *davidson)
{
    double sum = 0.0, stretch = (2.0 + davidson->nu) / 2.0;
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++) {
            double chances[3], prior = 0.5 / (players - 1);
            if (i == j)
                continue;
            davidson_chances(strength(stretch * davidson->rating[i]),
                             strength(stretch * davidson->hammer), davidson->nu,
                             strength(stretch * davidson->rating[j]), chances);
            for (int k = 0; k < 3; k++)
                sum += (counts[i][j][k] + (k != 1 ? prior : 0.0)) * log(chances[k]);
        }
    return sum;
}

static void the_fit_maximises_the_likelihood(void **state)
{
    (void)state;
    enum { PLAYERS = 3, PAIRS = 40 };
    static const double truth[PLAYERS] = {0.0, 120.0, 260.0}, scores[3] = {1.0, 0.5, 0.0};
    const struct random_key key = {.seed = 5, .game = 1, .purpose = RANDOM_SCENE};
    struct elo_games games = {.players = PLAYERS};
    struct elo_davidson davidson;
    double counts[PLAYERS][3][3] = {{{0.0}}};
    uint64_t draw = 0;

    for (int i = 0; i < PLAYERS; i++)
        for (int j = i + 1; j < PLAYERS; j++)
            for (int pair = 0; pair < PAIRS; pair++) {
                int outcome[2];
                for (int g = 0; g < 2; g++) {
                    int a = g ? j : i, b = g ? i : j;
                    double chances[3], u = random_uniform(&key, draw++);
                    davidson_chances(strength(truth[a]), strength(50.0), 0.6, strength(truth[b]),
                                     chances);
                    outcome[g] = u < chances[0] ? 0 : u < chances[0] + chances[1] ? 1 : 2;
                    counts[a][b][outcome[g]] += 1.0;
                }
                elo_add_pairs(&games, i, j, 1.0, scores[outcome[0]], scores[outcome[1]]);
            }
    assert_true(elo_fit_davidson(&games, 0, &davidson));
    double *const parameters[] = {&davidson.rating[1], &davidson.rating[2], &davidson.hammer,
                                  &davidson.nu};
    double top = davidson_posterior(PLAYERS, counts, &davidson);
    for (int k = 0; k < 4; k++) {
        double at = *parameters[k], step = k < 3 ? 0.1 : 1e-3; /* Elo; nu */
        *parameters[k] = at + step;
        double above = davidson_posterior(PLAYERS, counts, &davidson);
        *parameters[k] = at - step;
        double below = davidson_posterior(PLAYERS, counts, &davidson);
        *parameters[k] = at;
        assert_true(above < top && below < top);
        /* At zero slope both sides fall equally. */
        close_to(above, below, 0.02 * (top - fmin(above, below)));
    }
}

/* With draws, a large step of a ladder exceeds the sum of small ones: the player one large step
 * above the anchor and the one two small steps above swap places. */
static void draw_model_and_ladder_can_rank_differently(void **state)
{
    (void)state;
    static const struct {
        int above, below;
        double win, draw; /* shares of games */
    } played[] = {{1, 0, 0.8775, 0.085}, {2, 1, 0.8775, 0.085}, {3, 0, 0.983, 0.016}};
    struct elo_games games = {.players = 4};
    struct elo_davidson davidson;

    for (int k = 0; k < 3; k++) {
        int i = played[k].above, j = played[k].below;
        double win = played[k].win, draw = played[k].draw;
        elo_add_pairs(&games, i, j, 1e5 * win, 1.0, 0.0);
        elo_add_pairs(&games, i, j, 1e5 * draw, 0.5, 0.5);
        elo_add_pairs(&games, i, j, 1e5 * (1.0 - win - draw), 0.0, 1.0);
    }
    struct elo_ratings ratings = fit(&games, 0);
    assert_true(elo_fit_davidson(&games, 0, &davidson));
    assert_true(ratings.rating[2] > ratings.rating[3] + 1.0);
    assert_true(davidson.rating[2] < davidson.rating[3] - 1.0);
}

/* One draw among millions of games, and nothing but draws. */
static void few_and_many_draws_are_fitted(void **state)
{
    (void)state;
    struct elo_games rare = random_games(STRENGTHS, strengths, 20.0, 1, 3), all = {.players = 2};
    struct elo_davidson davidson;

    for (int i = 0; i < STRENGTHS; i++)
        for (int j = i + 1; j < STRENGTHS; j++)
            add_independent(&rare, i, j, 1e7, 6e6, 6e6);
    elo_add_pairs(&rare, 0, 1, 1.0, 0.5, 1.0);
    assert_true(elo_fit_davidson(&rare, 0, &davidson));
    assert_true(davidson.nu > 0.0 && davidson.nu < 1e-6);
    elo_add_pairs(&all, 0, 1, 1e7, 0.5, 0.5);
    assert_true(elo_fit_davidson(&all, 0, &davidson));
    close_to(davidson.nu, 2e7, 1e3); /* two decided games from the prior */
    close_to(davidson.rating[1], 0.0, 1e-6);
}

/* ---- errors ---- */

/* The covariance is the scatter of ratings when the same tournament is repeated. */
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
        close_to(mean[i], 0.0, 3.0); /* a prior of two games among six hundred, plus scatter */
        for (int j = 1; j <= PLAYERS; j++) {
            double scale = sqrt(claimed[i][i] * claimed[j][j]);
            close_to(square[i][j], claimed[i][j], 0.12 * scale);
        }
    }
    assert_in_range(inside, (int)(0.935 * RUNS), (int)(0.965 * RUNS));
}

/* Correlation between the two games of a pair. */
struct luck {
    const char *name;
    double shared;  /* share of pairs whose luck favours the hammer in both games */
    double opposed; /* share of pairs whose luck favours a player: good in one game, bad in the
                     * other */
    double drawn;   /* share of games drawn, independent of the players */
};

/* Draws the scores with the hammer of a pair's two games, whose chances the model gives (draws take
 * equally from both sides). */
static void draw_pair(const struct random_key *key, uint64_t pair, const struct luck *luck,
                      const double chances[2], double ret_score[2])
{
    double kind = random_uniform(key, 5 * pair), u[2];

    u[0] = random_uniform(key, 5 * pair + 1);
    u[1] = kind < luck->shared                   ? u[0]
           : kind < luck->shared + luck->opposed ? 1.0 - u[0]
                                                 : random_uniform(key, 5 * pair + 2);
    for (int g = 0; g < 2; g++) {
        /* Drawn with probability d min(p, 1 - p), taken equally from wins and losses. */
        double p = chances[g], half = 0.5 * luck->drawn * fmin(p, 1.0 - p);
        ret_score[g] = u[g] < p - half ? 1.0 : u[g] < p + half ? 0.5 : 0.0;
    }
}

/* Standard deviations of the differences between neighbours on the ladder (and of the hammer,
 * last): true; as the ratings report; as they report from the sums of both games, which the daemon
 * keeps; and as they would report for independent games. */
struct deviations {
    double real[3], said[3], from_sums[3], independent[3];
};

static double difference_variance(const struct elo_ratings *ratings, int i, int j)
{
    return ratings->covariance[i][i] + ratings->covariance[j][j] - 2.0 * ratings->covariance[i][j];
}

static struct deviations deviations_of(const struct luck *luck, int pairs)
{
    enum { PLAYERS = 3, RUNS = 1500 };
    const double truth[PLAYERS] = {0.0, 60.0, 200.0}, hammer = 40.0;
    struct deviations sum = {{0}, {0}, {0}, {0}};
    double mean[3] = {0};

    for (uint64_t run = 0; run < RUNS; run++) {
        const struct random_key key = {.seed = 31, .game = run, .purpose = RANDOM_SCENE};
        struct elo_games games = {.players = PLAYERS}, apart = games, sums = games;
        uint64_t pair = 0;
        for (int i = 0; i < PLAYERS; i++)
            for (int j = i + 1; j < PLAYERS; j++) {
                const double chances[2] = {chance(truth[i] - truth[j] + hammer),
                                           chance(truth[j] - truth[i] + hammer)};
                for (int k = 0; k < pairs; k++) {
                    double score[2];
                    draw_pair(&key, pair++, luck, chances, score);
                    elo_add_pairs(&games, i, j, 1.0, score[0], score[1]);
                    double share = 0.5 * (score[0] + 1.0 - score[1]);
                    elo_add_pairs(&sums, i, j, 1.0, share, 1.0 - share);
                }
                add_independent(&apart, i, j, pairs, games.score[i][j], games.score[j][i]);
            }
        struct elo_ratings ratings = fit(&games, 0);
        struct elo_ratings from_sums = fit(&sums, 0), independent = fit(&apart, 0);
        for (int k = 0; k < 3; k++) {
            int i = k < 2 ? k + 1 : PLAYERS, j = k < 2 ? k : 0; /* the anchor has no error */
            double value = k < 2 ? ratings.rating[i] - ratings.rating[j] : ratings.hammer;
            mean[k] += value / RUNS;
            sum.real[k] += value * value / RUNS;
            sum.said[k] += difference_variance(&ratings, i, j) / RUNS;
            sum.from_sums[k] += difference_variance(&from_sums, i, j) / RUNS;
            sum.independent[k] += difference_variance(&independent, i, j) / RUNS;
        }
    }
    for (int k = 0; k < 3; k++) {
        sum.real[k] = sqrt(sum.real[k] - mean[k] * mean[k]);
        sum.said[k] = sqrt(sum.said[k]);
        sum.from_sums[k] = sqrt(sum.from_sums[k]);
        sum.independent[k] = sqrt(sum.independent[k]);
    }
    return sum;
}

static void errors_account_for_shared_noise_of_pairs(void **state)
{
    (void)state;
    const struct luck lucks[] = {{"independent", 0.0, 0.0, 0.0},
                                 {"shared", 0.7, 0.0, 0.0},
                                 {"opposed", 0.0, 0.4, 0.0},
                                 {"drawn", 0.0, 0.0, 0.8},
                                 {"shared and drawn", 0.5, 0.0, 0.6}};

    for (size_t k = 0; k < sizeof lucks / sizeof lucks[0]; k++) {
        struct deviations sd = deviations_of(&lucks[k], 100);
        for (int d = 0; d < 3; d++) {
            bool right = fabs(sd.said[d] / sd.real[d] - 1.0) <= 0.1;
            /* The sums do not show the hammer. */
            right = right && (d == 2 || fabs(sd.from_sums[d] / sd.real[d] - 1.0) <= 0.1);
            if (!right)
                print_message("%s, %d: %.2f Elo, said %.2f, from sums %.2f, if independent %.2f\n",
                              lucks[k].name, d, sd.real[d], sd.said[d], sd.from_sums[d],
                              sd.independent[d]);
            assert_true(right);
        }
    }
}

/* Twenty pairs with only shared luck show that luck is shared, not that there is no other. */
static void identical_pairs_have_wide_intervals(void **state)
{
    (void)state;
    struct elo_games like = {.players = 2}, apart = {.players = 2};

    elo_add_pairs(&like, 0, 1, 10.0, 1.0, 1.0);
    elo_add_pairs(&like, 0, 1, 10.0, 0.0, 0.0);
    add_independent(&apart, 0, 1, 20.0, 10.0, 10.0);
    struct elo_ratings ratings = fit(&like, 0), independent = fit(&apart, 0);
    double part = elo_error(&ratings, 1) / elo_error(&independent, 1);
    assert_true(part > 0.3 && part < 0.5);
    /* The hammer decides every second of these pairs, in both games. */
    assert_true(elo_error(&ratings, 2) > 1.3 * elo_error(&independent, 2));
}

static void an_unbeaten_player_has_a_finite_rating(void **state)
{
    (void)state;
    struct elo_games games = {.players = 3};
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            elo_add_pairs(&games, i, j, 100.0, 0.0, 1.0);
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
    /* Rock, paper, scissors: all are equally strong, and no pairing is level. */
    struct elo_games games = {.players = 3};
    for (int i = 0; i < 3; i++)
        add_independent(&games, i, (i + 1) % 3, 200.0, 150.0, 50.0);
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

    /* Each pair won or lost as a whole: the same score proves less. Two pairs drawn from the model
     * are added. */
    struct elo_games whole = {.players = 3};
    for (int i = 0; i < 3; i++) {
        elo_add_pairs(&whole, i, (i + 1) % 3, 150.0, 1.0, 0.0);
        elo_add_pairs(&whole, i, (i + 1) % 3, 50.0, 0.0, 1.0);
    }
    ratings = fit(&whole, 0);
    assert_true(elo_residual(&whole, &ratings, 0, 1, &residual, &deviations));
    close_to(residual, 0.25, 1e-9);
    close_to(deviations, 100.0 / sqrt(200.0 * 0.25 * (2.0 + 2.0 * 37.5 / 38.0)), 1e-6);

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
    bad.games[1][2] = bad.games[2][1] = INFINITY;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.games[1][2] += 1.0; /* not a whole number of pairs */
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.square[1][2] = bad.score[1][2] + 0.5;
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.product[0][1] += 0.25; /* missing in [1][0] */
    assert_false(elo_fit(&bad, 0, &ratings));
    bad = good;
    bad.product[0][1] = bad.product[1][0] = -1.0;
    assert_false(elo_fit(&bad, 0, &ratings));
    assert_memory_equal(&ratings, &untouched, sizeof ratings);

    struct elo_davidson davidson, before;
    memset(&davidson, 0x33, sizeof davidson);
    before = davidson;
    assert_false(elo_fit_davidson(&good, 3, &davidson));
    assert_false(elo_fit_davidson(&bad, 0, &davidson));
    assert_memory_equal(&davidson, &before, sizeof davidson);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_strengths_come_back),
        cmocka_unit_test(two_players_have_a_closed_form),
        cmocka_unit_test(the_anchor_only_shifts),
        cmocka_unit_test(known_draws_come_back),
        cmocka_unit_test(the_share_of_draws_has_a_closed_form),
        cmocka_unit_test(without_draws_both_models_are_the_same),
        cmocka_unit_test(draws_do_not_stretch_the_scale),
        cmocka_unit_test(the_fit_maximises_the_likelihood),
        cmocka_unit_test(draw_model_and_ladder_can_rank_differently),
        cmocka_unit_test(few_and_many_draws_are_fitted),
        cmocka_unit_test(the_covariance_is_the_scatter),
        cmocka_unit_test(errors_account_for_shared_noise_of_pairs),
        cmocka_unit_test(identical_pairs_have_wide_intervals),
        cmocka_unit_test(an_unbeaten_player_has_a_finite_rating),
        cmocka_unit_test(players_that_never_played_are_level_and_unknown),
        cmocka_unit_test(residuals_show_what_one_number_cannot),
        cmocka_unit_test(senseless_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
