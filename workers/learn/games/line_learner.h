/* Line curling (workers/evaluate/exploit/line_curling.h) as a game for learners. */
#ifndef RINKD_WORKERS_LEARN_GAMES_LINE_LEARNER_H
#define RINKD_WORKERS_LEARN_GAMES_LINE_LEARNER_H

#include "workers/evaluate/exploit/line_curling.h"
#include "workers/learn/games/learner_game.h"

/* The game with `stones` of each side, 1 … LINE_STONES_MAX. The reward is the score in twos, all of
 * it at the end. Lives as long as the program. */
const struct learner_game *line_learner_game(int stones);

/* The gain of the best responses to a learner's policy, seat 0 sente: see line_exploitability(). */
enum exploitability_status line_learner_exploitability(const struct learner_game *game,
                                                       learner_policy *policy, void *context,
                                                       double ret_exploitability[2]);

#endif
