/* Line curling (workers/evaluate/exploit/line_curling.h) as a game for learners. */
#ifndef RINKD_WORKERS_LEARN_GAMES_LINE_LEARNER_H
#define RINKD_WORKERS_LEARN_GAMES_LINE_LEARNER_H

#include "workers/evaluate/exploit/line_curling.h"
#include "workers/learn/games/learner_game.h"

/* Returns the game with `stones` stones a side, 1 … LINE_STONES_MAX; static. The reward is half the
 * score, paid at the end. */
const struct learner_game *line_learner_game(int stones);

/* Computes the gain of best responses to a learner's policy; seat 0 is sente. See
 * line_exploitability(). */
enum exploitability_status line_learner_exploitability(const struct learner_game *game,
                                                       learner_policy *policy, void *context,
                                                       double ret_exploitability[2]);

#endif
