/* A search with the tree of kr_tree.h: the loop within the limits of a query, and the answer from
 * the shots of the root. */
#ifndef RINKD_WORKERS_SEARCH_TREE_KR_ANSWER_H
#define RINKD_WORKERS_SEARCH_TREE_KR_ANSWER_H

#include "workers/search/tree/kr_tree.h"

/* Some iterations of a player: at least one; none beyond the limits unless they are reached
 * already. PLAYER_OK, or a failure after which only kr_tree_clear() may be called. */
typedef enum player_status kr_step(struct kr_tree *tree);

/* Steps until the limits of the query (without any: the iterations of the settings) are reached or
 * the query is cancelled, with reports in between; then writes the answer. `start_s`
 * (clock_now_s()): when the query arrived. PLAYER_OK, PLAYER_NO_MEMORY or what `step` says. */
enum player_status kr_search(struct kr_tree *tree, kr_step *step, double start_s,
                             struct player_answer *ret_answer);

#endif
