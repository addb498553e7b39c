/* Counting styles, comparing them, and believing in one. */
#include "workers/holdem/style.h"

#include "models/ice/portable_math.h"

#include <math.h>
#include <string.h>

/* Spread of a shown strength; share of what never happened. */
#define SPREAD 0.25
#define LEAST  0.004

/* Chance that the opponent is another one in the next hand, that it then is a stranger, and the
 * share of a stranger's decisions that may be any. Chosen on sessions of other seeds. */
#define SWITCH   0.003
#define STRANGE  0.01
#define ANYTHING 0.3

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

void style_count_end(struct style_count *count, const struct poker_end *end)
{
    for (int stage = 0; stage < STYLE_STAGES; stage++) {
        if (!(count->stages >> stage & 1))
            continue;
        count->hands[stage] += 1.0;
        count->shows[stage] += end->shown;
        count->strength[stage] += end->shown ? end->strength : 0.0;
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

/* The mean of all styles, mixed with anything. */
static struct style_vector stranger_of(const struct style_vector library[POKER_STYLES])
{
    struct style_vector stranger;

    for (int stage = 0; stage < STYLE_STAGES; stage++)
        for (int n = 0; n < STYLE_NUMBERS; n++) {
            double sum = 0.0;
            for (int k = 0; k < POKER_STYLES; k++)
                sum += (double)library[k].number[stage][n];
            double mean = sum / POKER_STYLES;
            if (n < POKER_BRANCHES)
                mean += ANYTHING * (1.0 / POKER_BRANCHES - mean);
            stranger.number[stage][n] = (float)mean;
        }
    return stranger;
}

void style_belief_begin(struct style_belief *belief,
                        const struct style_vector library[POKER_STYLES])
{
    for (int k = 0; k < POKER_STYLES; k++)
        belief->chance[k] = (1.0 - STRANGE) / POKER_STYLES;
    belief->stranger = STRANGE;
    belief->of_stranger = stranger_of(library);
}

/* Chances after a hand, by the distances to all styles and, the last one, to a stranger. */
void style_belief_see(struct style_belief *belief, const struct style_vector library[POKER_STYLES],
                      const struct style_count *hand)
{
    double chance[POKER_STYLES + 1], distance[POKER_STYLES + 1], nearest = HUGE_VAL, sum = 0.0;

    for (int k = 0; k <= POKER_STYLES; k++) {
        bool is_known = k < POKER_STYLES;
        distance[k] = style_distance(hand, is_known ? &library[k] : &belief->of_stranger);
        chance[k] = is_known ? belief->chance[k] : belief->stranger;
        nearest = fmin(nearest, distance[k]);
    }
    for (int k = 0; k <= POKER_STYLES; k++) {
        chance[k] *= (double)portable_exp((long double)(nearest - distance[k]));
        sum += chance[k];
    }
    for (int k = 0; k < POKER_STYLES; k++)
        belief->chance[k] =
            (1.0 - SWITCH) * chance[k] / sum + SWITCH * (1.0 - STRANGE) / POKER_STYLES;
    belief->stranger = (1.0 - SWITCH) * chance[POKER_STYLES] / sum + SWITCH * STRANGE;
}
