/* The errors of the hand (execution noise): intended shot -> shot that leaves the hand.
 *
 * The randomness comes in as one standard normal pair a throw, pseudo-random (random.h) or
 * quasi-random (quasi.h). In every kind z0 is the error across and z1 the error along the shot:
 * z0 > 0 errs to the right, z1 > 0 errs long. So the mirror image of a shot with -z0 errs to the
 * mirror image, and one set of pairs serves all profiles. Velocities are in the shot frame. */
#ifndef RINKD_MODELS_ICE_NOISE_H
#define RINKD_MODELS_ICE_NOISE_H

#include "models/ice/normal.h"
#include "models/ice/profile.h"

#include <stdbool.h>

/* Covariance of an error in velocity: symmetric, (m/s)^2, x across and y along the sheet. */
struct noise_covariance {
    double xx, xy, yy;
};

/* One kind of noise and its settings (models/tables/noise_kinds.h); settings of other kinds are
 * ignored. The limits of ICE_NOISE_NORMAL_DIST apply to the intended shot, before the noise; if the
 * least |omega| is not 0, no spin becomes that much to the left, as on the Digital Curling 4
 * server. */
struct noise {
    enum ice_noise kind;
    union {
        struct noise_settings settings;
        struct {
            NOISE_SETTINGS(NOISE_MEMBER)
        };
    };
    struct noise_covariance covariance; /* ICE_NOISE_COVARIANCE */
};

/* Statuses and their sentences. */
#define NOISE_STATUSES(X)                                                                         \
    X(NOISE_OK, "ok")                                                                             \
    X(NOISE_BAD_KIND, "kind: there is no such kind of noise")                                     \
    X(NOISE_BAD_GAT_STDDEV_X, "gat_stddev_x: has to be a finite number of metres, not negative")  \
    X(NOISE_BAD_GAT_STDDEV_Y, "gat_stddev_y: has to be a finite number of metres, not negative")  \
    X(NOISE_BAD_STDDEV_SPEED, "stddev_speed: has to be a finite number of m/s, not negative")     \
    X(NOISE_BAD_STDDEV_ANGLE, "stddev_angle: has to be a finite number of radians, not negative") \
    X(NOISE_BAD_MAX_SPEED, "max_speed: has to be a number of m/s, not negative")                  \
    X(NOISE_BAD_OMEGA_RANGE, "omega range: has to be 0 <= minimum <= maximum, in rad/s")          \
    X(NOISE_BAD_DEGREES_OF_FREEDOM, "degrees_of_freedom: has to be at least 2.5")                 \
    X(NOISE_BAD_HIT_FACTOR, "hit_factor: has to be from 0.1 to 10")                               \
    X(NOISE_BAD_RELEASE, "release: has to be from -3 to 3 deviations")                            \
    X(NOISE_BAD_STDDEV_SPIN, "stddev_spin: has to be from 0 to 1, a share of the rate of turn")   \
    X(NOISE_BAD_COVARIANCE, "covariance: has to be finite and positive semi-definite")
enum noise_status {
#define X(name, text) name,
    NOISE_STATUSES(X)
#undef X
};

/* Both standard deviations of the older rule of the GAT tournaments, one stone radius. */
#define NOISE_GAT_OLD_STDDEV_M 0.145

/* Settings of that kind of the official players of this ice; change fields afterwards as needed.
 * noise_default(ice, ice->noise) is the profile's own noise; the covariance starts as 0. */
struct noise noise_default(const struct ice_profile *ice, enum ice_noise kind);

/* The ice's own noise, overridden by the settings in `asked` that are not NAN. May fail
 * noise_check(). */
struct noise noise_asked(const struct ice_profile *ice, const struct noise_settings *asked);

/* Whether the settings of the noise's kind make sense: deviations finite and >= 0, limits >= 0 and
 * in order (infinity = no limit), the covariance finite and positive semi-definite. Names the first
 * bad field. The functions below take only noise that passes. */
enum noise_status noise_check(const struct noise *noise);

/* Whether the noise has settings of people that change it. */
bool noise_is_of_people(const struct noise *noise);

/* A few words for each status, starting with the field's name. */
const char *noise_status_text(enum noise_status status);

/* The shot that leaves the hand when `shot` is intended.
 *
 *   ICE_NOISE_NONE         the shot itself
 *   ICE_NOISE_GAT          v + D(tee) - D(tee + e), e = (gat_stddev_x z0, gat_stddev_y z1) in the
 *                          frame of Digital Curling 2, D = noise_gat_draw() for the shot's spin:
 *                          an error in velocity that does not depend on the speed of the shot
 *   ICE_NOISE_NORMAL_DIST  the limits, then speed + stddev_speed z1 and the heading turned
 *                          clockwise by stddev_angle z0
 *   ICE_NOISE_COVARIANCE   v + L z, L the lower Cholesky factor of the covariance
 *
 * With settings of people the pair z and the spin change first, for the two kinds of official
 * players:
 *
 *   degrees_of_freedom n   z times sqrt(n (exp(|z|^2 / n) - 1)) / |z|: by this z becomes a pair of
 *                          Student's t with n degrees of freedom and one common denominator. A
 *                          throw that is bad in weight is likely to be bad in line. At most
 *                          NOISE_DEVIATIONS_MOST
 *   hit_factor h           both times 1 + (h - 1) noise_weight()
 *   release r              z0 - r sign(omega): the side to which the stone curls, by r deviations
 *   stddev_spin s          normal_dist alone: omega times 1 + s z2, at least 0.05 and within the
 *                          ice's limit; z2 is standard normal and a hash of |z0| and z1
 *
 * The pair (0, 0), which random numbers never are, is no error with these settings, too.
 *
 * Noise does not make a shot invalid: a negative speed becomes 0, and a noisy speed beyond
 * ice->max_speed is cut to it. A shot that is too fast without the noise (with
 * ICE_NOISE_NORMAL_DIST: after its limits) or not finite stays invalid, for throw_check() to
 * refuse. */
struct shot noise_apply(const struct noise *noise, const struct ice_profile *ice, struct shot shot,
                        struct normal_pair pair);

/* What a search needs to know of the spread: the covariance in velocity of noise_apply() for this
 * shot, to first order in the noise (second order terms are below 1 % of it for the noises above)
 * and before the cut at ice->max_speed. A hand of people has the second moments about the intended
 * shot; those of Student's t are n / (n - 2) with n of at least NOISE_FREEDOM_LEAST. */
struct noise_covariance noise_covariance_at(const struct noise *noise, struct shot shot);

/* No throw of Student's t errs by more deviations than this. */
#define NOISE_DEVIATIONS_MOST 50.0
/* Rare misses do not count beyond this in noise_covariance_at(): factor 3. */
#define NOISE_FREEDOM_LEAST 3.0

/* The weight of an intended shot after its limits: 0 for a draw to the tee and less, 1 for a hit
 * (struct ice_profile) and more, between them in proportion to the speed. */
double noise_weight(const struct noise *noise, struct shot shot);

/* The inverse of noise_apply(): the error that turns `intended` into `thrown`, in the units of the
 * two standard deviations of the noise's kind and in the order of their rows in NOISE_SETTINGS, so
 * that errors[k] is the deviation times a standard normal number:
 *
 *   ICE_NOISE_GAT          e of noise_apply(), metres across and along at the tee
 *   ICE_NOISE_NORMAL_DIST  difference in speed, m/s, and in angle, rad, after the limits
 *
 * False where no error does so, and for the other kinds. The deviations of `noise` do not matter,
 * its limits do. */
enum { NOISE_ERRORS = 2 };
bool noise_errors(const struct noise *noise, struct shot intended, struct shot thrown,
                  double ret_errors[NOISE_ERRORS]);

/* The shot by which Digital Curling 2 draws to a place: D above. `target` in the shot frame, only
 * the sign of omega acts (0: straight). A published rule of thumb, centimetres off the real
 * stopping point; aim.h solves exactly. */
struct vec2 noise_gat_draw(struct vec2 target, double omega);

#endif
