/* Aiming: finds the shot with a given outcome. The exact inverse of a throw without noise, for any
 * profile and spin.
 *
 * "Exact" is against the fast engine: a draw comes to rest within 0.01 mm of its target. Against
 * the float32 arithmetic of the official FCV1 simulator it is off by that simulator's own rounding,
 * about 1 mm (up to 7).
 *
 * All places are in the shot frame, metres; speeds in the profile's own m/s; omega in rad/s is the
 * spin to throw with, counter-clockwise positive (ice->spin for an ordinary delivery, 0 for none).
 * On failure nothing is written, except where noted. */
#ifndef RINKD_MODELS_ICE_AIM_H
#define RINKD_MODELS_ICE_AIM_H

#include "models/ice/profile.h"

enum aim_status {
    AIM_OK,
    AIM_BAD_VALUE,    /* a number is not finite, a speed negative, the spin beyond max_omega, the
                       * offset not less than two radii */
    AIM_NO_STONE,     /* the stone to hit is not in play */
    AIM_OUT_OF_PLAY,  /* the place is out of play for a resting stone */
    AIM_BEHIND,       /* the place is not in front of the hack */
    AIM_TOO_FAST,     /* needs more than the profile's max_speed */
    AIM_LEAVES_SHEET, /* the path leaves the sheet before the target */
    AIM_BLOCKED       /* another stone is in the way */
};

/* Draw: the shot that comes to rest at `target` on an empty sheet. Within 1 mm of the target
 * (tests: within 0.01 mm). Errors: BAD_VALUE, OUT_OF_PLAY, BEHIND, TOO_FAST, LEAVES_SHEET. */
enum aim_status aim_draw(const struct ice_profile *ice, struct vec2 target, double omega,
                         struct shot *ret_shot);

/* Through: the shot that passes `place` with `speed` there (0 = aim_draw without the check where a
 * stone may rest). Errors: BAD_VALUE, BEHIND, TOO_FAST. */
enum aim_status aim_pass(const struct ice_profile *ice, struct vec2 place, double speed,
                         double omega, struct shot *ret_shot);

/* Hit: the shot that meets stone `stone` of `position` at `speed`, with its line of motion passing
 * the stone's centre at `offset` metres: 0 = full on the nose, positive = on the right-hand side as
 * the thrower sees it, |offset| < 2 radii. Speed and offset are those at the touch; engines see a
 * contact up to one step later (3 cm at full speed in dc2, 4 mm in FCV1), on the same line. If
 * ret_blocker is not NULL, the path is checked too: AIM_BLOCKED writes the first stone in the way
 * to *ret_blocker, AIM_LEAVES_SHEET means that the stone leaves the sheet before it arrives. If
 * NULL, the other stones are ignored. Errors: BAD_VALUE, NO_STONE, BEHIND, TOO_FAST, LEAVES_SHEET,
 * BLOCKED. */
enum aim_status aim_hit(const struct ice_profile *ice, const struct position *position, int stone,
                        double offset, double speed, double omega, struct shot *ret_shot,
                        int *ret_blocker);

/* The first stone of `position` that a shot touches when thrown without noise; -1 if it touches
 * none before it rests or leaves the sheet. `shot` must be within the profile's limits. */
int aim_first_touched(const struct ice_profile *ice, const struct position *position,
                      const struct shot *shot);

/* The speed (m/s) of a stone that has `metres` of path left to run: the usual way to name a weight
 * ("hack weight" = would stop so many metres behind the stone it hits). 0 for metres <= 0. */
double aim_speed_to_run(const struct ice_profile *ice, double metres);

#endif
