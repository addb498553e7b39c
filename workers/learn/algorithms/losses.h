/* The arithmetic of learning, one decision at a time: targets of values, and derivatives of losses
 * with respect to the outputs of a network. Pure functions; `legal` has one element for each
 * action, at least one of them true. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_LOSSES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_LOSSES_H

#include <stdbool.h>

/* Returns the legal action with the largest value, the first of equals. */
int legal_argmax(const float *values, const bool *legal, int actions);

/* Whether the values of all legal actions are finite. */
bool legal_are_finite(const float *values, const bool *legal, int actions);

/* Fills in probabilities e^logit / sum over the legal actions, 0 for the others. */
void legal_softmax(const float *logits, const bool *legal, int actions, float *ret_p);

/* Q-learning (Watkins and Dayan 1992): reward + discount * the value of the next decision's most
 * valued legal action, or the reward alone if no decision follows (both NULL). One network may
 * choose that action and another value it (van Hasselt, Guez and Silver, "Deep reinforcement
 * learning with double Q-learning", 2016), because the largest of many noisy values is biased
 * upwards. */
double double_q_target(double reward, double discount, const float *next_choosing,
                       const float *next_values, const bool *next_legal, int actions);

/* The same, but with the next action drawn from the softmax of next_choosing / temperature: with
 * many noisy values even another network's choice is biased upwards. */
double soft_q_target(double reward, double discount, double temperature, const float *next_choosing,
                     const float *next_values, const bool *next_legal, int actions);

/* Returns (values[action] - target)^2 / 2; ret_d[actions] gets its derivative times `share`, 0 for
 * all other actions. */
double q_loss(const float *values, int actions, int action, double target, float share,
              float *ret_d);

/* Returns -log of the probability that legal_softmax() gives to the action; ret_d[actions] gets its
 * derivative p - (1 at the action), times `share`. */
double cross_entropy_loss(const float *logits, const bool *legal, int actions, int action,
                          float share, float *ret_d);

/* The same towards the probabilities target[actions], which sum to 1: the mean of the loss over
 * actions drawn from them. */
double soft_cross_entropy_loss(const float *logits, const bool *legal, int actions,
                               const float *target, float share, float *ret_d);

/* Returns the log of the probability that legal_softmax() gives to a legal action; finite. */
double legal_log_probability(const float *logits, const bool *legal, int actions, int action);

/* Returns the entropy -sum p log p (nats) of legal_softmax(). */
double legal_entropy(const float *logits, const bool *legal, int actions);

/* Generalised advantage estimation (Schulman et al. 2016) over the `count` decisions of a seat in a
 * finished game: rewards[k] is the reward from decision k to k + 1, values[k] the seat's estimate
 * at decision k. ret_advantages[k] is the sum over j >= k of (discount * lambda)^(j - k) times
 * rewards[j] + discount * values[j + 1] - values[j]; the value after the last decision is 0. */
void estimate_advantages(const float *rewards, const float *values, int count, double discount,
                         double lambda, float *ret_advantages);

/* Returns the loss of proximal policy optimisation (Schulman et al. 2017). With r the probability
 * of the action by these logits, divided by exp(old_log_p), it is
 *     -min(r * advantage, clamp(r, 1 - clip, 1 + clip) * advantage) - bonus * entropy
 * and ret_d[actions] gets its derivative times `share`. ret_entropy is legal_entropy(). */
double clipped_policy_loss(const float *logits, const bool *legal, int actions, int action,
                           double old_log_p, double advantage, double clip, double bonus,
                           float share, float *ret_d, double *ret_entropy);

#endif
