/* The strong search: noise-integrated sequential halving.
 *
 * 1. Candidates: every geometric shot (candidates.h).
 * 2. All are judged by noisy throws with the same quasi-random errors (judge.h); the better half
 * goes on and is thrown as often again and more, until eight are left (sequential halving: Karnin,
 *    Koren and Somekh, ICML 2013). The budget is divided evenly among the rounds.
 * 3. After each of the first rounds new candidates are made around the best ones, by errors of the
 *    hand of falling size: aim between the geometric shots.
 * 4. The highest lower confidence bound is played. */
#ifndef RINKD_WORKERS_SEARCH_RINK_H
#define RINKD_WORKERS_SEARCH_RINK_H

#include "workers/search/judge.h"

struct rink_settings {
    enum objective_kind objective;
    enum judge_value value;
    const struct end_value *network; /* for JUDGE_BY_NETWORK */
    int64_t simulations;             /* where the query has no limit of its own */
    double time_s;                   /* likewise; 0 = none */
    int refined;                     /* candidates made around each of the best after a round */
    double caution;                  /* standard errors below the mean: the confidence bound */
};

/* Chooses as the player "rink" does; see player.h. */
enum player_status rink_choose(const struct rink_settings *settings,
                               const struct player_query *query, struct player_answer *ret_answer);

#endif
