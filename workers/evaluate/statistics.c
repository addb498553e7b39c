/* Pentanomial intervals, bootstrap and GSPRT. */
#include "workers/evaluate/statistics.h"

#include "models/ice/normal.h"
#include "models/ice/random.h"

#include <math.h>
#include <stdlib.h>

/* The stream of the resampling: no pairing of a tournament has this number. */
#define BOOTSTRAP_STREAM UINT64_MAX

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

double pentanomial_variance(const int64_t count[PENTANOMIAL])
{
    int64_t pairs = pentanomial_pairs(count);
    double mean = pentanomial_mean(count), sum = 0.0;

    if (pairs < 2)
        return 0.0;
    for (int h = 0; h < PENTANOMIAL; h++)
        sum += (worth(h) - mean) * (worth(h) - mean) * (double)count[h];
    return sum / (double)(pairs - 1);
}

struct interval pentanomial_interval(const int64_t count[PENTANOMIAL], double confidence)
{
    int64_t pairs = pentanomial_pairs(count);
    double tail = 0.5 * (1.0 - confidence);

    if (pairs == 0)
        return (struct interval){0.0, 1.0};
    double limit = pow(tail, 1.0 / (double)pairs);
    if (count[PENTANOMIAL - 1] == pairs)
        return (struct interval){limit, 1.0};
    if (count[0] == pairs)
        return (struct interval){0.0, 1.0 - limit};
    double mean = pentanomial_mean(count);
    double half = -normal_quantile(tail) * sqrt(pentanomial_variance(count) / (double)pairs);
    return (struct interval){fmax(mean - half, 0.0), fmin(mean + half, 1.0)};
}

/* ---- bootstrap ---- */

static int compare_sums(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Half points of `pairs` pairs drawn with replacement. `upto[h]`: pairs with at most h. */
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

struct sprt sprt_default(void)
{
    return (struct sprt){.elo0 = 0.0, .elo1 = 15.0, .alpha = 0.05, .beta = 0.05};
}

/* The pentanomial with mean `score` that makes the observed shares most likely is
 * share[h] / (1 + t (worth(h) - score)); this finds t, at which its mean is right. The sum falls
 * with t, between two poles. */
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

double sprt_ratio(const struct sprt *sprt, const int64_t count[PENTANOMIAL])
{
    double share[PENTANOMIAL], total = 0.0, ratio = 0.0;
    double score0 = score_of_elo(sprt->elo0), score1 = score_of_elo(sprt->elo1);

    for (int h = 0; h < PENTANOMIAL; h++)
        total += share[h] = count[h] > 0 ? (double)count[h] : 1e-3;
    for (int h = 0; h < PENTANOMIAL; h++)
        share[h] /= total;
    double t0 = multiplier(share, score0), t1 = multiplier(share, score1);
    for (int h = 0; h < PENTANOMIAL; h++)
        ratio +=
            share[h] * log((1.0 + t0 * (worth(h) - score0)) / (1.0 + t1 * (worth(h) - score1)));
    return total * ratio;
}

struct interval sprt_bounds(const struct sprt *sprt)
{
    return (struct interval){log(sprt->beta / (1.0 - sprt->alpha)),
                             log((1.0 - sprt->beta) / sprt->alpha)};
}

enum sprt_decision sprt_decide(const struct sprt *sprt, const int64_t count[PENTANOMIAL])
{
    struct interval bounds = sprt_bounds(sprt);
    double ratio = sprt_ratio(sprt, count);

    return ratio <= bounds.low ? SPRT_H0 : ratio >= bounds.high ? SPRT_H1 : SPRT_OPEN;
}
