/* Newton's method for the Bradley-Terry model: the log-likelihood is concave, so full steps that
 * are halved where they overshoot always arrive. Inside, ratings are natural logarithms of odds. */
#include "workers/evaluate/elo.h"

#include <math.h>

#define ELO_PER_UNIT (400.0 / 2.302585092994045684) /* 400 / ln 10 */
#define PRIOR_GAMES  2.0
#define TOLERANCE    1e-6 /* of a step; the next one would be about its square */

enum { PARAMETERS_MAX = ELO_PLAYERS_MAX + 1, STEPS_MAX = 200, HALVINGS_MAX = 60 };

/* The free parameters: all players but the anchor, in order, then the hammer. */
struct fit {
    const struct elo_games *games;
    int anchor, parameters;
    double prior; /* games of each ordered pair of players, half of them won */
};

static bool is_sound(const struct elo_games *games, int anchor)
{
    int players = games->players;

    if (players < 2 || players > ELO_PLAYERS_MAX || anchor < 0 || anchor >= players)
        return false;
    for (int i = 0; i < players; i++)
        for (int j = 0; j < players; j++) {
            double n = games->games[i][j], score = games->score[i][j];
            if (i != j && !(isfinite(n) && score >= 0.0 && score <= n))
                return false;
        }
    return true;
}

/* The parameter of a player, -1 for the anchor, whose rating is 0. */
static int parameter_of(const struct fit *fit, int player)
{
    return player == fit->anchor ? -1 : player < fit->anchor ? player : player - 1;
}

static double rating_of(const struct fit *fit, const double *x, int player)
{
    int parameter = parameter_of(fit, player);
    return parameter < 0 ? 0.0 : x[parameter];
}

/* log(1 / (1 + exp(-d))) without overflow. */
static double log_chance(double d)
{
    return d > 0.0 ? -log1p(exp(-d)) : d - log1p(exp(d));
}

static double chance(double d)
{
    return 1.0 / (1.0 + exp(-d));
}

static double log_posterior(const struct fit *fit, const double *x)
{
    const struct elo_games *games = fit->games;
    double hammer = x[fit->parameters - 1], sum = 0.0;

    for (int i = 0; i < games->players; i++)
        for (int j = 0; j < games->players; j++) {
            if (i == j)
                continue;
            double d = rating_of(fit, x, i) - rating_of(fit, x, j) + hammer;
            double won = games->score[i][j] + 0.5 * fit->prior;
            double lost = games->games[i][j] - games->score[i][j] + 0.5 * fit->prior;
            sum += won * log_chance(d) + lost * log_chance(-d);
        }
    return sum;
}

/* Gradient of the log posterior, and its information: minus the second derivatives. */
static void derive(const struct fit *fit, const double *x, double gradient[PARAMETERS_MAX],
                   double information[PARAMETERS_MAX][PARAMETERS_MAX])
{
    const struct elo_games *games = fit->games;
    int count = fit->parameters;

    for (int a = 0; a < count; a++) {
        gradient[a] = 0.0;
        for (int b = 0; b < count; b++)
            information[a][b] = 0.0;
    }
    for (int i = 0; i < games->players; i++)
        for (int j = 0; j < games->players; j++) {
            if (i == j)
                continue;
            const int parameter[3] = {parameter_of(fit, i), parameter_of(fit, j), count - 1};
            const double slope[3] = {1.0, -1.0, 1.0};
            double n = games->games[i][j] + fit->prior;
            double p = chance(rating_of(fit, x, i) - rating_of(fit, x, j) + x[fit->parameters - 1]);
            double surprise = games->score[i][j] + 0.5 * fit->prior - n * p;
            for (int a = 0; a < 3; a++) {
                if (parameter[a] < 0)
                    continue;
                gradient[parameter[a]] += slope[a] * surprise;
                for (int b = 0; b < 3; b++)
                    if (parameter[b] >= 0)
                        information[parameter[a]][parameter[b]] +=
                            slope[a] * slope[b] * n * p * (1.0 - p);
            }
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

/* Finds the maximum; leaves the factor of the information there in ret_factor. */
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
        /* There the posterior is too flat for move() to compare. */
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

bool elo_fit(const struct elo_games *games, int anchor, struct elo_ratings *ret_ratings)
{
    if (!is_sound(games, anchor))
        return false;

    int players = games->players, count = players; /* players - 1 ratings and the hammer */
    struct fit fit = {games, anchor, count, PRIOR_GAMES / (2.0 * (players - 1))};
    double x[PARAMETERS_MAX] = {0}, factor[PARAMETERS_MAX][PARAMETERS_MAX];
    if (!maximise(&fit, x, factor))
        return false;

    struct elo_ratings ratings = {.players = players, .anchor = anchor};
    for (int i = 0; i < players; i++)
        ratings.rating[i] = ELO_PER_UNIT * rating_of(&fit, x, i);
    ratings.hammer = ELO_PER_UNIT * x[count - 1];
    for (int i = 0; i <= players; i++) {
        int a = i == players ? count - 1 : parameter_of(&fit, i);
        double column[PARAMETERS_MAX] = {0};
        if (a < 0)
            continue;
        column[a] = ELO_PER_UNIT * ELO_PER_UNIT;
        solve(count, factor, column);
        for (int j = 0; j <= players; j++) {
            int b = j == players ? count - 1 : parameter_of(&fit, j);
            ratings.covariance[i][j] = b < 0 ? 0.0 : column[b];
        }
    }
    *ret_ratings = ratings;
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
    double first = games->games[i][j], second = games->games[j][i];
    double p_first = elo_expected(ratings, i, j), p_second = 1.0 - elo_expected(ratings, j, i);
    double surprise =
        games->score[i][j] - first * p_first + second - games->score[j][i] - second * p_second;
    double variance = first * p_first * (1.0 - p_first) + second * p_second * (1.0 - p_second);

    if (!(first + second > 0.0))
        return false;
    *ret_residual = surprise / (first + second);
    *ret_deviations = variance > 0.0 ? surprise / sqrt(variance) : 0.0;
    return true;
}
