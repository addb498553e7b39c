/* The strong search: noise-integrated sequential halving.
 *
 * 1. Candidates: every geometric shot (candidate.h), and the proposals of a policy if there is one.
 * 2. Noisy throws with the same quasi-random errors judge all candidates (judge.h). The better
 *    half goes on and is thrown more often, then the better half of these, and so on until eight
 *    are left (Karnin, Koren and Somekh, ICML 2013). The rounds share the budget evenly. With fewer
 *    than 16 throws for each candidate, two throws decide which third goes on at first.
 * 3. After each of the first rounds new candidates are added around the best ones, at errors of the
 *    hand of falling size. They aim between the geometric shots.
 * 4. In the last shots of an end, where the value of a position depends most on the next shot,
 *    part of the throws goes to the opponent's replies, if there are enough. For a few executions
 *    of each finalist a small search of this kind finds the best reply; the change it makes is
 *    added to the candidate's mean over all executions. These means halve the finalists.
 * 5. The candidate with the highest lower confidence bound is played.
 *
 * Under a time limit several such searches run, each planned by the speed of the one before. The
 * last one takes most of the time; run alone, it gives the same answer.
 *
 * The opponent is expected to err as often as its throws so far tell (style/opponent.h): against
 * perfect play a position without the hammer is lost after any shot, and all shots look alike. In
 * dc2 only the side that throws first expects mistakes: with the hammer that costs more than it
 * gains (rink.md). An opponent that throws like a known player is met with a best response to that
 * one, where it is shipped; and the chances of winning that are told are those that such a player
 * leaves (win_table.h). */
#ifndef RINKD_WORKERS_SEARCH_RINK_RINK_H
#define RINKD_WORKERS_SEARCH_RINK_RINK_H

#include "workers/search/judge/judge.h"
#include "workers/search/player/win_table.h"

enum { RINK_PROPOSALS_MAX = 128 };

struct rink_settings {
    enum objective_kind objective;
    struct judge_source value;
    const struct candidate *proposals; /* candidates besides the geometric ones, at most
                                        * RINK_PROPOSALS_MAX; not for replies */
    int proposal_count;
    int64_t simulations;  /* used for a query without limits */
    int64_t bound;        /* of simulations for a query with a limit of time; 0: none */
    double time_s;        /* the most of a query that names no simulations; 0: none */
    int refined;          /* new candidates around each of the best after a round */
    double start_s;       /* when the query arrived, clock_now_s(); 0: now */
    double stop_s;        /* ends a search that is part of another, clock_now_s(); 0: never */
    double caution;       /* the confidence bound lies this many standard errors below the mean */
    double reply_share;   /* of the throws, for finding replies; 0: none */
    int64_t reply_throws; /* of one search for a reply */

    /* The opponent plays a share of its shots like this player and the others perfectly; the
     * network expects that, too. NULL: the opponent plays all shots perfectly. */
    const struct player *fallible;
    double fallible_share;
};

/* Chooses a shot like the player "rink"; see player.h. */
enum player_status rink_choose(const struct rink_settings *settings,
                               const struct player_query *query, struct player_answer *ret_answer);

extern const struct player_class player_rink;

/* What the player "rink" with its settings thinks with at a position: for other questions to the
 * same judge. */
struct rink_opened {
    struct rink_settings settings;
    const struct player *player; /* borrowed */
    struct player fallible;      /* the opponent that settings.fallible points to */
    struct win_mix against;      /* settings.value.opponent */
    struct policy *policy;       /* of settings.proposals and settings.value; NULL: none */
    struct candidate proposals[RINK_PROPOSALS_MAX];
    atomic_bool failed; /* the policy could not value a position */
};

/* Opens a player of the class `player_rink` for the position of a query. Call rink_close() in any
 * case; *ret_opened must not be moved before. PLAYER_FAILED: its network or its policy cannot be
 * used. */
enum player_status rink_open(const struct player *player, const struct player_query *query,
                             struct rink_opened *ret_opened);
/* False: a value was wrong, as the policy failed meanwhile. */
bool rink_close(struct rink_opened *opened);

enum { RINK_MEASURED_MAX = 64 };

/* Returns the distribution of the end's score after a shot, for the side to move: the mean over
 * `throws` throws, 1 … RINK_MEASURED_MAX. Their errors (RANDOM_EXECUTION of query->key) have
 * influenced no choice. */
struct score_distribution rink_measure(const struct rink_settings *settings,
                                       const struct player_query *query, struct shot shot,
                                       int throws);

#endif
