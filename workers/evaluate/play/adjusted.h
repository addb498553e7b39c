/* Results of pairs without the luck of the hands (luck.h), beside the same results as played. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_ADJUSTED_H
#define RINKD_WORKERS_EVALUATE_PLAY_ADJUSTED_H

#include "api/curling/match_record.h"
#include "workers/evaluate/statistics/sample.h"

enum { AS_PLAYED, WITHOUT_LUCK, ADJUSTED_KINDS };

/* Sums over the pairs of two players whose luck was measured, in the view of the first. */
struct adjusted_sums {
    struct sample score[ADJUSTED_KINDS]; /* of a game of the pair, as played 0 … 1 */
    struct ratio points[ADJUSTED_KINDS]; /* of an end */
};

/* Adds a pair if its luck was measured. */
void adjusted_add(struct adjusted_sums *sums, const struct pair_result *result);

/* Return the variance of a pair without luck as a share of that as played; NAN: not known. */
double adjusted_score_share(const struct adjusted_sums *sums);
double adjusted_points_share(const struct adjusted_sums *sums);

#endif
