/* A policy of a run as action probabilities, for measuring it in games that can be solved. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_VIEW_POLICY_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_VIEW_POLICY_H

#include "workers/learn/algorithms/learner.h"

struct view_policy;

/* Copies the policy's present networks, for use by one thread; the caller frees the copy with
 * view_policy_free(). The game must outlive it. NULL and a sentence on failure. */
struct view_policy *view_policy_new(const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_policy_view *view,
                                    char ret_error[LEARNER_ERROR_MAX]);
void view_policy_free(struct view_policy *policy); /* NULL is fine */

/* The context is the struct view_policy. If the network fails or its outputs are not finite, the
 * probabilities are NAN. */
learner_policy view_policy_play;      /* softmax of logits; the best action by values */
learner_policy view_policy_likeliest; /* the likeliest or best action */

#endif
