/* The 960 discretised shots: 32 lines x 10 weights x 3 spins, for players that choose from a fixed
 * list (a uniform choice, a network's policy head) instead of the plane of velocities.
 *
 * Trained networks depend on the layout: never change it, add another grid.
 *
 *   action = (line * 10 + weight) * 3 + spin
 *
 * - line, 0 … 31 from left to right as the thrower sees it: x = (line - 15.5) * 0.125 m, so -1.9375
 *   … 1.9375. A draw or guard comes to rest at that x, a hit crosses the tee line there. 12.5 cm
 *   are 1.8 standard deviations of the error of a hand across.
 * - weight, 0 … 6: comes to rest at the tee line plus -3.0, -2.25, -1.5, -1.0, -0.5, 0, +0.6 m: two
 *   guards, then the house, where half a metre is 1.8 standard deviations of the error along.
 *   7 … 9: hits that would run on 2.5 m and 6 m beyond the tee line, and action_max_speed().
 * - spin, 0: counter-clockwise (bends left), ice->spin. 1: clockwise (bends right). 2: none
 *   (straight). Masked, see action_is_playable(): dc2 and dc3 have two spins, and the hands of dc4
 *   turn no spin into a slow left one, whose mirror image is a different shot. It stays in the
 *   layout so that the head has the 960 outputs of the published method.
 *
 * Every action is a valid throw on every profile; some of the outermost lines leave the sheet. */
#ifndef RINKD_MODELS_ICE_ACTION_GRID_H
#define RINKD_MODELS_ICE_ACTION_GRID_H

#include "models/ice/profile.h"

enum {
    ACTION_LINES = 32,
    ACTION_WEIGHTS = 10,
    ACTION_SPINS = 3,
    ACTIONS = ACTION_LINES * ACTION_WEIGHTS * ACTION_SPINS,
    ACTIONS_PLAYABLE = ACTIONS / ACTION_SPINS * 2
};

enum action_spin { ACTION_SPIN_LEFT, ACTION_SPIN_RIGHT, ACTION_SPIN_NONE };

struct action {
    int line, weight;
    enum action_spin spin;
};

/* Index <-> its three parts. `action` 0 … ACTIONS - 1. */
static inline struct action action_parts(int action)
{
    return (struct action){action / (ACTION_WEIGHTS * ACTION_SPINS),
                           action / ACTION_SPINS % ACTION_WEIGHTS,
                           (enum action_spin)(action % ACTION_SPINS)};
}

static inline int action_of_parts(struct action parts)
{
    return (parts.line * ACTION_WEIGHTS + parts.weight) * ACTION_SPINS + (int)parts.spin;
}

/* Whether the action may be played: all actions with spin. */
static inline bool action_is_playable(int action)
{
    return action % ACTION_SPINS != ACTION_SPIN_NONE;
}

/* The playable action of a rank 0 … ACTIONS_PLAYABLE - 1. */
static inline int action_playable_at(int rank)
{
    return rank / 2 * ACTION_SPINS + rank % 2;
}

/* The action whose shot is the mirror image along the centre line. */
int action_mirror(int action);

/* The fastest release (m/s) that a player should ask for on this ice. FCV1: 4.0, the limit of the
 * official players' hands. dc2: hypot(3.1, 33.3) - 0.2, the full weight of a strong published
 * program (the simulator itself has no limit). */
double action_max_speed(const struct ice_profile *ice);

/* Distance that a stone released at that speed would run, metres. */
double action_max_run_m(const struct ice_profile *ice);

/* The shot of an action. Takes about 1 us; callers in loops use action_table(). */
struct shot action_shot(const struct ice_profile *ice, int action);

/* The shots of all actions, [ACTIONS], for an ice of ice_profile_at(), built by the first call of
 * the process. Thread-safe. Lives as long as the program. */
const struct shot *action_table(const struct ice_profile *ice);

/* The playable action nearest to a shot. It has the spin of the
 * shot (none counts as left). Distance is in standard deviations of a hand's error: the angle as
 * metres across at the tee line / 0.0725, the speed as metres of run (proportional to its square) /
 * 0.29. Of equally near actions, the lower index. `shot` must be finite. */
int action_nearest(const struct ice_profile *ice, const struct shot *shot);

#endif
