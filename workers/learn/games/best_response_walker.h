/* Exact values in games small enough to search to the end (learner_game.h, `starts`): the value of
 * a policy against itself, and the gain of a best response against it. */
#ifndef RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H
#define RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H

#include "workers/evaluate/exploit/exploitability.h"
#include "workers/learn/games/learner_game.h"

/* Returns the expected points of seat 0 when both seats play the policy. NAN: no memory, or the
 * policy could not choose. */
double policy_value(const struct learner_game *game, learner_policy *policy, void *context);

/* Computes the points that best responses win from the policy, knowing it but not its cards:
 * ret_exploitability[seat] is for the policy in that seat, as in line_exploitability(). The sum is
 * NashConv, 0 for an equilibrium; exploitability is half of it. EXPLOITABILITY_OK, _NO_MEMORY or
 * _FAILED: the policy could not choose, or the game would not play its action. */
enum exploitability_status walked_exploitability(const struct learner_game *game,
                                                 learner_policy *policy, void *context,
                                                 double ret_exploitability[2]);

#endif
