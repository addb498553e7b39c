/* What a player has found, as the JSON of shot_answer_json(). */
#ifndef RINKD_WORKERS_SEARCH_QUERY_ANSWER_H
#define RINKD_WORKERS_SEARCH_QUERY_ANSWER_H

#include "workers/search/query.h"

/* How far a query has come. */
struct query_course {
    bool is_final;
    const char *stopped; /* "cancel", "timeout"; NULL: the player used its limits */
    double waited_s;     /* between the query's arrival and its turn */
};

/* The answer to a good query. The caller owns it; NULL: out of memory. */
json_t *query_answer_json(const struct query *query, const struct player_answer *said,
                          const struct query_course *course);

#endif
