/* Pentanomial intervals, bootstrap and GSPRT. */
#include "workers/evaluate/statistics/statistics.h"

#include "models/ice/normal.h"
#include "models/ice/random.h"

#include <math.h>
#include <stdlib.h>

/* The stream of the resampling: no pairing of a tournament has this number. */
#define BOOTSTRAP_STREAM UINT64_MAX

/* Weight of an empty bin, so that it stays possible. */
#define UNSEEN_PAIRS 1e-3
/* The part of a pair that each end of an interval adds to the observed pairs, as gone the other
 * way. It is the smallest part, in twentieths, with which the interval of 95 % holds the mean of
 * every pentanomial of two bins at least 90 % of the time with 5, 10, 20, 50 and 100 pairs; without
 * it, it does so 85 % of the time. */
#define ADVERSE_PAIRS 0.15

static double worth(int half_points)
{
    return half_points / (double)(PENTANOMIAL - 1);
}

int64_t pentanomial_pairs(const int64_t count[PENTANOMIAL])
{
    int64_t pairs = 0;
    for (int h = 0; h < PENTANOMIAL; h++)
        pairs += count[h];
    return pairs;
}

double pentanomial_mean(const int64_t count[PENTANOMIAL])
{
    double sum = 0.0;
    for (int h = 0; h < PENTANOMIAL; h++)
        sum += worth(h) * (double)count[h];
    return sum / (double)pentanomial_pairs(count);
}

/* ---- likelihoods ---- */

/* Computes the shares of the bins, which may contain parts of a pair; an empty bin stays possible.
 * Returns the number of pairs that results. */
static double shares_of(const double pairs[PENTANOMIAL], double ret_share[PENTANOMIAL])
{
    double total = 0.0;

    for (int h = 0; h < PENTANOMIAL; h++)
        total += ret_share[h] = pairs[h] > 0.0 ? pairs[h] : UNSEEN_PAIRS;
    for (int h = 0; h < PENTANOMIAL; h++)
        ret_share[h] /= total;
    return total;
}

/* The pentanomial with mean `score` that makes the observed shares most likely is share[h] / (1 + t
 * (worth(h) - score)). Returns the t at which its mean is right. The sum falls with t, between two
 * poles. */
static double multiplier(const double share[PENTANOMIAL], double score)
{
    double low = -1.0 / (1.0 - score), high = 1.0 / score;

    for (int round = 0; round < 100; round++) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int h = 0; h < PENTANOMIAL; h++) {
            double distance = worth(h) - score;
            sum += share[h] * distance / (1.0 + t * distance);
        }
        if (t == low || t == high)
            break;
        if (sum > 0.0)
            low = t;
        else
            high = t;
    }
    return 0.5 * (low + high);
}

/* Returns how much less likely one observed pair is under the best pentanomial with this mean than
 * under the best of all: the log of the ratio, 0 at the observed mean. */
static double likelihood_loss(const double share[PENTANOMIAL], double score)
{
    double t = multiplier(share, score), loss = 0.0;

    for (int h = 0; h < PENTANOMIAL; h++)
        loss += share[h] * log(1.0 + t * (worth(h) - score));
    return loss;
}

/* ---- interval ---- */

/* Returns the smallest mean that loses no more than `limit` against the best one, when
 * ADVERSE_PAIRS lost pairs are added to the observed ones. */
static double lower_limit(const int64_t count[PENTANOMIAL], double limit)
{
    double pairs[PENTANOMIAL], share[PENTANOMIAL], mean = 0.0;

    for (int h = 0; h < PENTANOMIAL; h++)
        pairs[h] = (double)count[h] + (h == 0 ? ADVERSE_PAIRS : 0.0);
    double total = shares_of(pairs, share);
    for (int h = 0; h < PENTANOMIAL; h++)
        mean += share[h] * worth(h);

    double low = 0.0, high = fmin(mean, pentanomial_mean(count));
    for (int round = 0; round < 50; round++) {
        double score = 0.5 * (low + high);
        if (!(low < score && score < high))
            break;
        if (total * likelihood_loss(share, score) > limit)
            low = score;
        else
            high = score;
    }
    return 0.5 * (low + high);
}

struct interval pentanomial_interval(const int64_t count[PENTANOMIAL], double confidence)
{
    int64_t pairs = pentanomial_pairs(count), mirrored[PENTANOMIAL];
    double z = normal_quantile(0.5 * (1.0 - confidence));

    if (pairs == 0)
        return (struct interval){0.0, 1.0};
    /* Twice the loss is distributed like the square of a normal deviate. Estimating the variance
     * from few pairs stretches it by 1 + 3 / (2 n), Bartlett's correction for normal samples. */
    double limit = 0.5 * z * z * (1.0 + 1.5 / (double)pairs);
    for (int h = 0; h < PENTANOMIAL; h++)
        mirrored[h] = count[PENTANOMIAL - 1 - h];
    return (struct interval){lower_limit(count, limit), 1.0 - lower_limit(mirrored, limit)};
}

/* ---- bootstrap ---- */

static int compare_sums(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Returns the half points of `pairs` pairs drawn with replacement. `upto[h]`: pairs with at most
 * h. */
static int64_t resample(const struct random_key *key, const int64_t upto[PENTANOMIAL],
                        int64_t pairs)
{
    enum { DRAWS = 8 }; /* 32 bits each, of the 256 of a block */
    int64_t sum = 0;

    for (int64_t first = 0; first < pairs; first += DRAWS) {
        uint64_t bits[4];
        random_bits(key, (uint64_t)(first / DRAWS), 0, bits);
        for (int k = 0; k < DRAWS && first + k < pairs; k++) {
            uint64_t draw = k % 2 ? bits[k / 2] >> 32 : bits[k / 2] & UINT32_MAX;
            int64_t pair = (int64_t)(draw * (uint64_t)pairs >> 32);
            int half_points = 0;
            while (pair >= upto[half_points])
                half_points++;
            sum += half_points;
        }
    }
    return sum;
}

struct interval bootstrap_interval(const int64_t count[PENTANOMIAL], double confidence,
                                   uint64_t seed)
{
    int64_t pairs = pentanomial_pairs(count), upto[PENTANOMIAL], sums[BOOTSTRAP_SAMPLES];
    struct random_key key = {.seed = seed, .stream = BOOTSTRAP_STREAM, .purpose = RANDOM_CHOICE};

    if (pairs == 0)
        return (struct interval){0.0, 1.0};
    for (int h = 0; h < PENTANOMIAL; h++)
        upto[h] = count[h] + (h ? upto[h - 1] : 0);
    for (int k = 0; k < BOOTSTRAP_SAMPLES; k++) {
        key.game = (uint64_t)k;
        sums[k] = resample(&key, upto, pairs);
    }
    qsort(sums, BOOTSTRAP_SAMPLES, sizeof sums[0], compare_sums);

    int cut = (int)(0.5 * (1.0 - confidence) * BOOTSTRAP_SAMPLES);
    double most = (double)(PENTANOMIAL - 1) * (double)pairs;
    return (struct interval){(double)sums[cut] / most,
                             (double)sums[BOOTSTRAP_SAMPLES - 1 - cut] / most};
}

/* ---- Elo and GSPRT ---- */

double elo_of_score(double score)
{
    return 400.0 * log10(score / (1.0 - score));
}

double score_of_elo(double elo)
{
    return 1.0 / (1.0 + pow(10.0, -elo / 400.0));
}

struct sprt sprt_between(double elo0, double elo1)
{
    return (struct sprt){.elo0 = elo0, .elo1 = elo1, .alpha = 0.05, .beta = 0.05};
}

double sprt_ratio(const struct sprt *sprt, const int64_t count[PENTANOMIAL])
{
    double pairs[PENTANOMIAL], share[PENTANOMIAL];

    for (int h = 0; h < PENTANOMIAL; h++)
        pairs[h] = (double)count[h];
    double total = shares_of(pairs, share);
    return total * (likelihood_loss(share, score_of_elo(sprt->elo0)) -
                    likelihood_loss(share, score_of_elo(sprt->elo1)));
}

struct interval sprt_bounds(const struct sprt *sprt)
{
    return (struct interval){log(sprt->beta / (1.0 - sprt->alpha)),
                             log((1.0 - sprt->beta) / sprt->alpha)};
}

enum sprt_decision sprt_decision_at(const struct sprt *sprt, double ratio)
{
    struct interval bounds = sprt_bounds(sprt);

    return ratio <= bounds.low ? SPRT_H0 : ratio >= bounds.high ? SPRT_H1 : SPRT_OPEN;
}

enum sprt_decision sprt_decide(const struct sprt *sprt, const int64_t count[PENTANOMIAL])
{
    return sprt_decision_at(sprt, sprt_ratio(sprt, count));
}

double sprt_sample_ratio(const struct sprt *sprt, const struct sample *scores)
{
    double count = (double)scores->count + 2.0 * UNSEEN_PAIRS;
    double mean = (scores->sum + UNSEEN_PAIRS) / count;
    double variance = fmax((scores->squares + UNSEEN_PAIRS) / count - mean * mean, 0.0);
    double off0 = mean - score_of_elo(sprt->elo0), off1 = mean - score_of_elo(sprt->elo1);

    if (scores->count < SPRT_SAMPLES_LEAST)
        return 0.0;
    /* The best normal distribution with mean m has the mean square distance from m as variance. */
    return 0.5 * count * log((variance + off0 * off0) / (variance + off1 * off1));
}
