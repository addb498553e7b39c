/* The finalists of a search, judged by the opponent's replies. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_FINALISTS_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_FINALISTS_H

#include "workers/search/rink/rink_search.h"

/* How many of `plan` throws look for replies: 0 where it is too early or too late in the end, or
 * where there would be too few replies to tell anything. */
int64_t rink_finalists_budget(const struct rink_search *search, int64_t plan);

/* The smallest plan with replies; there must be one that has some. */
int64_t rink_finalists_least_plan(const struct rink_search *search);

/* Halves the finalists twice more by the replies to a few executions of each, for `budget` throws.
 * Sorts the pool. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status rink_finalists_judge(struct rink_search *search, int64_t budget);

#endif
