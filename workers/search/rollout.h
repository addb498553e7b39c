/* Quick play-outs: how an end may go on when both teams play a plain, cheap rule, for the leaves of
 * a tree search.
 *
 * The rule: if an opponent's stone lies nearest to the tee, then with the chance `hit` take it out
 * (full on the nose, with enough weight to run 5 m on; a spin at random, the other one if that way
 * is blocked); in all other cases draw to one of ROLLOUT_PLACES places in and before the house,
 * with either spin, all equally likely. */
#ifndef RINKD_WORKERS_SEARCH_ROLLOUT_H
#define RINKD_WORKERS_SEARCH_ROLLOUT_H

#include "models/game/game.h"
#include "models/ice/profile.h"

#include <stdint.h>

enum { ROLLOUT_PLACES = 7, ROLLOUT_SHOTS_MAX = 2 + 2 * ROLLOUT_PLACES };

struct rollout {
    const struct ice_profile *ice;
    const struct rules *rules;
    double hit;       /* chance of a take-out where there is a reason for one */
    double hit_speed; /* m/s at the stone that is hit */
    struct shot draw[2 * ROLLOUT_PLACES];
    int draws;
};

/* Aims the draws once for all play-outs. `ice` and `rules` are borrowed. */
void rollout_prepare(const struct ice_profile *ice, const struct rules *rules, double hit,
                     struct rollout *ret_rollout);

/* The intended shot of stone `stone`; `bits` are 256 random bits, of which it uses the first two
 * words. */
struct shot rollout_choose(const struct rollout *rollout, const struct position *position,
                           int stone, const uint64_t bits[4]);

/* All shots between which rollout_choose() chooses here, take-outs first; returns how many. */
int rollout_shots(const struct rollout *rollout, const struct position *position, int stone,
                  struct shot ret_shots[ROLLOUT_SHOTS_MAX]);

#endif
