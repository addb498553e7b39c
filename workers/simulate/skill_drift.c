/* A hand that changes from throw to throw: forward and backward sums over a grid of deviations. */
#include "workers/simulate/skill.h"

#include <math.h>
#include <stdlib.h>

enum { GRID = 81, STEPS = 4 };
#define GRID_STEP 0.05 /* of log s */
#define SUPPORT   1.0  /* decadic logarithm of the Bayes factor */

static const double steps[STEPS] = {0.03, 0.06, 0.12, 0.25};

struct walk {
    int count;
    const double *errors;
    double rms;
    double step[GRID][GRID]; /* probability of the step from one value to the other */
    double (*forward)[GRID], (*posterior)[GRID];
};

static double value_at(const struct walk *walk, double place)
{
    return walk->rms * exp(GRID_STEP * (place - (GRID - 1) / 2));
}

/* Logarithm of the likelihood of throw k at each value. */
static void likelihood(const struct walk *walk, int k, double ret_log[GRID])
{
    for (int g = 0; g < GRID; g++) {
        double s = value_at(walk, g), z = walk->errors[k] / s;
        ret_log[g] = -0.5 * z * z - log(s / walk->rms);
    }
}

/* exp(log) up to a factor whose logarithm is returned; the largest is 1. */
static double likelihood_scaled(const struct walk *walk, int k, double ret_likelihood[GRID])
{
    double most = -HUGE_VAL;

    likelihood(walk, k, ret_likelihood);
    for (int g = 0; g < GRID; g++)
        most = fmax(most, ret_likelihood[g]);
    for (int g = 0; g < GRID; g++)
        ret_likelihood[g] = exp(ret_likelihood[g] - most);
    return most;
}

static double normalize(double p[GRID])
{
    double sum = 0.0;

    for (int g = 0; g < GRID; g++)
        sum += p[g];
    for (int g = 0; g < GRID; g++)
        p[g] /= sum;
    return sum;
}

static void set_step(struct walk *walk, double step)
{
    for (int from = 0; from < GRID; from++) {
        for (int to = 0; to < GRID; to++) {
            double z = GRID_STEP * (to - from) / step;
            walk->step[from][to] = exp(-0.5 * z * z);
        }
        normalize(walk->step[from]);
    }
}

/* Fills `forward`; returns the logarithm of the evidence. */
static double go_forward(struct walk *walk)
{
    double evidence = 0.0, seen[GRID];

    for (int k = 0; k < walk->count; k++) {
        double *now = walk->forward[k];
        evidence += likelihood_scaled(walk, k, seen);
        for (int to = 0; to < GRID; to++) {
            double sum = k == 0 ? 1.0 / GRID : 0.0;
            for (int from = 0; k > 0 && from < GRID; from++)
                sum += walk->forward[k - 1][from] * walk->step[from][to];
            now[to] = sum * seen[to];
        }
        evidence += log(normalize(now));
    }
    return evidence;
}

/* Adds `weight` times the posterior of this step. */
static void go_backward(struct walk *walk, double weight)
{
    double after[GRID], seen[GRID], both[GRID];

    for (int g = 0; g < GRID; g++)
        after[g] = 1.0;
    for (int k = walk->count - 1; k >= 0; k--) {
        for (int g = 0; g < GRID; g++)
            both[g] = walk->forward[k][g] * after[g];
        normalize(both);
        for (int g = 0; g < GRID; g++)
            walk->posterior[k][g] += weight * both[g];
        likelihood_scaled(walk, k, seen);
        for (int g = 0; g < GRID; g++)
            seen[g] *= after[g];
        for (int from = 0; from < GRID; from++) {
            after[from] = 0.0;
            for (int to = 0; to < GRID; to++)
                after[from] += walk->step[from][to] * seen[to];
        }
        normalize(after);
    }
}

/* log of the mean of exp(x) */
static double log_mean_exp(const double *x, int count)
{
    double most = -HUGE_VAL, sum = 0.0;

    for (int k = 0; k < count; k++)
        most = fmax(most, x[k]);
    for (int k = 0; k < count; k++)
        sum += exp(x[k] - most);
    return most + log(sum / count);
}

/* Logarithm of the evidence of a hand that stays. */
static double evidence_of_rest(const struct walk *walk)
{
    double total[GRID] = {0.0}, seen[GRID];

    for (int k = 0; k < walk->count; k++) {
        likelihood(walk, k, seen);
        for (int g = 0; g < GRID; g++)
            total[g] += seen[g];
    }
    return log_mean_exp(total, GRID);
}

static double quantile(const struct walk *walk, const double p[GRID], double share)
{
    double sum = 0.0;
    int g = 0;

    while (g < GRID - 1 && sum + p[g] < share)
        sum += p[g++];
    return value_at(walk, g - 0.5 + (share - sum) / p[g]);
}

static void follow(struct walk *walk, struct skill_drift *ret_drift)
{
    double evidence[STEPS];

    for (int s = 0; s < STEPS; s++) {
        set_step(walk, steps[s]);
        evidence[s] = go_forward(walk);
    }
    double all = log_mean_exp(evidence, STEPS);
    for (int s = 0; s < STEPS; s++) {
        set_step(walk, steps[s]);
        go_forward(walk);
        go_backward(walk, exp(evidence[s] - all) / STEPS);
    }
    for (int k = 0; k < walk->count; k++)
        ret_drift->path[k] =
            (struct skill_interval){.low = quantile(walk, walk->posterior[k], 0.025),
                                    .value = quantile(walk, walk->posterior[k], 0.5),
                                    .high = quantile(walk, walk->posterior[k], 0.975)};
    ret_drift->log10_evidence = (all - evidence_of_rest(walk)) / log(10.0);
    ret_drift->is_supported = ret_drift->log10_evidence >= SUPPORT;
}

bool skill_drift(int count, const double *errors, struct skill_drift *ret_drift)
{
    struct walk *walk = malloc(sizeof *walk);
    double(*forward)[GRID] = calloc((size_t)count, sizeof *forward);
    double(*posterior)[GRID] = calloc((size_t)count, sizeof *posterior);
    struct skill_interval *path = calloc((size_t)count, sizeof *path);
    bool good = walk && forward && posterior && path;
    double squares = 0.0;

    if (good) {
        for (int k = 0; k < count; k++)
            squares += errors[k] * errors[k];
        *walk = (struct walk){.count = count,
                              .errors = errors,
                              .rms = sqrt(squares / count),
                              .forward = forward,
                              .posterior = posterior};
        *ret_drift = (struct skill_drift){.path = path};
        follow(walk, ret_drift);
    } else {
        free(path);
    }
    free(posterior);
    free(forward);
    free(walk);
    return good;
}
