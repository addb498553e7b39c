/* Counting and comparing styles. */
#include "workers/holdem/style.h"

#include "models/ice/portable_math.h"

#include <math.h>
#include <string.h>

/* Decisions at which confidence is a half; the distance of the nearest style from which it falls
 * (about the mean and three deviations of that of the true one); spread of a shown strength. */
#define HALF_SURE 6.0
#define FAR       30.0
#define SPREAD    0.25
#define LEAST     0.004 /* share of what never happened */

static int stage_of(const struct holdem *before)
{
    return 2 * before->round + (before->raises > 0);
}

void style_count_begin(struct style_count *count)
{
    memset(count, 0, sizeof *count);
}

void style_count_see(struct style_count *count, const struct holdem *before,
                     struct holdem_action action)
{
    int stage = stage_of(before);

    count->decisions[stage][poker_branch(before, action)] += 1.0;
    count->stages |= 1u << stage;
}

void style_count_end(struct style_count *count, const struct poker_end *end, double keep)
{
    for (int stage = 0; stage < STYLE_STAGES; stage++) {
        if (count->stages >> stage & 1) {
            count->hands[stage] += 1.0;
            count->shows[stage] += end->shown;
            count->strength[stage] += end->shown ? end->strength : 0.0;
        }
        for (int branch = 0; branch < POKER_BRANCHES; branch++)
            count->decisions[stage][branch] *= keep;
        count->hands[stage] *= keep;
        count->shows[stage] *= keep;
        count->strength[stage] *= keep;
    }
    count->stages = 0;
}

static double sum_of(const double shares[POKER_BRANCHES])
{
    double sum = 0.0;

    for (int branch = 0; branch < POKER_BRANCHES; branch++)
        sum += shares[branch];
    return sum;
}

struct style_vector style_vector_of(const struct style_count *count)
{
    struct style_vector style;

    for (int stage = 0; stage < STYLE_STAGES; stage++) {
        double sum = sum_of(count->decisions[stage]), hands = count->hands[stage],
               shows = count->shows[stage];
        for (int branch = 0; branch < POKER_BRANCHES; branch++) {
            double share = sum > 0.0 ? count->decisions[stage][branch] / sum : 0.0;
            style.number[stage][branch] =
                (float)(LEAST + (1.0 - POKER_BRANCHES * LEAST) *
                                    (sum > 0.0 ? share : 1.0 / POKER_BRANCHES));
        }
        style.number[stage][STYLE_SHOWN] = hands > 0.0 ? (float)(shows / hands) : 0.0f;
        style.number[stage][STYLE_SHOWN + 1] =
            shows > 0.0 ? (float)(count->strength[stage] / shows) : .5f;
    }
    return style;
}

double style_decisions(const struct style_count *count)
{
    double sum = 0.0;

    for (int stage = 0; stage < STYLE_STAGES; stage++)
        sum += sum_of(count->decisions[stage]);
    return sum;
}

double style_distance(const struct style_count *count, const struct style_vector *style)
{
    double distance = 0.0;

    for (int stage = 0; stage < STYLE_STAGES; stage++) {
        const float *number = style->number[stage];
        double sum = sum_of(count->decisions[stage]), shows = count->shows[stage];
        for (int branch = 0; branch < POKER_BRANCHES; branch++) {
            double seen = count->decisions[stage][branch];
            if (seen > 1e-3)
                distance += seen * (double)portable_log((long double)(seen / sum) /
                                                        (long double)number[branch]);
        }
        if (shows > 1e-3) {
            double misfit = count->strength[stage] / shows - (double)number[STYLE_SHOWN + 1];
            distance += shows * misfit * misfit / (2.0 * SPREAD * SPREAD);
        }
    }
    return distance;
}

void style_weights(const struct style_count *count, const struct style_vector *library, int styles,
                   double *ret_weights, double *ret_confidence)
{
    double seen = style_decisions(count), nearest = HUGE_VAL, sum = 0.0;

    for (int k = 0; k < styles; k++) {
        ret_weights[k] = style_distance(count, &library[k]);
        nearest = fmin(nearest, ret_weights[k]);
    }
    double fit = nearest > FAR ? FAR / nearest : 1.0;
    *ret_confidence = seen / (seen + HALF_SURE) * fit * fit;
    for (int k = 0; k < styles; k++) {
        double above = ret_weights[k] - nearest;
        ret_weights[k] = above > 50.0 ? 0.0 : (double)portable_exp((long double)-above);
        sum += ret_weights[k];
    }
    for (int k = 0; k < styles; k++)
        ret_weights[k] *= *ret_confidence / sum;
}
