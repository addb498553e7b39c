/* Ranking candidates, and telling what a search has found. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_ANSWER_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_ANSWER_H

#include "workers/search/rink/rink_search.h"

/* Sorts the first `some` candidates of the pool, best first; the others stay behind them. Equal
 * candidates keep their order, so that the order is the same everywhere. */
void rink_answer_rank(struct rink_search *search, int some);

/* How closely a candidate was judged, in throws. */
int64_t rink_answer_closeness(const struct rink_search *search, const struct judged *judged);

/* Reports the best answer so far if a report is due. `is_ranked` tells whether the pool is sorted.
 * An earlier search's answer stays the best until this search has judged as closely. */
void rink_answer_report(struct rink_search *search, bool is_ranked);

/* Writes the answer of a pool that is sorted. `plan`: the throws that give the same answer again,
 * 0: none do. */
void rink_answer_fill(const struct rink_search *search, int64_t plan,
                      struct player_answer *ret_answer);

#endif
