/* What came out of the pairs between two players. */
#ifndef RINKD_WORKERS_EVALUATE_MATCH_H
#define RINKD_WORKERS_EVALUATE_MATCH_H

#include "workers/evaluate/pair.h"
#include "workers/evaluate/pair_score.h"
#include "workers/evaluate/statistics.h"

#define MATCH_CONFIDENCE 0.95

enum { MATCH_SCORES = 17, MATCH_SCORE_ZERO = 8 };

struct match_games {
    int64_t wins, draws, losses;
};

/* The second index is 1 where the player has the hammer: of the first end for games, of that end
 * for ends. */
struct match_summary {
    int64_t pairs;
    struct match_games games[2][2];         /* [player][first hammer] */
    int64_t conceded;                       /* games that ended by it */
    int64_t with_extra_ends;                /* games that went to some */
    int64_t half_points[PENTANOMIAL];       /* pairs by half points of player 0 */
    double score;                           /* of player 0 a game, 0 … 1; NAN without pairs */
    struct interval pentanomial, bootstrap; /* for it */
    struct pair_score pair_score;
    /* Ends by the player's own points, negative: the opponent's; entry MATCH_SCORE_ZERO + score.
     * Ends cut short by a concession are not counted. */
    int64_t end_scores[2][2][MATCH_SCORES]; /* [player][hammer] */
    struct pair_effort effort[2];
};

/* Sums up `count` pairs of games of so many ends; the seed is that of the bootstrap. */
void match_summarise(const struct pair_result *results, int64_t count, int ends, uint64_t seed,
                     struct match_summary *ret_summary);

/* Number of ends, and mean and standard error of their score, from a row of end_scores. NAN where
 * there are too few ends to tell. */
int64_t match_ends(const int64_t end_scores[MATCH_SCORES]);
double match_points(const int64_t end_scores[MATCH_SCORES]);
double match_points_error(const int64_t end_scores[MATCH_SCORES]);

#endif
