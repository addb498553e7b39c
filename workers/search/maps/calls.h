/* Several calls of one position side by side: values and their differences by the same throws,
 * where throws end, and what an error of a given size costs. */
#ifndef RINKD_WORKERS_SEARCH_MAPS_CALLS_H
#define RINKD_WORKERS_SEARCH_MAPS_CALLS_H

#include "workers/search/maps/aims.h"
#include "workers/search/maps/valuation.h"

/* The errors, in standard deviations: -2, -1.5, … 2; positive is to the right, or long. */
#define CALLS_DEVIATION_FIRST (-2.0)
#define CALLS_DEVIATION_STEP  0.5

struct call_value {
    struct valued valued;
    struct vec2 ends[CALL_ENDS]; /* where the first throws come to rest, those that stay in play */
    int ends_count;
    /* The chance of winning where the error of the line, or of the weight, is one of the above and
     * the other one is as the hand makes it. */
    double line[CALL_DEVIATIONS], weight[CALL_DEVIATIONS];
};

/* Values `count` shots, 1 … CALLS_MAX, with the judge of a player of the class `player_rink`;
 * ret_value[0] is what the others are compared with. *ret_simulations: the throws it took.
 * *ret_cancelled: it was cancelled, and the values are not complete. */
enum player_status calls_value(const struct player *player, const struct player_query *query,
                               const struct shot *shots, int count, int throws,
                               struct call_value *ret_value, int64_t *ret_simulations,
                               bool *ret_cancelled);

#endif
