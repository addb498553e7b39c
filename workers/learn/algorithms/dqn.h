/* Deep Q-learning (Mnih et al., "Human-level control through deep reinforcement learning", 2015)
 * as a baseline for NFSP: each seat has one network of values of actions, which learns from
 * transitions out of a circular memory towards targets by an older copy of itself. It plays what it
 * thinks best, with a share of random actions, in `self_share` of the games against itself in the
 * other seat and in the rest against the fixed programs of the game.
 *
 * The loss is squared: rewards are about 1 a game, so that Huber's, which is the same up to 1,
 * would change nothing. With `double_q` the learning network chooses the action of a target and the
 * older copy says its value.
 *
 * A target adds up the rewards of the next `n_step` own decisions, random ones among them, before
 * it asks for a value (Sutton 1988; M. Hessel et al., "Rainbow", 2018); 1 is what was first
 * printed.
 *
 * Names in job specs, and the value for toys:
 *   discount 1, explore .3, explore_decay .01 (choosing.h), optimiser sgd, rate .1, momentum .9,
 *   weight_decay 0, clip 0, batch 128, updates 2 (each step, of each seat), parallel 128,
 *   memory 200000 (transitions of a seat), target_interval 100 (updates between copies; 0: the
 *   network itself), warm_up 1000 (transitions before a seat learns), double_q 1, n_step 1,
 *   self_share 1 */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_DQN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_DQN_H

#include "workers/learn/algorithms/learner.h"

/* "dqn"; its policy is "greedy". */
extern const struct learner_class learner_dqn;

#endif
