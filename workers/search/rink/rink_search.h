/* The state of one strong search (rink.h), and how its threads throw: shared by the files of this
 * folder, for nobody else. Each file calls only those below it:
 *
 *   rink.c            the limits of a query become plans of throws, these become the answer
 *   rink_time.c       how many throws fit into a time limit
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

#endif
