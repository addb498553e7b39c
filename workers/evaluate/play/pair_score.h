/* Pairs decided by the score of both games together.
 *
 * With games of one end this is the test of the papers on digital curling: two ends with the seats
 * swapped; the side with more points in their sum wins. It uses the same games as the percentage of
 * games, but counts by how much a game is won. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_PAIR_SCORE_H
#define RINKD_WORKERS_EVALUATE_PLAY_PAIR_SCORE_H

#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/statistics/statistics.h"

struct pair_score {
    int64_t wins, draws, losses; /* pairs of player 0 */
    double share;                /* of pairs, a draw as one half, 0 … 1; NAN without any */
    struct interval interval, bootstrap; /* for it: pentanomial_interval(), bootstrap_interval() */
    double share_of_decided;             /* wins of wins and losses; NAN without either */
};

/* Points of player 0 in both games, extra ends included, minus those of player 1. A conceded game
 * counts at least one point for its winner, as the unfinished end has no score. */
int pair_points(const struct pair_result *result);

/* Sums up `count` pairs; the seed is that of the bootstrap. */
struct pair_score pair_score_of(const struct pair_result *results, int64_t count, double confidence,
                                uint64_t seed);

#endif
