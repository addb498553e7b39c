/* Quick play-outs for the leaves of a tree search: both teams follow a plain, cheap rule.
 *
 * The rule; the first match decides:
 *   1. If an own stone lies nearest to the tee and this is not the last shot of the end, then with
 *      probability `guard` draw to 2 m in front of it.
 *   2. If an opponent's stone is in the house, then with probability `hit` take out the one nearest
 *      to the tee: full on the nose, with enough weight to run 5 m on; with a random spin, or the
 *      other one if that path is blocked.
 *   3. Else, or where both paths are blocked, draw to one of ROLLOUT_PLACES places of the house.
 * All spins and places are equally likely.
 *
 * Aiming uses a table: friction does not depend on the heading, so turning a throw turns its whole
 * path, and the throw to a place is the throw straight ahead to the same distance, turned. Between
 * the table's distances the error is millimetres, far less than that of any hand. */
#ifndef RINKD_WORKERS_SEARCH_JUDGE_ROLLOUT_H
#define RINKD_WORKERS_SEARCH_JUDGE_ROLLOUT_H

#include "models/game/game.h"
#include "models/ice/profile.h"

#include <stdint.h>

enum {
    ROLLOUT_PLACES = 5,
    ROLLOUT_GUARDS = 2, /* places in front of the house */
    ROLLOUT_SHOTS_MAX = 2 * (1 + ROLLOUT_PLACES + ROLLOUT_GUARDS + 1),
    ROLLOUT_NODES = 17
};

/* Throws with the positive spin to places straight ahead: ROLLOUT_NODES distances from the hack,
 * `spacing` metres apart, the first one `nearest`. */
struct rollout_aim {
    double nearest, spacing;
    struct vec2 velocity[ROLLOUT_NODES], heading[ROLLOUT_NODES]; /* heading: on arrival */
};

struct rollout {
    const struct ice_profile *ice;
    const struct rules *rules;
    double hit, guard;         /* probabilities, where the rule applies */
    struct rollout_aim draw;   /* throws that come to rest at a place */
    struct rollout_aim strike; /* throws that hit a stone there */
};

/* Computes the tables for all play-outs. `ice` and `rules` are borrowed. */
void rollout_prepare(const struct ice_profile *ice, const struct rules *rules, double hit,
                     double guard, struct rollout *ret_rollout);

/* Returns the intended shot number `shot` of the end; `bits` are 256 random bits. */
struct shot rollout_choose(const struct rollout *rollout, const struct position *position, int shot,
                           const uint64_t bits[4]);

/* Writes the first shots of a reply, with both spins: the take-out of rule 2 if its path is open,
 * the draws of rule 3, and, except for the last shot of the end, guards on the centre line and of
 * the own stone nearest to the tee. Returns how many. */
int rollout_shots(const struct rollout *rollout, const struct position *position, int shot,
                  struct shot ret_shots[ROLLOUT_SHOTS_MAX]);

#endif
