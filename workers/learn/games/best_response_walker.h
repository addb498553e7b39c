/* Exact values in games that are small enough to be walked to the end (learner_game.h, `starts`):
 * what a policy is worth against itself, and what a best response gains against it. */
#ifndef RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H
#define RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H

#include "workers/evaluate/exploit/exploitability.h"
#include "workers/learn/games/learner_game.h"

/* Expected points of seat 0 when both seats play the policy. NAN: no memory, or it could not
 * choose. */
double policy_value(const struct learner_game *game, learner_policy *policy, void *context);

/* The points that best responses win from the policy, knowing it but not its cards: ret[seat] when
 * the policy plays that seat, as in line_exploitability(). Their sum is NashConv, 0 for an
 * equilibrium, and exploitability is half of that. EXPLOITABILITY_OK, _NO_MEMORY or _FAILED: the
 * policy could not choose, or the game would not play its action. */
enum exploitability_status walked_exploitability(const struct learner_game *game,
                                                 learner_policy *policy, void *context,
                                                 double ret_exploitability[2]);

#endif
