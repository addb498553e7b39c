/* The first shots of the root of KR-UCT. */
#ifndef RINKD_WORKERS_SEARCH_TREE_KR_PICK_H
#define RINKD_WORKERS_SEARCH_TREE_KR_PICK_H

#include "models/ice/noise.h"
#include "workers/search/shots/candidates.h"

/* At most `most` (at most CANDIDATES_MAX) of the candidates, the first of each kind, then the
 * second of each kind, …; no shot that is nearly the same as one before (K > 0.9). Writes their
 * indices, returns how many. */
int kr_pick(const struct noise *noise, const struct candidate *candidates, int count, int most,
            int *ret_picked);

#endif
