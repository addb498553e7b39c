/* Several shots of one position, valued by the same throws: what each is worth, and how much less
 * than the first one. Because all shots meet the same errors of the hand, a difference is far more
 * accurate than the values are. */
#ifndef RINKD_WORKERS_SEARCH_RINK_APPRAISE_H
#define RINKD_WORKERS_SEARCH_RINK_APPRAISE_H

#include "workers/pool.h"
#include "workers/search/judge/judge.h"

enum { APPRAISE_THROWS_MAX = 1 << 14 };

/* A mean over throws and its standard error. Quasi-random errors make that an upper bound. */
struct appraised_mean {
    double mean, error;
};

struct appraised {
    struct appraised_mean win, points;           /* for the side to move; win: a draw is a half */
    struct appraised_mean win_less, points_less; /* of the first shot, minus those of this one */
    double success; /* share of throws that succeeded (candidate.h); NAN: no kind */
    struct score_distribution scores; /* of the end, for the side to move */
};

/* Values `count` shots by `throws` throws each, 2 … APPRAISE_THROWS_MAX, with the errors of the
 * judge. The result does not depend on the number of threads. False: memory is short, or the query
 * was cancelled (player_is_cancelled(); `query` NULL: it cannot be). */
bool appraise(const struct judge *judge, struct pool *threads, const struct player_query *query,
              const struct candidate *candidates, int count, int throws,
              struct appraised *ret_appraised);

#endif
