/* Proximal policy optimisation (Schulman et al., "Proximal policy optimization algorithms", 2017)
 * as a baseline for NFSP: each seat has one network with a logit for each action and, as the last
 * output, the value of the decision. It plays by its probabilities, in `self_share` of the games
 * against itself in the other seat and in the rest against the fixed programs of the game.
 *
 * Every `horizon` steps each seat learns from the games that were over since the last time: their
 * decisions, with the probabilities that they were taken with, go through `epochs` times in batches
 * of about `minibatch`, and are then forgotten. The loss of a decision is that of
 * clipped_policy_loss() plus value_share * (value - return)^2 / 2. Advantages are those of
 * estimate_advantages(), less their mean and over their standard deviation; the return is value
 * plus advantage before that.
 *
 * Names in job specs, and the value for toys:
 *   discount 1, lambda .95, clip_ratio .2, epochs 4, minibatch 256, horizon 16, entropy .01,
 *   value_share .5, optimiser adam, rate .001, momentum .9, weight_decay 0, clip .5 (of the
 *   gradient's norm), parallel 128, self_share 1 */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_PPO_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_PPO_H

#include "workers/learn/algorithms/learner.h"

/* "ppo"; its policy is "policy", without the value. */
extern const struct learner_class learner_ppo;

#endif
