/* Statistics of pairs: intervals for a winning percentage, and a sequential test.
 *
 * The sample is the pair, never the game: the two games of a pair share their luck. A pair is worth
 * 0, 1/4, 1/2, 3/4 or 1 of its games to the first player (draws count one half), so a match is five
 * counts, a pentanomial: count[h] pairs with h half points, h = 0 … 4. */
#ifndef RINKD_WORKERS_EVALUATE_STATISTICS_STATISTICS_H
#define RINKD_WORKERS_EVALUATE_STATISTICS_STATISTICS_H

#include "workers/evaluate/statistics/sample.h"

#include <stdint.h>

enum { PENTANOMIAL = 5, BOOTSTRAP_SAMPLES = 2000 };

/* Return the number of pairs, and the mean score of a game, 0 … 1 (NAN without pairs). */
int64_t pentanomial_pairs(const int64_t count[PENTANOMIAL]);
double pentanomial_mean(const int64_t count[PENTANOMIAL]);

/* Returns an interval for the mean: all means that the likelihood ratio of sprt_ratio() does not
 * reject against the best one. The limit is that of large samples, stretched by 1 + 3 / (2 pairs).
 * At each end 0.15 of an additional pair counts as having gone the other way, so that equal pairs
 * do not look certain: 20 wins give 87.6 to 100 %, 20 shared pairs 43.8 to 56.2 %, and a single
 * pair next to nothing. With 500 varying pairs it is 1 % wider than mean +- z sqrt(variance /
 * pairs). It always contains the mean. 0 … 1 without pairs.
 *
 * The number of pairs must not depend on their results. After a sequential test it does, and then
 * the mean and its interval tend to lie too far from the middle of the two hypotheses. */
struct interval pentanomial_interval(const int64_t count[PENTANOMIAL], double confidence);

/* Returns another interval for the mean: percentiles of BOOTSTRAP_SAMPLES resamplings of whole
 * pairs, drawn with the seed. It uses the observed pairs only, so it is too narrow for few or
 * hardly varying pairs, and has no width if all are equal. At most 2^32 - 1 pairs. 0 … 1 without
 * pairs. */
struct interval bootstrap_interval(const int64_t count[PENTANOMIAL], double confidence,
                                   uint64_t seed);

/* Converts between score 0 … 1 and difference in Elo; +-infinity at 1 and 0. */
double elo_of_score(double score);
double score_of_elo(double elo);

/* Generalized sequential probability ratio test: is the difference elo0 (H0) or elo1 (H1)? After M.
 * Van den Bergh, "The generalized sequential probability ratio test for Fishtest": the likelihood
 * of each hypothesis is the largest that any pentanomial with its mean score gives. */
struct sprt {
    double elo0, elo1;
    double alpha, beta; /* probability of accepting H1 when H0 is true, and the reverse */
};

enum sprt_decision { SPRT_OPEN, SPRT_H0, SPRT_H1 };

/* Returns a test between these differences, alpha = beta = 0.05. */
struct sprt sprt_between(double elo0, double elo1);

/* Returns log(L1 / L0). An empty bin counts as 1/1000 of a pair, so that it stays possible. */
double sprt_ratio(const struct sprt *sprt, const int64_t count[PENTANOMIAL]);

/* Returns the ratios at which H0 (low) and H1 (high) are accepted: log(beta / (1 - alpha)) and
 * log((1 - beta) / alpha), for the default -2.94 and 2.94. */
struct interval sprt_bounds(const struct sprt *sprt);

/* Returns the decision at a ratio, and at that of these pairs. */
enum sprt_decision sprt_decision_at(const struct sprt *sprt, double ratio);
enum sprt_decision sprt_decide(const struct sprt *sprt, const int64_t count[PENTANOMIAL]);

/* The same test for pairs whose scores are any numbers, as results adjusted for luck are: the
 * likelihood of each hypothesis is the largest that any normal distribution with its mean gives. A
 * 1/1000 of a pair at 0 and at 1 keeps the variance of equal pairs above 0. The ratio of fewer than
 * SPRT_SAMPLES_LEAST pairs is 0: their variance is hardly known. */
enum { SPRT_SAMPLES_LEAST = 10 };
double sprt_sample_ratio(const struct sprt *sprt, const struct sample *scores);

#endif
