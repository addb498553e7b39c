/* The choice at the start of an end of mixed doubles: own stone in the house and throw second, own
 * guard and throw first, or the power play, by play-outs of the end. */
#ifndef RINKD_WORKERS_COMPETE_SETUP_CHOICE_H
#define RINKD_WORKERS_COMPETE_SETUP_CHOICE_H

#include "workers/compete/situation.h"

#include <stdatomic.h>
#include <stdint.h>

/* The last ends of a game in which the power play is weighed: each team has only one. */
enum { SETUP_POWER_ENDS = 3 };

/* Plays the end out, once for each setup in a round with the same luck, and returns the setup with
 * the best chance of winning the game, a hundredth of a point of the end counting as much as a
 * ten-thousandth of a game. Plays `rounds` rounds, or (0) until `until_s` (clock_now_s()), at least
 * one and at most SETUP_ROUNDS_MAX. *ret_rounds gives the same choice again; *ret_win is its
 * chance. */
enum { SETUP_ROUNDS_MAX = 200 };
enum setup setup_choose(const struct situation *situation, uint64_t seed, int64_t rounds,
                        double until_s, const atomic_bool *cancel, int64_t *ret_rounds,
                        double *ret_win);

#endif
