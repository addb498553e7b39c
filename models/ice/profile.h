/* The two laws of motion, their constants, and the order in which their simulators number stones.
 * Differences between kinds of ice are in struct ice_profile, models/tables/profiles.h. */
#ifndef RINKD_MODELS_ICE_PROFILE_H
#define RINKD_MODELS_ICE_PROFILE_H

#include "models/game/position.h"
#include "models/game/shot.h"
#include "models/tables/profiles.h"

#include <stdbool.h>

/* 1 ms in the float32 arithmetic of both references. */
#define ICE_STEP_S ((double)0.001f)
/* The stone radius in the float32 arithmetic of both references. */
#define ICE_STONE_RADIUS ((double)0.145f)

/* Digital Curling 2: dv/dt = -ICE_DC2_DECELERATION, d(heading)/dt = A * deceleration / v. */
#define ICE_DC2_DECELERATION 12.009216 /* m/s^2, in that simulator's fast motion */
#define ICE_DC2_A            ((double)0.066696f)
#define ICE_DC2_SLEEP_STEPS  500 /* a stone falls asleep after 0.5 s at rest */

/* FCV1: a(u) = -(ICE_FCV1_A / (u + ICE_FCV1_B) + ICE_FCV1_C) * ICE_FCV1_G,
 * yaw rate = ICE_FCV1_YAW * u^-0.8 while it spins,
 * d|omega|/dt = -ICE_FCV1_SPIN_LOSS / max(u, ICE_FCV1_SPIN_MIN_SPEED). */
#define ICE_FCV1_A              ((double)0.00200985f)
#define ICE_FCV1_B              ((double)0.06385782f)
#define ICE_FCV1_C              ((double)0.00626286f)
#define ICE_FCV1_G              ((double)9.80665f)
#define ICE_FCV1_YAW            ((double)0.00820f)
#define ICE_FCV1_SPIN_LOSS      ((double)0.025f)
#define ICE_FCV1_SPIN_MIN_SPEED ((double)0.001f)
#define ICE_FCV1_EPSILON        1.1920929e-7 /* speeds and spins below count as none */

/* The reference simulator's number of a stone's body, 0..15; these numbers decide the order of
 * simultaneous contacts. dc2 counts by shot, FCV1 counts team0's eight stones first, then team1's.
 * `team0_has_hammer`: team0 of the JSON threw the odd stones. */
int ice_body_of_stone(const struct ice_profile *ice, bool team0_has_hammer, int stone);
/* Inverse of ice_body_of_stone(). */
int ice_stone_of_body(const struct ice_profile *ice, bool team0_has_hammer, int body);

#endif
