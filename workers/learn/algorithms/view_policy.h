/* A policy of a run as probabilities of actions, to be measured in games that can be solved. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_VIEW_POLICY_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_VIEW_POLICY_H

#include "workers/learn/algorithms/learner.h"

struct view_policy;

/* A copy of the policy's networks as they are now, for one thread; for view_policy_free(). The game
 * has to outlive it. NULL and a sentence. */
struct view_policy *view_policy_new(const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_policy_view *view,
                                    char ret_error[LEARNER_ERROR_MAX]);
void view_policy_free(struct view_policy *policy); /* NULL is fine */

/* Their context is the struct view_policy. A network that fails, or whose outputs
 * are not finite, gives no numbers (NAN). */
learner_policy view_policy_play;      /* softmax of logits; the best action by values */
learner_policy view_policy_likeliest; /* the likeliest or best action */

#endif
