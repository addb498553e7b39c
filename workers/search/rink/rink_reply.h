/* What the opponent's reply to a shot is worth. */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_REPLY_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_REPLY_H

#include "workers/search/rink/rink_search.h"

/* What one execution of a shot is worth after the reply to it, minus what it seemed worth before:
 * by score of the end, for the side to move. */
struct rink_reply {
    double more[OBJECTIVE_SCORES];
    bool found;
    int64_t throws; /* used by the search for it, found or not */
};

/* The most throws that one reply takes. */
int64_t rink_reply_cost(const struct rink_settings *settings);

/* Looks for the best reply to execution number `sample` of a candidate, by a small search without
 * replies of its own, and for what a fallible opponent may throw instead. Not found if the search
 * must stop first. Any thread. */
void rink_reply_find(const struct rink_search *search, const struct judged *judged, int sample,
                     struct rink_reply *ret_reply);

#endif
