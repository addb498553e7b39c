/* Games made up to test learners. */
#ifndef RINKD_TESTS_UNIT_WORKERS_LEARN_GAMES_TOY_GAMES_H
#define RINKD_TESTS_UNIT_WORKERS_LEARN_GAMES_TOY_GAMES_H

#include "workers/learn/games/learner_game.h"

/* Each seat pulls one of five arms once. They pay 0.1, 0.3, 0.9, 0.6 and 0.2 on average, give or
 * take 0.5; the third is illegal. */
enum { BANDIT_BEST = 3, BANDIT_ILLEGAL = 2 };
extern const struct learner_game bandit_game;

/* Rock (0), paper (1), scissors (2), unseen by each other. Programs 0 and 1 always play scissors
 * and rock. */
enum { ROCK, PAPER, SCISSORS };
extern const struct learner_game throws_game;

#endif
