/* The luck of a throw: V(after) - E[V(after)], in which V is the value of a position by a network
 * and the expectation runs over the errors of the hand when the same shot is requested.
 *
 * Subtracting it from results takes the luck of the hands out of them (N. Burch, M. Schmid, M.
 * Moravcik and M. Bowling, "AIVAT: a new variance reduction technique for agent evaluation in
 * imperfect information games", 2018). Its mean is 0 whatever V says, as the throws that estimate
 * the expectation have the requested shot, engine and hand of the played one and are independent of
 * it. So a bad network costs accuracy, never truth. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_LUCK_H
#define RINKD_WORKERS_EVALUATE_PLAY_LUCK_H

#include "api/curling/match_record.h"
#include "workers/search/judge/judge.h"

struct luck_setting {
    int throws; /* for each expectation, up to LUCK_THROWS_MAX; 0: luck is not measured */
    struct judge_source value;
};

/* Returns a setting with the value network of the rules' profile, like the player rink. */
struct luck_setting luck_setting_of(const struct rules *rules, int throws);

/* Returns NULL if luck can be measured, or need not be, else a sentence that says why not; it lives
 * as long as the program. */
const char *luck_setting_check(const struct luck_setting *setting);

/* Returns the luck of the throw of `shot` in the situation of the query: its first error for
 * RANDOM_EXECUTION under its key. In the view of the side that throws. */
struct pair_luck luck_of_throw(const struct luck_setting *setting, const struct player_query *query,
                               struct shot shot);

#endif
