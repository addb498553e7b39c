/* The state of one strong search (rink.h), and how its threads throw: shared by the files of this
 * folder, for nobody else. Each file calls only those below it:
 *
 *   rink.c            the limits of a query become plans of throws, these become the answer
 *   rink_finalists.c  the last eight candidates, judged by the opponent's replies
 *   rink_reply.c      one reply, found by a small search
 *   rink_halving.c    candidates and rounds
 *   rink_answer.c     ranking, reports, the answer
 *   rink_search.c     state and threads */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_SEARCH_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_SEARCH_H

#include "api/clock.h"
#include "workers/pool.h"
#include "workers/search/rink/rink.h"

enum {
    RINK_POOL_MAX = 768,        /* candidates at one time */
    RINK_SAMPLES_MAX = 1 << 16, /* noisy throws of one candidate */
    RINK_FINALISTS = 8,         /* candidates in the last round */
    RINK_THROWS_AT_A_TIME = 64  /* between looks at the clock: far below a millisecond */
};

struct rink_search {
    const struct rink_settings *settings;
    const struct player_query *query;
    struct judge judge;
    struct judged *pool, *ranked; /* [RINK_POOL_MAX]; rink_answer.h swaps them to sort */
    struct normal_pair *errors;   /* [RINK_SAMPLES_MAX] */
    int count;                    /* candidates in `pool` */
    struct pool *threads;
    int errors_made;
    struct random_key key;

    int64_t used;                         /* throws of the running search */
    int64_t used_before;                  /* throws of earlier searches for the same query */
    int64_t reply_cost;                   /* throws for one reply, rink_reply_cost() */
    const struct player_answer *standing; /* answer of an earlier search; NULL: none */
    int64_t standing_closeness;           /* rink_answer_closeness() of its best candidate */
    double start_s;                       /* of the first search, clock_now_s() */
    double deadline_s;                    /* by clock_now_s(), 0: none */
    double reported_s;                    /* last report, since the start */
    bool stopped;                         /* cancelled, or past the deadline */
    bool is_full;    /* the last search could not use all its throws: RINK_SAMPLES_MAX */
    int until, step; /* samples: goal of each candidate, and the most to add in one piece */
};

/* Prepares a search; rink_search_free() in any case. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status rink_search_start(const struct rink_settings *settings,
                                     const struct player_query *query,
                                     struct rink_search *ret_search);
void rink_search_free(struct rink_search *search);

/* The judge of the next shot of `query`. `errors` is borrowed. */
struct judge rink_search_judge(const struct rink_settings *settings,
                               const struct player_query *query, const struct normal_pair *errors);

/* Whether a search must end at once: cancelled, or past `deadline_s` (clock_now_s(); 0: none). */
static inline bool rink_is_over(const struct player_query *query, double deadline_s)
{
    return player_is_cancelled(query) || (deadline_s > 0.0 && clock_now_s() >= deadline_s);
}

static inline bool rink_search_must_stop(const struct rink_search *search)
{
    return rink_is_over(search->query, search->deadline_s);
}

/* Seconds since the first search for the query began. */
static inline double rink_search_elapsed_s(const struct rink_search *search)
{
    return clock_now_s() - search->start_s;
}

/* Runs `count` tasks of `throws` simulated throws together on all threads, or on this one if they
 * are few; then notes whether the search must stop. */
void rink_search_run(struct rink_search *search, int count, pool_task *task, void *context,
                     int64_t throws);

/* The size of the next piece of a round: pieces end often enough for reports to be on time. `size`
 * is the last piece, which took `took_s` (0: there was none). Without reports always `most`. The
 * result of a search does not depend on it. */
int rink_search_next_size(const struct rink_search *search, int size, double took_s, int least,
                          int most);

/* --- rink_answer.c --- */

/* Sorts the first `some` candidates of the pool, best first; the others stay behind them. Equal
 * candidates keep their order, so that the order is the same everywhere. */
void rink_answer_rank(struct rink_search *search, int some);

/* How closely a candidate was judged, in throws. */
int64_t rink_answer_closeness(const struct rink_search *search, const struct judged *judged);

/* Reports the best answer so far if a report is due. `is_ranked` tells whether the pool is sorted.
 * An earlier search's answer stays the best until this search has judged as closely. */
void rink_answer_report(struct rink_search *search, bool is_ranked);

/* Writes the answer of the sorted candidates. `plan`: the throws that give the same answer again,
 * 0: none do. */
void rink_answer_fill(const struct rink_search *search, const struct judged *ranked, int64_t plan,
                      struct player_answer *ret_answer);

/* --- rink_halving.c --- */

/* Makes the candidates of a search that will use `plan` throws, throws each a few times and ranks
 * them. A plan that is too small for all of them keeps the first ones. */
void rink_halving_begin(struct rink_search *search, int64_t plan);

/* Continues until `budget` throws in all are used, those of rink_halving_begin() included. The pool
 * is then sorted and begins with the finalists, which all have the same number of samples. */
void rink_halving_finish(struct rink_search *search, int64_t budget);

/* --- rink_reply.c --- */

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

/* --- rink_finalists.c --- */

/* How many of `plan` throws look for replies: 0 where it is too early or too late in the end, or
 * where there would be too few replies to tell anything. */
int64_t rink_finalists_budget(const struct rink_search *search, int64_t plan);

/* The smallest plan with replies; there must be one that has some. */
int64_t rink_finalists_least_plan(const struct rink_search *search);

/* Halves the finalists twice more by the replies to a few executions of each, for `budget` throws.
 * Sorts the pool. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status rink_finalists_judge(struct rink_search *search, int64_t budget);

#endif
