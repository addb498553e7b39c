/* The arithmetic of learning, one decision at a time: what values should have been, and the
 * derivatives of the losses with respect to the outputs of a network. Pure functions; `legal` has
 * one place for each action, and at least one of them is true. */
#ifndef RINKD_WORKERS_LEARN_LOSSES_H
#define RINKD_WORKERS_LEARN_LOSSES_H

#include <stdbool.h>

/* The legal action with the largest number, the first of equals. */
int legal_argmax(const float *values, const bool *legal, int actions);

/* Probabilities e^logit / sum over the legal actions, 0 for the others. */
void legal_softmax(const float *logits, const bool *legal, int actions, float *ret_p);

/* Q-learning (Watkins and Dayan 1992): reward + discount * max over the legal actions of the next
 * decision's values, or the reward alone where no decision follows (next_values NULL). */
double q_target(double reward, double discount, const float *next_values, const bool *next_legal,
                int actions);

/* Loss (values[action] - target)^2 / 2; its derivative times `share` in ret_d[actions], 0 for all
 * other actions. */
double q_loss(const float *values, int actions, int action, double target, float share,
              float *ret_d);

/* Loss -log of the probability that legal_softmax() gives to the action; its derivative
 * p - (1 at the action) times `share` in ret_d[actions]. */
double cross_entropy_loss(const float *logits, const bool *legal, int actions, int action,
                          float share, float *ret_d);

#endif
