/* Ice profiles: every physical constant of the three kinds of ice, in one table.
 *
 * A profile is what "dc2", "dc3" or "dc4" means for the ice (the rules of the game under the same
 * names are in models/game/rules.h). Two laws of motion exist:
 *   ICE_DC2   Digital Curling 2, the physics of the research papers (GAT 2015-2018): constant
 *             deceleration, the heading turns by A ln(v0/v), velocities about ten times real.
 *   ICE_FCV1  the "FCV1" simulator of Digital Curling 3 and 4, today's competitions.
 * Both are defined on a grid of 1 ms steps: the step is part of their definition. */
#ifndef RINKD_MODELS_ICE_PROFILE_H
#define RINKD_MODELS_ICE_PROFILE_H

#include "models/game/position.h"
#include "models/game/shot.h"

#include <stdbool.h>

enum ice_law { ICE_DC2, ICE_FCV1 };

/* When a stone beyond a line leaves the game. */
enum ice_removal {
    ICE_REMOVE_NEVER,
    ICE_REMOVE_MOVING, /* at the first step at which it is beyond the line */
    ICE_REMOVE_AT_REST /* when all stones have stopped */
};

/* Which stones must have crossed the hog line when all have stopped. */
enum ice_hog {
    ICE_HOG_ALL_STONES,         /* dc3: any stone short of it is taken off */
    ICE_HOG_DELIVERED,          /* dc2: the delivered stone; the others go before the next throw */
    ICE_HOG_DELIVERED_UNTOUCHED /* dc4: the delivered stone, unless it touched another */
};

/* How a player's hand errs; see noise.h. */
enum ice_noise {
    ICE_NOISE_NONE,
    ICE_NOISE_GAT,         /* gaussian about the target of a draw to the tee (dc2) */
    ICE_NOISE_NORMAL_DIST, /* gaussian in speed and in angle (dc3, dc4) */
    ICE_NOISE_COVARIANCE   /* gaussian in velocity space, any covariance */
};

struct ice_profile {
    const char *name;
    enum ice_law law;
    const char *about;

    struct vec2 hack; /* where a delivered stone starts, shot frame, metres */
    double max_speed; /* m/s: largest speed of a shot that the engines accept */
    double max_omega; /* rad/s: largest |omega| of a shot that the engines accept */
    double spin;      /* rad/s: |omega| of an ordinary delivery */

    /* A stone's centre beyond these is out of play. */
    double side_x; /* out when |x| >= side_x, at any moment */
    double back_y; /* out when y >= back_y; `back` says when */
    enum ice_removal back;
    double hog_y; /* short when y <= hog_y */
    enum ice_hog hog;

    /* Contacts, resolved in the manner of Box2D 2.4. */
    double contact_friction;      /* Coulomb coefficient between two stones */
    double restitution_threshold; /* m/s: slower approaches do not bounce at all */
    int velocity_iterations;
    int position_iterations;

    enum ice_noise noise; /* the profile's own execution noise */
    /* rad/s: the range into which the official players bring |omega| of a shot; see noise.h */
    double player_min_omega, player_max_omega;
};

/* The profile called `name`: "dc2", "dc3", "dc4", or "fcv1" for dc3. NULL if there is none. */
const struct ice_profile *ice_profile_find(const char *name);

/* The profiles one after the other: index 0, 1, …; NULL past the end. */
const struct ice_profile *ice_profile_at(int index);

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

/* The order in which the reference simulator numbers its bodies, which decides the order in which
 * it resolves simultaneous contacts: stone -> 0..15. dc2 counts by shot, FCV1 team0's eight stones
 * first and then team1's. `team0_has_hammer` says which team of the JSON threw the odd stones. */
int ice_body_of_stone(const struct ice_profile *ice, bool team0_has_hammer, int stone);
/* … and back. */
int ice_stone_of_body(const struct ice_profile *ice, bool team0_has_hammer, int body);

#endif
