/* The worth of a shot that somebody else has chosen. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_MEASURE_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_MEASURE_H

#include "workers/search/rink/rink.h"

enum { RINK_MEASURED_MAX = 64 };

/* The end's score after a shot, for the side to move: the mean of `throws` of it, 1 …
 * RINK_MEASURED_MAX, with errors that no choice was made by (RANDOM_EXECUTION of query->key). */
struct score_distribution rink_measure(const struct rink_settings *settings,
                                       const struct player_query *query, struct shot shot,
                                       int throws);

#endif
