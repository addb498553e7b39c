/* The state of one strong search (rink.h), and the way its threads throw. Private to this folder.
 * Each file calls only those below it:
 *
 *   rink.c            turns the limits of a query into plans of throws, and these into the answer
 *   rink_kinds.c      the best shot of each kind
 *   rink_finalists.c  judges the last eight candidates by the opponent's replies
 *   rink_reply.c      finds one reply by a small search
 *   rink_halving.c    candidates and rounds
 *   rink_answer.c     ranking, reports, the answer
 *   rink_search.c     state and threads */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_SEARCH_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_SEARCH_H

#include "api/base/clock.h"
#include "workers/pool.h"
#include "workers/search/rink/rink.h"

enum {
    RINK_POOL_MAX = 768,        /* candidates at one time */
    RINK_SAMPLES_MAX = 1 << 16, /* noisy throws of one candidate */
    RINK_FINALISTS = 8,         /* candidates in the last round */
    RINK_THROWS_AT_A_TIME = 64  /* between checks of the clock: far below a millisecond */
};

struct rink_search {
    const struct rink_settings *settings;
    const struct player_query *query;
    struct judge judge;
    struct judged *pool, *ranked; /* [RINK_POOL_MAX]; rink_answer.c swaps them to sort */
    struct normal_pair *errors;   /* [RINK_SAMPLES_MAX] */
    int count;                    /* candidates in `pool` */
    struct pool *threads;
    int errors_made;
    struct random_key key;
    bool is_wide; /* many throws for each candidate (rink_halving.c) */

    int64_t used;                         /* throws of the running search */
    int64_t used_before;                  /* throws of earlier searches for the same query */
    int64_t reply_cost;                   /* throws for one reply, rink_reply_cost() */
    const struct player_answer *standing; /* answer of an earlier search; NULL: none */
    int64_t standing_closeness;           /* rink_answer_closeness() of its best candidate */
    double start_s;                       /* of the first search, clock_now_s() */
    double deadline_s;                    /* by clock_now_s(), 0: none */
    double reported_s;                    /* last report, since the start */
    bool stopped;                         /* cancelled, or past the deadline */
    bool is_full;    /* the last search hit RINK_SAMPLES_MAX before it used all its throws */
    int until, step; /* samples: the goal of each candidate, and the most to add in one piece */
};

/* Prepares a search; call rink_search_free() even on failure. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status rink_search_start(const struct rink_settings *settings,
                                     const struct player_query *query,
                                     struct rink_search *ret_search);
void rink_search_free(struct rink_search *search);

/* True if a search must end at once: cancelled, or past `deadline_s` (clock_now_s(); 0: none). */
static inline bool rink_is_over(const struct player_query *query, double deadline_s)
{
    return player_is_cancelled(query) || (deadline_s > 0.0 && clock_now_s() >= deadline_s);
}

static inline bool rink_search_must_stop(const struct rink_search *search)
{
    return rink_is_over(search->query, search->deadline_s);
}

/* Returns the seconds since the first search for the query began. */
static inline double rink_search_elapsed_s(const struct rink_search *search)
{
    return clock_now_s() - search->start_s;
}

/* Runs `count` tasks, which simulate `throws` throws together, on all threads, or on this one if
 * the throws are few. Then notes whether the search must stop. */
void rink_search_run(struct rink_search *search, int count, pool_task *task, void *context,
                     int64_t throws);

/* Returns the size of the next piece of a round; pieces end often enough for reports to be on time.
 * `size` is the last piece, which took `took_s` (0: there was none). Always `most` without reports.
 * Does not influence the result of a search. */
int rink_search_next_size(const struct rink_search *search, int size, double took_s, int least,
                          int most);

/* --- rink_answer.c --- */

/* Sorts the first `some` candidates of the pool, best first; the others stay behind them. Equal
 * candidates keep their order, so that the order is the same everywhere. */
void rink_answer_rank(struct rink_search *search, int some);

/* Puts the safest of equally good candidates of a ranked pool first: of those that were judged as
 * closely as the best one, and whose mean does not differ from its, the one that succeeds most
 * often. */
void rink_answer_prefer_safe(struct rink_search *search);

/* Returns how closely a candidate was judged, in throws. */
int64_t rink_answer_closeness(const struct rink_search *search, const struct judged *judged);

/* Reports the best answer so far if a report is due. `is_ranked`: the pool is sorted. An earlier
 * search's answer stays the best until this search has judged as closely. */
void rink_answer_report(struct rink_search *search, bool is_ranked);

/* Writes the answer from the sorted candidates. `plan` is the number of throws that reproduces the
 * answer; 0: none does. */
void rink_answer_fill(const struct rink_search *search, const struct judged *ranked, int64_t plan,
                      struct player_answer *ret_answer);

/* --- rink_halving.c --- */

/* Makes the candidates of a search that will use `plan` throws, throws each a few times and ranks
 * them. If the plan is too small for all of them, only the first ones are kept. */
void rink_halving_begin(struct rink_search *search, int64_t plan);

/* Continues until `budget` throws are used in total, those of rink_halving_begin() included. Then
 * the pool is sorted and begins with the finalists, which all have the same number of samples. */
void rink_halving_finish(struct rink_search *search, int64_t budget);

/* --- rink_reply.c --- */

/* The worth of one execution of a shot after the reply to it, minus its worth before: by score of
 * the end, for the side to move. */
struct rink_reply {
    double more[OBJECTIVE_SCORES];
    bool found;
    int64_t throws; /* used by the search for the reply, even if it found none */
};

/* Returns the most throws that one reply takes. */
int64_t rink_reply_cost(const struct rink_settings *settings);

/* Finds the best reply to execution number `sample` of a candidate, by a small search that ignores
 * further replies, and the shot of a fallible opponent in its place. Not found if the search must
 * stop first. Any thread. */
void rink_reply_find(const struct rink_search *search, const struct judged *judged, int sample,
                     struct rink_reply *ret_reply);

/* --- rink_kinds.c --- */

/* Returns how many of `plan` throws compare the best shots of each kind; 0: the query does not want
 * that, or the plan is too small. */
int64_t rink_kinds_budget(const struct rink_search *search, int64_t plan);

/* Replaces the candidates of an answer behind the played shot by the best one of each other kind,
 * with its difference to the played one, by at most `budget` throws. False: the query was
 * cancelled, or memory is short; the candidates are then as they were. */
bool rink_kinds_answer(struct rink_search *search, int64_t budget, struct player_answer *answer);

/* --- rink_finalists.c --- */

/* Returns how many of `plan` throws look for replies. 0 where it is too early or too late in the
 * end, or where the replies would be too few to be useful. */
int64_t rink_finalists_budget(const struct rink_search *search, int64_t plan);

/* Returns the smallest plan with replies; one must exist. */
int64_t rink_finalists_least_plan(const struct rink_search *search);

/* Halves the finalists twice more, by the replies to a few executions of each, with `budget`
 * throws. Sorts the pool. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status rink_finalists_judge(struct rink_search *search, int64_t budget);

#endif
