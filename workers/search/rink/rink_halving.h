/* Candidates, and the rounds of sequential halving that reduce them to the finalists. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_HALVING_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_HALVING_H

#include "workers/search/rink/rink_search.h"

/* Makes the candidates of a search that will use `plan` throws, throws each a few times and ranks
 * them. A plan that is too small for all of them keeps the first ones. */
void rink_halving_begin(struct rink_search *search, int64_t plan);

/* Continues until `budget` throws in all are used, those of rink_halving_begin() included. The pool
 * is then sorted and begins with the finalists, which all have the same number of samples. */
void rink_halving_finish(struct rink_search *search, int64_t budget);

#endif
