/* Pairs decided by the total score of both games.
 *
 * With games of one end this is the test of the papers on digital curling: two ends with the seats
 * swapped; the side with more points in total wins. It uses the same games as the percentage of
 * games, but takes the margin of each game into account. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_PAIR_SCORE_H
#define RINKD_WORKERS_EVALUATE_PLAY_PAIR_SCORE_H

#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/statistics/statistics.h"

struct pair_score {
    int64_t wins, draws, losses; /* pairs of player 0 */
    double share;                /* of won pairs, a draw as one half, 0 … 1; NAN without any */
    struct interval interval,
        bootstrap;           /* for `share`: pentanomial_interval(), bootstrap_interval() */
    double share_of_decided; /* wins / (wins + losses); NAN without either */
};

/* Returns the points of player 0 in both games, extra ends included, minus those of player 1. A
 * conceded game counts at least one point for its winner, as the unfinished end has no score. */
int pair_points(const struct pair_result *result);

/* Sums up `count` pairs; `seed` is for the bootstrap. */
struct pair_score pair_score_of(const struct pair_result *results, int64_t count, double confidence,
                                uint64_t seed);

#endif
