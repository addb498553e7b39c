/* What rule-based players share: the shot stone, a random action, an answer of one shot. */
#ifndef RINKD_WORKERS_SEARCH_RULES_RULE_PLAYER_H
#define RINKD_WORKERS_SEARCH_RULES_RULE_PLAYER_H

#include "workers/search/player/player.h"

/* "No. 1" of the sample programs: the stone nearest to the tee if it touches the house, else -1. Of
 * equal ones the one delivered first. */
int rule_first_stone(const struct game *game);

/* The stone that is delivered next. */
static inline int rule_stone(const struct game *game)
{
    return rules_stone_of_shot(game->rules, game->shot);
}

/* Whether `stone` belongs to the side to move. */
static inline bool rule_is_mine(const struct game *game, int stone)
{
    return seat_of_stone(stone) == seat_of_stone(rule_stone(game));
}

/* A uniformly random one of the playable actions of models/ice/action_grid.h; draw number `sample`
 * of the query's key with RANDOM_CHOICE. */
struct shot rule_random_action(const struct player_query *query, uint64_t sample);

/* A uniform number in (0, 1) of the same key. */
double rule_uniform(const struct player_query *query, uint64_t sample);

/* Answers with this shot as the only candidate, without a value. `stone`: the stone it is played
 * on, -1: none; `target` as in candidates.h. */
void rule_answer(const struct player_query *query, struct shot shot, enum shot_kind kind, int stone,
                 struct vec2 target, struct player_answer *ret_answer);

/* Counts in how many of `runs` noisy throws of the shot `stone` leaves the house. Ignores the free
 * guard zone, as the sample programs do. Uses the normal pairs from number `first` on of the
 * query's key with RANDOM_PLANNING. Returns -1 if the query is cancelled. */
int rule_count_removals(const struct player_query *query, const struct noise *noise,
                        struct shot shot, int stone, int runs, uint64_t first);

#endif
