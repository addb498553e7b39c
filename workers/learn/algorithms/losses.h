/* The arithmetic of learning, one decision at a time: what values should have been, and the
 * derivatives of the losses with respect to the outputs of a network. Pure functions; `legal` has
 * one place for each action, and at least one of them is true. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_LOSSES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_LOSSES_H

#include <stdbool.h>

/* The legal action with the largest number, the first of equals. */
int legal_argmax(const float *values, const bool *legal, int actions);

/* Whether the numbers of all legal actions are finite. */
bool legal_are_finite(const float *values, const bool *legal, int actions);

/* Probabilities e^logit / sum over the legal actions, 0 for the others. */
void legal_softmax(const float *logits, const bool *legal, int actions, float *ret_p);

/* Q-learning (Watkins and Dayan 1992): reward + discount * the value of the next decision's most
 * valued legal action, or the reward alone where no decision follows (both NULL). One network may
 * choose that action and another value it (van Hasselt, Guez and Silver, "Deep reinforcement
 * learning with double Q-learning", 2016), as the largest of many uncertain values is too large. */
double double_q_target(double reward, double discount, const float *next_choosing,
                       const float *next_values, const bool *next_legal, int actions);

/* The same where the next action is drawn from the softmax of next_choosing / temperature: with
 * many uncertain values even the choice of another network is too lucky. */
double soft_q_target(double reward, double discount, double temperature, const float *next_choosing,
                     const float *next_values, const bool *next_legal, int actions);

/* Loss (values[action] - target)^2 / 2; its derivative times `share` in ret_d[actions], 0 for all
 * other actions. */
double q_loss(const float *values, int actions, int action, double target, float share,
              float *ret_d);

/* Loss -log of the probability that legal_softmax() gives to the action; its derivative
 * p - (1 at the action) times `share` in ret_d[actions]. */
double cross_entropy_loss(const float *logits, const bool *legal, int actions, int action,
                          float share, float *ret_d);

/* Log of the probability that legal_softmax() gives to a legal action; finite. */
double legal_log_probability(const float *logits, const bool *legal, int actions, int action);

/* -sum p log p (nats) of legal_softmax(). */
double legal_entropy(const float *logits, const bool *legal, int actions);

/* Generalised advantage estimation (Schulman et al. 2016) over the `count` decisions of a seat in a
 * game that is over: rewards[k] until decision k + 1, values[k] what the seat expected at decision
 * k. ret[k] is the sum over j >= k of (discount * lambda)^(j - k) times
 * rewards[j] + discount * values[j + 1] - values[j], the value after the last one 0. */
void estimate_advantages(const float *rewards, const float *values, int count, double discount,
                         double lambda, float *ret_advantages);

/* Loss of proximal policy optimisation (Schulman et al. 2017): with r the probability of the action
 * by these logits over exp(old_log_p),
 *     -min(r * advantage, r kept within 1 - clip … 1 + clip, * advantage) - bonus * entropy;
 * its derivative times `share` in ret_d[actions]. ret_entropy: legal_entropy(). */
double clipped_policy_loss(const float *logits, const bool *legal, int actions, int action,
                           double old_log_p, double advantage, double clip, double bonus,
                           float share, float *ret_d, double *ret_entropy);

#endif
