/* Kernel regression over discretised actions: what came of one tells about its neighbours.
 *
 *     E[v|a] = sum over b of K(a,b) n_b v_b / W(a),    W(a) = sum over b of K(a,b) n_b
 *
 * as in workers/search/kernel.h, with learner_game.similarity() for K. */
#ifndef RINKD_WORKERS_LEARN_REGRESSION_H
#define RINKD_WORKERS_LEARN_REGRESSION_H

#include "workers/learn/learner_game.h"

/* An action that was tried, and what is estimated of it. */
struct tried {
    int action;
    double visits, value_sum; /* of its own */
    double weight, mean;      /* W and E[v|a] */
};

/* Sets `weight` and `mean` of each; no action twice, all visited, and similarity() of a game that
 * has it. */
void regress(const struct learner_game *game, int count, struct tried *tried);

/* The index with the largest E[v|a] - c sqrt(log sum_b W(b) / W(a)), the first of equals: what is
 * best and known to be good. count > 0. */
int regression_choice(int count, const struct tried *tried, double c);

#endif
