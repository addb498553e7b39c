/* How many throws fit into a time limit. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_TIME_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_TIME_H

#include "workers/search/rink/rink_search.h"

/* Whether the rest of `plan` throws will probably be done before the deadline, judging by the
 * throws so far, which took spent_s. */
bool rink_time_fits(const struct rink_search *search, int64_t plan, double spent_s);

/* Whether a search of `plan` throws tells more than an earlier one of `used`. */
bool rink_time_is_worth_it(int64_t plan, int64_t used);

/* Throws for the next search, after `searches` + 1 of them, the last one with `used` throws in
 * spent_s and with replies or without. Small first, to measure the speed (throws get cheaper the
 * more there are), then larger, then all the time that is left. 0: another search would not tell
 * more. */
int64_t rink_time_next_plan(const struct rink_search *search, int64_t used, double spent_s,
                            bool had_replies, int searches);

#endif
