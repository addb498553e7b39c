/* What the opponent's reply to a shot is worth: the lower part of the strong search, for rink.c
 * alone; everybody else asks rink.h. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_REPLY_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_REPLY_H

#include "api/clock.h"
#include "workers/search/rink/rink.h"

/* What one execution of a shot is worth by the reply to it, less what it seemed worth before: by
 * score of the end, for the side to move. */
struct rink_reply {
    double more[OBJECTIVE_SCORES];
    bool found;
    int64_t throws; /* that looking for it took, found or not */
};

/* Throws for one reply, at most. */
int64_t rink_reply_cost(const struct rink_settings *settings);

/* Looks for the best reply to execution number `sample` of a candidate of the judge's, by a small
 * search of this kind, and for what a fallible opponent may throw instead. Not found where the
 * query is cancelled or `deadline_s` (see rink_is_over()) comes first. Any thread. */
void rink_reply_find(const struct rink_settings *settings, const struct player_query *query,
                     double deadline_s, const struct judge *judge, const struct judged *judged,
                     int sample, struct rink_reply *ret_reply);

/* Whether a search has to end at once: cancelled, or past its deadline by clock_now_s(), 0: none.
 */
static inline bool rink_is_over(const struct player_query *query, double deadline_s)
{
    return player_is_cancelled(query) || (deadline_s > 0.0 && clock_now_s() >= deadline_s);
}

#endif
