/* The exact gain of best responses in games small enough to search to the end (learner_game.h,
 * `starts`). */
#ifndef RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H
#define RINKD_WORKERS_LEARN_GAMES_BEST_RESPONSE_WALKER_H

#include "workers/evaluate/exploit/exploitability.h"
#include "workers/learn/games/learner_game.h"

/* Computes the points that best responses win from the policy, knowing it but not its cards:
 * ret_exploitability[seat] is for the policy in that seat, as in line_exploitability(). The sum is
 * NashConv, 0 for an equilibrium; exploitability is half of it. EXPLOITABILITY_OK, _NO_MEMORY or
 * _FAILED: the policy could not choose, or the game would not play its action. */
enum exploitability_status walked_exploitability(const struct learner_game *game,
                                                 learner_policy *policy, void *context,
                                                 double ret_exploitability[2]);

#endif
