/* Shots valued by the judge of the player "rink": by throws with errors of the hand, and by the one
 * without. Maps and comparisons of calls are made of it. */
#ifndef RINKD_WORKERS_SEARCH_MAPS_VALUATION_H
#define RINKD_WORKERS_SEARCH_MAPS_VALUATION_H

#include "workers/search/rink/appraise.h"
#include "workers/search/rink/rink.h"

/* The judge at a position; must not be moved. */
struct valuation {
    const struct player_query *query;
    struct rink_opened opened;
    struct judge judge, exact; /* without errors yet; of the hand that makes none */
    struct pool *threads;
    int64_t throws; /* so far */
};

/* A shot with its value. Values are those of the side to move. */
struct valued {
    struct candidate candidate;
    struct appraised appraised;
    double exact_win, exact_points; /* of the throw without an error */
    enum shot_kind kind;            /* of what that throw does */
};

/* Opens the judge of a player of the class `player_rink`; close it in any case. */
enum player_status valuation_open(struct valuation *valuation, const struct player *player,
                                  const struct player_query *query);
/* Returns PLAYER_FAILED where a value was wrong, otherwise `status`. */
enum player_status valuation_close(struct valuation *valuation, enum player_status status);

/* Makes `count` errors of the hand for a purpose; the caller frees them. NULL: memory is short. */
struct normal_pair *valuation_errors(const struct valuation *valuation, uint32_t purpose,
                                     int count);

/* Values the candidates of a list by the same `throws` throws with these errors. False: memory is
 * short, or the query was cancelled. */
bool valuation_appraise(struct valuation *valuation, const struct normal_pair *errors, int throws,
                        struct valued *list, int count);

/* Returns the distribution of scores after the throw without an error. */
struct score_distribution valuation_exact(const struct valuation *valuation, struct shot shot);

#endif
