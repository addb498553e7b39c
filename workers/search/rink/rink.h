/* The strong search: noise-integrated sequential halving.
 *
 * 1. Candidates: every geometric shot (candidates.h), and what a policy proposes if there is one.
 * 2. All are judged by noisy throws with the same quasi-random errors (judge.h). The best third
 * goes on and is thrown more often, of these the better half, and so on until eight are left
 * (Karnin, Koren and Somekh, ICML 2013). The budget is divided evenly among the rounds.
 * 3. After each of the first rounds new candidates are made around the best ones, by errors of the
 *    hand of falling size: aim between the geometric shots.
 * 4. In the last shots of an end, where a position's value hangs most on the next shot, and with
 *    enough throws, part of them goes to the opponent's replies: for a few executions of each
 *    finalist the best reply is found by a small search of this kind, and what it changes is added
 *    to the candidate's mean over all executions. The finalists are halved by it.
 * 5. The highest lower confidence bound is played.
 *
 * A time limit is made into throws by several such searches, each planned by the speed of the one
 * before; the last one takes most of the time, and alone it gives the same answer.
 *
 * The opponent is expected to err now and then, as a rule-based player does: against the best play
 * there is a position without the hammer is lost whatever is thrown, and all shots look alike. In
 * dc2 only who throws first expects that: with the hammer it costs more than it brings (rink.md).
 */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_H

#include "workers/search/judge/judge.h"

enum { RINK_PROPOSALS_MAX = 128, RINK_MEASURED_MAX = 64 };

struct rink_settings {
    enum objective_kind objective;
    enum judge_value value;
    const struct end_value *network; /* for JUDGE_BY_NETWORK */
    judge_asked *asked;              /* for JUDGE_BY_ASKING */
    void *asked_context;
    const struct candidate *proposals; /* candidates besides the geometric ones, at most
                                        * RINK_PROPOSALS_MAX; not for replies */
    int proposal_count;
    int64_t simulations; /* where the query has no limit of its own */
    double time_s;       /* likewise; 0 = none */
    int refined;         /* candidates made around each of the best after a round */
    double start_s;      /* when it was asked, by clock_now_s(); 0: when rink_choose() is called */
    double stop_s;       /* by clock_now_s(), for a search that is part of another one: it is broken
                          * off then, and not planned by it; 0: never */
    double caution;      /* standard errors below the mean: the confidence bound */
    double reply_share;  /* of the throws, for finding replies; 0: none */
    int64_t reply_throws; /* of one search for a reply */

    /* An opponent who plays a share of its shots as this player would, and else the best ones;
     * `network` expects that too. NULL: only the best ones. */
    const struct player *fallible;
    double fallible_share;
};

/* Chooses as the player "rink" does; see player.h. */
enum player_status rink_choose(const struct rink_settings *settings,
                               const struct player_query *query, struct player_answer *ret_answer);

/* The end's score after a shot, for the side to move: the mean of `throws` of it, 1 …
 * RINK_MEASURED_MAX, with errors that no choice was made by (RANDOM_EXECUTION of query->key). */
struct score_distribution rink_measure(const struct rink_settings *settings,
                                       const struct player_query *query, struct shot shot,
                                       int throws);

#endif
