/* Estimates the value of actions from tries under execution noise.
 *
 * A try aims at one action, but its outcome comes from its deed (learner_game.h), which another
 * action might have caused, too: with p(a, d) the likelihood of deed d when a is wanted and n(b)
 * the tries of action b,
 *
 *     w(a, j) = p(a, d_j) / sum over b of n(b) p(b, d_j)
 *     E[v|a] = sum over tries j of w(a, j) v_j / sum over j of w(a, j)
 *     W(a) = (sum w)^2 / sum w^2, how many tries of its own it is worth
 *
 * This is the kernel regression of KR-UCT (T. Yee, V. Lisy, M. Bowling, "Monte Carlo tree search in
 * continuous action spaces with execution uncertainty", IJCAI 2016: the kernel is the noise of a at
 * what was executed), with the weights of multiple importance sampling (Veach and Guibas, 1995),
 * which make up for tries being denser here than there: with more tries E[v|a] goes to the mean of
 * v over the noise of a, however they are spread. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_REGRESSION_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_REGRESSION_H

#include "workers/learn/games/learner_game.h"

/* An action that was tried, and its estimates. */
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

/* Sets `weight` and `mean` of each action; none of them twice, all visited. The game has
 * likelihood(). */
void regress(const struct learner_game *game, int actions, struct tried *tried, int deeds,
             const struct tried_deed *done);

/* The index with the largest E[v|a] - c sqrt(log sum_b W(b) / W(a)), the first of equals: what is
 * good and known to be. actions > 0. */
int regression_choice(int actions, const struct tried *tried, double c);

#endif
