/* Parts shared by rule-based players: the shot stone, a random action, an answer of one shot. */
#ifndef RINKD_WORKERS_SEARCH_RULES_RULE_PLAYER_H
#define RINKD_WORKERS_SEARCH_RULES_RULE_PLAYER_H

#include "workers/search/player/player.h"

/* Returns "No. 1" of the sample programs: the stone nearest to the tee (with `opponent_only` the
 * opponent's nearest) if it touches the house, else -1. Of equally near stones the one delivered
 * first. */
int rule_first_stone(const struct game *game, bool opponent_only);

/* True if `stone` belongs to the side to move. */
static inline bool rule_is_mine(const struct game *game, int stone)
{
    return seat_of_stone(stone) == game_next_seat(game);
}

/* Returns one of the playable actions of models/ice/action_grid.h, all equally likely: draw number
 * `sample` of the query's key with RANDOM_CHOICE. */
struct shot rule_random_action(const struct player_query *query, uint64_t sample);

/* Returns a uniform number in (0, 1) of the same key. */
double rule_uniform(const struct player_query *query, uint64_t sample);

/* Answers with this shot as the only candidate, without a value. */
void rule_answer(const struct player_query *query, struct candidate candidate,
                 struct player_answer *ret_answer);

/* A sample program. No stone in the house: draw to the tee, counter-clockwise. No. 1 is its own:
 * guard it from 2 m in front. Else hit it, with the spin that puts it out of the house more often
 * in `trials` imagined throws each. Equal counts, or too few simulations for both spins, give
 * counter-clockwise. The free guard zone is ignored. */
struct rule_sample {
    /* Returns the shot that comes to rest at the target, or that hits a stone there; `omega` is
     * +-ice->spin. */
    struct shot (*aim)(const struct ice_profile *ice, struct vec2 target, bool is_hit,
                       double omega);
    bool (*guards_clockwise)(struct vec2 first); /* `first`: where No. 1 lies */
    const struct noise *noise;                   /* of the imagined throws */
    int trials;                                  /* 0: always counter-clockwise */
};

void rule_sample_choose(const struct player_query *query, const struct rule_sample *sample,
                        struct player_answer *ret_answer);

#endif
