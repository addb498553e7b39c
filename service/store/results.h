/* Results of matches, ratings and exploitability. They come from the `done` lines of jobs, and the
 * commit that ends the job stores them. */
#ifndef RINKD_SERVICE_STORE_RESULTS_H
#define RINKD_SERVICE_STORE_RESULTS_H

#include "service/store/store.h"

/* Keeps the result of an ended job. Kinds "match" and "tournament": a row of `match` for each
 * pairing with at least one pair played; "exploitability": a row of `exploitability`; "rate":
 * replaces the ladder of its games; other kinds: nothing. The JSON has the members of
 * api/jobs/job_results.h, and others, which are ignored. API_BAD_FIELD: it has not. */
enum api_error results_keep(struct store *store, int64_t job, const char *kind,
                            const char *result_json, int64_t now_ms);

/* Games that are rated together. */
struct ladder_games {
    const char *profile;
    int64_t ends, extra_ends;
};

/* Sums over all pairs of games of each pairing, from which the job "rate" makes a ladder:
 * [{"a","b","pairs","half_points":[5]}, …], a < b. Among matches with the same players, noise
 * and seed only the longest counts. */
enum api_error results_pairings(struct store *store, const struct ladder_games *games,
                                json_t **ret_pairings);

/* Deletes ladders of games that no match has any more. */
enum api_error results_tidy_ladders(struct store *store);

struct match_filter {
    const char *profile, *player; /* NULL: all */
    int64_t job;                  /* 0: all */
};
/* {"id","job","profile","ends","extra_ends","a","b","pairs","result":{…as rink-evaluate writes it;
 * of a tournament the element of "pairings"},"at"} */
enum api_error results_match(struct store *store, int64_t id, json_t **ret_match);
enum api_error results_matches(struct store *store, const struct match_filter *filter,
                               struct store_page *page);
/* The ladder of these games, best first: [{"player","elo","low","high","pairs"}], with
 * {"anchor","seat_advantage_elo","at","job"} in *ret_head. Empty array and null without ratings. */
enum api_error results_ratings(struct store *store, const struct ladder_games *games,
                               json_t **ret_head, json_t **ret_items);
/* Newest first: {"id","job","player","profile","sente":MEAN,"gote":MEAN,"sum":MEAN,"ends","at"},
 * with MEAN {"points","standard_error"}. */
enum api_error results_exploitability(struct store *store, const struct match_filter *filter,
                                      struct store_page *page);

#endif
