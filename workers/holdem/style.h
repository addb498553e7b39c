/* Styles of opponents: for each stage of a hand (round, facing a raise or not) eleven numbers: the
 * shares of fold, call and seven sizes of raises among its decisions, how often such a hand is
 * shown, and the mean strength shown. A model of the opponent of a session compares each hand with
 * a library of known styles. */
#ifndef RINKD_WORKERS_HOLDEM_STYLE_H
#define RINKD_WORKERS_HOLDEM_STYLE_H

#include "workers/holdem/rule_player.h"

enum { STYLE_STAGES = 8, STYLE_NUMBERS = POKER_BRANCHES + 2, STYLE_SHOWN = POKER_BRANCHES };

struct style_vector {
    float number[STYLE_STAGES][STYLE_NUMBERS];
};

/* Counts of decisions, shows and shown strength. */
struct style_count {
    double decisions[STYLE_STAGES][POKER_BRANCHES];
    double hands[STYLE_STAGES], shows[STYLE_STAGES], strength[STYLE_STAGES];
    unsigned stages; /* of the present hand in which the opponent has decided */
};

void style_count_begin(struct style_count *count);
void style_count_see(struct style_count *count, const struct holdem *before,
                     struct holdem_action action);
void style_count_end(struct style_count *count, const struct poker_end *end);
/* The vector of the counts, with a small share for what never happened. */
struct style_vector style_vector_of(const struct style_count *count);

/* How far the counts are from a style: decisions times the Kullback-Leibler divergence of their
 * shares, summed over the stages, plus the misfit of the shown strength. 0: the same. */
double style_distance(const struct style_count *count, const struct style_vector *style);

/* What is believed of an opponent: the chance that it has each style of a library. A stranger has
 * none of them: it plays as the mean of all, or anyhow. */
struct style_belief {
    double chance[POKER_STYLES], stranger; /* their sum is 1 */
    struct style_vector of_stranger;
};

void style_belief_begin(struct style_belief *belief,
                        const struct style_vector library[POKER_STYLES]);
/* Weighs the counts of one hand by Bayes' rule: chances change in proportion to exp(-distance).
 * Before the next hand the opponent may be another one, with a small chance. */
void style_belief_see(struct style_belief *belief, const struct style_vector library[POKER_STYLES],
                      const struct style_count *hand);

#endif
