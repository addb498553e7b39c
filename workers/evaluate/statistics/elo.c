/* Newton's method for the Bradley-Terry model, and for Davidson's, which equals it without draws.
 * The log-likelihood is concave (for Davidson's in log nu), so full steps that are halved where
 * they overshoot always converge. Internally, ratings are natural logarithms of odds. The sandwich
 * is that of P. J. Huber, "The behavior of maximum likelihood estimates under nonstandard
 * conditions" (1967), with pairs as the clusters. */
#include "workers/evaluate/statistics/elo.h"

#include <math.h>

#define ELO_PER_UNIT (400.0 / 2.302585092994045684) /* 400 / ln 10 */
#define PRIOR_GAMES  2.0
#define PRIOR_PAIRS  2.0  /* pairs added to the scatter of a pairing, for which the model holds */
#define TOLERANCE    1e-6 /* of a step; the next one would be about its square */

enum { PARAMETERS_MAX = ELO_PLAYERS_MAX + 1, STEPS_MAX = 200, HALVINGS_MAX = 60 };

/* The free parameters: all players but the anchor, in order, then the hammer, then log nu if draws
 * are modelled. */
struct fit {
    const struct elo_games *games;
    int anchor, parameters, hammer; /* hammer: index of its parameter */
    double prior; /* games of each ordered pair of players, half of them won, half lost */
    bool draws;
};

static struct fit fit_of(const struct elo_games *games, int anchor, bool draws)
{
    int players = games->players;

    return (struct fit){.games = games,
                        .anchor = anchor,
                        .parameters = players + draws,
                        .hammer = players - 1,
                        .prior = PRIOR_GAMES / (2.0 * (players - 1)),
                        .draws = draws};
}

void elo_add_pairs(struct elo_games *games, int i, int j, double pairs, double score_i,
                   double score_j)
{
    games->games[i][j] += pairs;
    games->games[j][i] += pairs;
    games->score[i][j] += pairs * score_i;
    games->score[j][i] += pairs * score_j;
    games->square[i][j] += pairs * score_i * score_i;
    games->square[j][i] += pairs * score_j * score_j;
    games->product[i][j] += pairs * score_i * score_j;
    games->product[j][i] += pairs * score_i * score_j;
}

static bool is_sound(const struct elo_games *games, int anchor)
{
    int players = games->players;

    if (players < 2 || players > ELO_PLAYERS_MAX || anchor < 0 || anchor >= players)
        return false;
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++) {
            double n = games->games[i][j], score = games->score[i][j];
            double square = games->square[i][j], product = games->product[i][j];
            if (i != j && !(isfinite(n) && n == games->games[j][i] && score >= 0.0 && score <= n &&
                            square >= 0.0 && square <= score && product >= 0.0 &&
                            product <= score && product == games->product[j][i]))
                return false;
        }
    return true;
}

/* Returns the parameter of a player, -1 for the anchor, whose rating is 0. */
static int parameter_of(const struct fit *fit, int player)
{
    return player == fit->anchor ? -1 : player < fit->anchor ? player : player - 1;
}

static double rating_of(const struct fit *fit, const double *x, int player)
{
    int parameter = parameter_of(fit, player);
    return parameter < 0 ? 0.0 : x[parameter];
}

static double chance(double d)
{
    return 1.0 / (1.0 + exp(-d));
}

/* Wins, draws and losses of i, with the hammer, against j: counts, or logarithms of
 * probabilities. */
struct outcome {
    double win, draw, loss;
};

/* Returns the counts of the played games, plus the prior. */
static struct outcome seen_of(const struct fit *fit, int i, int j)
{
    double n = fit->games->games[i][j], score = fit->games->score[i][j];
    /* A draw has a score of 1/2 and a square of 1/4; in other games score and square are equal. */
    double draws = fit->draws ? 4.0 * (score - fit->games->square[i][j]) : 0.0;

    return (struct outcome){score - 0.5 * draws + 0.5 * fit->prior, draws,
                            n - score - 0.5 * draws + 0.5 * fit->prior};
}

/* Returns the logarithms of the probabilities; -INFINITY for a draw if the model has none. */
static struct outcome log_chances(const struct fit *fit, const double *x, int i, int j)
{
    double d = rating_of(fit, x, i) - rating_of(fit, x, j) + x[fit->hammer];
    /* exp(d/2) : nu : exp(-d/2), divided by the larger of the two so that nothing overflows. */
    double draw = (fit->draws ? x[fit->hammer + 1] : -INFINITY) - 0.5 * fabs(d);
    double sum = log1p(exp(draw) + exp(-fabs(d)));

    return (struct outcome){fmin(d, 0.0) - sum, draw - sum, fmin(-d, 0.0) - sum};
}

static double log_posterior(const struct fit *fit, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < fit->games->players; i++)
        for (int j = 0; j < fit->games->players; j++) {
            if (i == j)
                continue;
            struct outcome seen = seen_of(fit, i, j), log_chance = log_chances(fit, x, i, j);
            sum += seen.win * log_chance.win + seen.loss * log_chance.loss;
            if (fit->draws)
                sum += seen.draw * log_chance.draw;
        }
    return sum;
}

/* The log odds d of a win of i against j, as a function of the parameters: of three of them, -1 is
 * none. */
struct slope {
    int parameter[3];
    double value[3];
};

static struct slope slope_of(const struct fit *fit, int i, int j)
{
    return (struct slope){{parameter_of(fit, i), parameter_of(fit, j), fit->hammer},
                          {1.0, -1.0, 1.0}};
}

/* matrix += weight left right' */
static void add_outer(const struct slope *left, const struct slope *right, double weight,
                      double matrix[PARAMETERS_MAX][PARAMETERS_MAX])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (left->parameter[a] >= 0 && right->parameter[b] >= 0)
                matrix[left->parameter[a]][right->parameter[b]] +=
                    weight * left->value[a] * right->value[b];
}

/* Computes the gradient of the log posterior, and its information: minus the second derivatives. */
static void derive(const struct fit *fit, const double *x, double gradient[PARAMETERS_MAX],
                   double information[PARAMETERS_MAX][PARAMETERS_MAX])
{
    int players = fit->games->players, count = fit->parameters;
    const struct slope log_nu = {{fit->draws ? count - 1 : -1, -1, -1}, {1.0}};

    for (int a = 0; a < count; a++) {
        gradient[a] = 0.0;
        for (int b = 0; b < count; b++)
            information[a][b] = 0.0;
    }
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++) {
            if (i == j)
                continue;
            const struct slope slope = slope_of(fit, i, j);
            struct outcome seen = seen_of(fit, i, j), log_chance = log_chances(fit, x, i, j);
            double n = seen.win + seen.draw + seen.loss;
            double win = exp(log_chance.win), draw = exp(log_chance.draw),
                   loss = exp(log_chance.loss);
            /* The likelihood depends on d through the score and on log nu through the number of
             * draws; the information is their covariance. */
            double surprise = seen.win + 0.5 * seen.draw - n * (win + 0.5 * draw);
            for (int a = 0; a < 3; a++)
                if (slope.parameter[a] >= 0)
                    gradient[slope.parameter[a]] += slope.value[a] * surprise;
            add_outer(&slope, &slope, n * (win * loss + 0.25 * draw * (win + loss)), information);
            if (fit->draws) {
                gradient[count - 1] += seen.draw - n * draw;
                add_outer(&log_nu, &log_nu, n * draw * (win + loss), information);
                add_outer(&slope, &log_nu, 0.5 * n * draw * (loss - win), information);
                add_outer(&log_nu, &slope, 0.5 * n * draw * (loss - win), information);
            }
        }
}

/* Covariance of the two scores with the hammer in a pair: `first` is the variance of i's score,
 * `second` that of j's, `common` their covariance. */
struct scatter {
    double first, second, common;
};

/* Returns the model's variances p (1 - p) of both scores, scaled by the observed variance of the
 * pairs of i and j relative to that of independent games with the same share of wins. The observed
 * variance alone would not do: it is zero where all games were won, although the ratings say
 * otherwise. */
static struct scatter scatter_of(const struct elo_games *games, int i, int j, double p_i,
                                 double p_j)
{
    double n = games->games[i][j];
    double mean_i = n > 0.0 ? games->score[i][j] / n : 0.0;
    double mean_j = n > 0.0 ? games->score[j][i] / n : 0.0;
    double prior = 0.25 * PRIOR_PAIRS; /* a variance of one quarter per pair */
    double seen_i = games->square[i][j] - n * mean_i * mean_i + prior;
    double seen_j = games->square[j][i] - n * mean_j * mean_j + prior;
    double binomial_i = n * mean_i * (1.0 - mean_i) + prior;
    double binomial_j = n * mean_j * (1.0 - mean_j) + prior;
    double common = games->product[i][j] - n * mean_i * mean_j;
    double variance_i = p_i * (1.0 - p_i), variance_j = p_j * (1.0 - p_j);

    return (struct scatter){variance_i * seen_i / binomial_i, variance_j * seen_j / binomial_j,
                            common * sqrt(variance_i / binomial_i * variance_j / binomial_j)};
}

/* Computes the scatter of the gradient at x, including the prior's games. */
static void spread(const struct fit *fit, const double *x,
                   double ret_spread[PARAMETERS_MAX][PARAMETERS_MAX])
{
    double hammer = x[fit->hammer];

    for (int a = 0; a < fit->parameters; a++)
        for (int b = 0; b < fit->parameters; b++)
            ret_spread[a][b] = 0.0;
    for (int i = 0; i < fit->games->players; i++)
        for (int j = i + 1; j < fit->games->players; j++) {
            const struct slope slope_i = slope_of(fit, i, j), slope_j = slope_of(fit, j, i);
            double lead = rating_of(fit, x, i) - rating_of(fit, x, j);
            double p_i = chance(lead + hammer), p_j = chance(hammer - lead);
            double pairs = fit->games->games[i][j];
            struct scatter scatter = scatter_of(fit->games, i, j, p_i, p_j);
            add_outer(&slope_i, &slope_i, pairs * scatter.first + fit->prior * p_i * (1.0 - p_i),
                      ret_spread);
            add_outer(&slope_j, &slope_j, pairs * scatter.second + fit->prior * p_j * (1.0 - p_j),
                      ret_spread);
            add_outer(&slope_i, &slope_j, pairs * scatter.common, ret_spread);
            add_outer(&slope_j, &slope_i, pairs * scatter.common, ret_spread);
        }
}

/* Lower Cholesky factor in place. False if the matrix is not positive definite. */
static bool factorise(int count, double matrix[PARAMETERS_MAX][PARAMETERS_MAX])
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            double sum = matrix[a][b];
            for (int k = 0; k < b; k++)
                sum -= matrix[a][k] * matrix[b][k];
            if (a != b)
                matrix[a][b] = sum / matrix[b][b];
            else if (sum > 0.0)
                matrix[a][a] = sqrt(sum);
            else
                return false;
        }
    return true;
}

/* Solves L L' x = y in place. */
static void solve(int count, double factor[PARAMETERS_MAX][PARAMETERS_MAX], double *y)
{
    for (int a = 0; a < count; a++) {
        for (int k = 0; k < a; k++)
            y[a] -= factor[a][k] * y[k];
        y[a] /= factor[a][a];
    }
    for (int a = count - 1; a >= 0; a--) {
        for (int k = a + 1; k < count; k++)
            y[a] -= factor[k][a] * y[k];
        y[a] /= factor[a][a];
    }
}

/* Moves x by `step`, or by half of it and so on until the posterior does not fall. */
static bool move(const struct fit *fit, double x[PARAMETERS_MAX], const double step[PARAMETERS_MAX])
{
    double now = log_posterior(fit, x), share = 1.0;

    for (int halving = 0; halving < HALVINGS_MAX; halving++, share *= 0.5) {
        double trial[PARAMETERS_MAX];
        for (int a = 0; a < fit->parameters; a++)
            trial[a] = x[a] + share * step[a];
        if (log_posterior(fit, trial) >= now) {
            for (int a = 0; a < fit->parameters; a++)
                x[a] = trial[a];
            return true;
        }
    }
    return false;
}

/* Finds the maximum, and writes the factor of the information at the maximum to ret_factor. */
static bool maximise(const struct fit *fit, double x[PARAMETERS_MAX],
                     double ret_factor[PARAMETERS_MAX][PARAMETERS_MAX])
{
    for (int round = 0; round < STEPS_MAX; round++) {
        double step[PARAMETERS_MAX], largest = 0.0;
        derive(fit, x, step, ret_factor);
        if (!factorise(fit->parameters, ret_factor))
            return false;
        solve(fit->parameters, ret_factor, step);
        for (int a = 0; a < fit->parameters; a++)
            largest = fmax(largest, fabs(step[a]));
        /* So close to the maximum the posterior is too flat for move() to compare. */
        if (largest < TOLERANCE) {
            for (int a = 0; a < fit->parameters; a++)
                x[a] += step[a];
            return true;
        }
        if (!move(fit, x, step))
            return false;
    }
    return false;
}

/* Replaces the symmetric matrix B by A^-1 B A^-1, given the factor of A. */
static void sandwich(int count, double factor[PARAMETERS_MAX][PARAMETERS_MAX],
                     double matrix[PARAMETERS_MAX][PARAMETERS_MAX])
{
    for (int side = 0; side < 2; side++) {
        for (int a = 0; a < count; a++)
            solve(count, factor, matrix[a]);
        for (int a = 0; a < count; a++)
            for (int b = 0; b < a; b++) {
                double swapped = matrix[a][b];
                matrix[a][b] = matrix[b][a];
                matrix[b][a] = swapped;
            }
    }
}

bool elo_fit(const struct elo_games *games, int anchor, struct elo_ratings *ret_ratings)
{
    if (!is_sound(games, anchor))
        return false;

    int players = games->players;
    const struct fit fit = fit_of(games, anchor, false);
    double x[PARAMETERS_MAX] = {0}, factor[PARAMETERS_MAX][PARAMETERS_MAX];
    double covariance[PARAMETERS_MAX][PARAMETERS_MAX];
    if (!maximise(&fit, x, factor))
        return false;
    spread(&fit, x, covariance);
    sandwich(fit.parameters, factor, covariance);

    struct elo_ratings ratings = {.players = players, .anchor = anchor};
    for (int i = 0; i < players; i++)
        ratings.rating[i] = ELO_PER_UNIT * rating_of(&fit, x, i);
    ratings.hammer = ELO_PER_UNIT * x[fit.hammer];
    for (int i = 0; i <= players; i++)
        for (int j = 0; j <= players; j++) {
            int a = i == players ? fit.hammer : parameter_of(&fit, i);
            int b = j == players ? fit.hammer : parameter_of(&fit, j);
            if (a >= 0 && b >= 0)
                ratings.covariance[i][j] = ELO_PER_UNIT * ELO_PER_UNIT * covariance[a][b];
        }
    *ret_ratings = ratings;
    return true;
}

/* True if any game was drawn. If none was, the best nu is 0, and its logarithm is not finite. */
static bool has_draws(const struct elo_games *games)
{
    for (int i = 0; i < games->players; i++)
        for (int j = 0; j < games->players; j++)
            if (i != j && games->square[i][j] < games->score[i][j])
                return true;
    return false;
}

bool elo_fit_davidson(const struct elo_games *games, int anchor, struct elo_davidson *ret_davidson)
{
    if (!is_sound(games, anchor))
        return false;

    const struct fit fit = fit_of(games, anchor, has_draws(games));
    double x[PARAMETERS_MAX] = {0}, factor[PARAMETERS_MAX][PARAMETERS_MAX];
    if (!maximise(&fit, x, factor))
        return false;

    struct elo_davidson davidson = {.nu = fit.draws ? exp(x[fit.hammer + 1]) : 0.0};
    double unit = ELO_PER_UNIT * 2.0 / (2.0 + davidson.nu);
    for (int i = 0; i < games->players; i++)
        davidson.rating[i] = unit * rating_of(&fit, x, i);
    davidson.hammer = unit * x[fit.hammer];
    *ret_davidson = davidson;
    return true;
}

double elo_error(const struct elo_ratings *ratings, int index)
{
    return sqrt(ratings->covariance[index][index]);
}

double elo_expected(const struct elo_ratings *ratings, int i, int j)
{
    return chance((ratings->rating[i] - ratings->rating[j] + ratings->hammer) / ELO_PER_UNIT);
}

bool elo_residual(const struct elo_games *games, const struct elo_ratings *ratings, int i, int j,
                  double *ret_residual, double *ret_deviations)
{
    double pairs = games->games[i][j];
    double p_i = elo_expected(ratings, i, j), p_j = elo_expected(ratings, j, i);

    if (!(pairs > 0.0))
        return false;
    struct scatter scatter = scatter_of(games, i, j, p_i, p_j);
    double surprise = (games->score[i][j] - pairs * p_i) - (games->score[j][i] - pairs * p_j);
    double variance = pairs * (scatter.first + scatter.second - 2.0 * scatter.common);
    *ret_residual = surprise / (2.0 * pairs);
    *ret_deviations = variance > 0.0 ? surprise / sqrt(variance) : 0.0;
    return true;
}
