/* An end of real curling as a responder can play it (end_game.h).
 *
 * It is the first end of a game of the rules' usual length, so that players who play to win the
 * game and those who count points want nearly the same. The noise is that of both teams' hands.
 * Each shot is noise_apply(), throw_fast() and game_play(), free guard zone included. */
#ifndef RINKD_WORKERS_EVALUATE_CURLING_END_H
#define RINKD_WORKERS_EVALUATE_CURLING_END_H

#include "models/ice/noise.h"
#include "workers/evaluate/end_game.h"
#include "workers/search/player.h"

/* States are struct game, actions struct shot. The first actions tried are all geometric shots
 * (candidates.h); where more are wanted they are filled up with random ones of the
 * discretised actions (action_grid.h). */
struct curling_end {
    struct end_game game; /* the first member: a pointer to it is one to the whole */
    const struct rules *rules;
    const struct ice_profile *ice;
    struct noise noise;
};

/* Rules that place stones before the first shot (mixed doubles) cannot be played: false. `rules`
 * and `ice` must outlive the end; the noise passes noise_check(). */
bool curling_end_init(struct curling_end *ret_end, const struct rules *rules,
                      const struct ice_profile *ice, const struct noise *noise);

/* A player (player.h) in such an end. It thinks on one thread, within the limits. A concession is
 * not accepted: the shot that comes with it is thrown. A move that it broke off is no choice. */
struct curling_end_player {
    struct end_policy policy; /* the first member: a pointer to it is one to the whole */
    struct player player;
    struct player_limits limits;
    const atomic_bool *cancel;
};

/* `cancel` is passed on to the player and may be NULL. */
struct curling_end_player curling_end_player(const struct player *player,
                                             const struct player_limits *limits,
                                             const atomic_bool *cancel);

#endif
