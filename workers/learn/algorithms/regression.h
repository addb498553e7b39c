/* Estimates the value of actions from tries under execution noise.
 *
 * A try aims at one action, but its outcome follows from its deed (learner_game.h), which another
 * action could have caused too. With p(a, d) the likelihood of deed d when aiming at a and n(b) the
 * number of tries of action b,
 *
 *     w(a, j) = p(a, d_j) / sum over b of n(b) p(b, d_j)
 *     E[v|a] = sum over tries j of w(a, j) v_j / sum over j of w(a, j)
 *     W(a) = (sum w)^2 / sum w^2, the effective number of tries
 *
 * This is the kernel regression of KR-UCT (T. Yee, V. Lisy, M. Bowling, "Monte Carlo tree search in
 * continuous action spaces with execution uncertainty", IJCAI 2016: the kernel is the noise of a at
 * what was executed), with the weights of multiple importance sampling (Veach and Guibas, 1995),
 * which correct for the uneven density of tries: with more tries E[v|a] tends to the mean of v over
 * the noise of a, however they are spread. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_REGRESSION_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_REGRESSION_H

#include "workers/learn/games/learner_game.h"

/* A tried action and its estimates. */
struct tried {
    int action;
    double visits;       /* its tries */
    double weight, mean; /* W and E[v|a] */
};

/* A try: its deed and its value. */
struct tried_deed {
    struct learner_deed deed;
    double value;
};

/* Sets `weight` and `mean` of each action. Actions must differ and have visits; the game must have
 * likelihood(). */
void regress(const struct learner_game *game, int actions, struct tried *tried, int deeds,
             const struct tried_deed *done);

/* Returns the index with the largest lower confidence bound E[v|a] - c sqrt(log sum_b W(b) / W(a)),
 * the first of equals. actions > 0. */
int regression_choice(int actions, const struct tried *tried, double c);

#endif
