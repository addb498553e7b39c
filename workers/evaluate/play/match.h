/* The result of the pairs between two players. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_MATCH_H
#define RINKD_WORKERS_EVALUATE_PLAY_MATCH_H

#include "api/jobs/job_kinds.h"
#include "workers/evaluate/play/adjusted.h"
#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/statistics/statistics.h"

#define MATCH_CONFIDENCE 0.95

enum { MATCH_SCORES = 17, MATCH_SCORE_ZERO = 8 };

struct match_games {
    int64_t wins, draws, losses;
};

/* Counts a game with 2, 1 or 0 half points. */
static inline void match_games_add(struct match_games *games, int half_points)
{
    games->wins += half_points == 2;
    games->draws += half_points == 1;
    games->losses += half_points == 0;
}

/* The ends of a player in one seat. The sample is the pair, so the standard error of their mean
 * needs sums over pairs: s are the points and n the ends of a pair in this seat. */
struct match_seat {
    /* Ends by the player's points (negative: the opponent's), entry MATCH_SCORE_ZERO + score.
     * Conceded ends do not count. */
    int64_t scores[MATCH_SCORES];
    int64_t pairs; /* pairs with at least one such end */
    int64_t sum_ss, sum_sn, sum_nn;
};

/* Pairs decided by the total score of both games.
 *
 * With games of one end this is the test of the papers on digital curling: two ends with the seats
 * swapped; the side with more points in total wins. It uses the same games as the percentage of
 * games, but takes the margin of each game into account. */
struct pair_score {
    int64_t wins, draws, losses; /* pairs of player 0 */
    double share;                /* of won pairs, a draw as one half, 0 … 1; NAN without any */
    struct interval interval,
        bootstrap;           /* for `share`: pentanomial_interval(), bootstrap_interval() */
    double share_of_decided; /* wins / (wins + losses); NAN without either */
};

/* The second index is 1 where the player has the hammer: for games the hammer of the first end, for
 * ends that of the end itself. */
struct match_summary {
    int64_t pairs;
    struct match_games games[2][2];         /* [player][first hammer] */
    int64_t conceded;                       /* games that ended by concession */
    int64_t with_extra_ends;                /* games that went to extra ends */
    int64_t half_points[PENTANOMIAL];       /* pairs by half points of player 0 */
    double score;                           /* of player 0 per game, 0 … 1; NAN without pairs */
    struct interval pentanomial, bootstrap; /* for `score` */
    struct pair_score pair_score;
    struct match_seat seats[2][2]; /* [player][hammer] */
    struct adjusted_sums adjusted; /* of player 0 */
    struct pair_effort effort[2];
};

/* Sums up `count` pairs of games of `ends` ends; `seed` is for the bootstrap. */
void match_summarise(const struct pair_result *results, int64_t count, int ends, uint64_t seed,
                     struct match_summary *ret_summary);

/* A sequential test of a match, and which results of pairs it looks at. */
struct match_test {
    struct sprt sprt;
    enum job_sprt_values values;
};

/* Return the log-likelihood ratio of the test, and its decision, for pairs by half points and the
 * same pairs without luck. */
double match_test_ratio(const struct match_test *test, const int64_t half_points[PENTANOMIAL],
                        const struct adjusted_sums *adjusted);
enum sprt_decision match_test_decide(const struct match_test *test,
                                     const int64_t half_points[PENTANOMIAL],
                                     const struct adjusted_sums *adjusted);

/* Returns the points of player 0 in the first `ends` ends of both games minus those of player 1. A
 * game conceded within them counts at least one point for its winner, as the unfinished end has no
 * score. */
int pair_points(const struct pair_result *result, int ends);

/* All ends of a game, extra ends included. */
enum { PAIR_ALL_ENDS = PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX };

/* Sums up `count` pairs by pair_points(); `seed` is for the bootstrap. */
struct pair_score pair_score_of(const struct pair_result *results, int64_t count, int ends,
                                double confidence, uint64_t seed);

/* Return the number of ends in a seat, and mean and standard error of their score. The error is
 * that of a ratio of two sums over pairs. NAN without ends; the error also if all ends are of one
 * pair. */
int64_t match_ends(const struct match_seat *seat);
double match_points(const struct match_seat *seat);
double match_points_error(const struct match_seat *seat);

#endif
