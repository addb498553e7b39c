/* Exact values in games that are small enough to be walked to the end (learner_game.h, `starts`):
 * what a policy is worth against itself, and what a best response gains against it. */
#ifndef RINKD_WORKERS_LEARN_BEST_RESPONSE_WALKER_H
#define RINKD_WORKERS_LEARN_BEST_RESPONSE_WALKER_H

#include "workers/learn/learner_game.h"

/* Expected points of seat 0 when both seats play the policy. NAN: no memory. */
double policy_value(const struct learner_game *game, learner_policy *policy, void *context);

/* Expected points of `responder` when it plays as well as can be against the policy in the other
 * seat, knowing the policy but not the other's cards. NAN: no memory. */
double best_response_value(const struct learner_game *game, int responder, learner_policy *policy,
                           void *context);

/* What best responses win from the policy, in points: ret[seat] when the policy plays that seat, as
 * line_exploitability() has it. Their sum is NashConv, 0 for an equilibrium, and exploitability is
 * half of that. False: no memory. */
bool walked_exploitability(const struct learner_game *game, learner_policy *policy, void *context,
                           double ret_exploitability[2]);

#endif
