/* Kinds of noise, the errors of a player's hand, and the settings of each kind.
 *
 * A new kind is a row of NOISE_KINDS, its settings in NOISE_SETTINGS, and its effect on a shot in
 * noise_check(), noise_apply() and noise_covariance_at() of models/ice/noise.c. Queries, records,
 * options, schemas and GET /v1/profiles read these rows.
 *
 * Settings of people say how a hand departs from normal errors. They belong to every kind that has
 * deviations, and their defaults change nothing. */
#ifndef RINKD_MODELS_TABLES_NOISE_KINDS_H
#define RINKD_MODELS_TABLES_NOISE_KINDS_H

#include <math.h>
#include <stdbool.h>

/* X(kind, name, whether options and profiles offer it, description) */
#define NOISE_KINDS(X)                                                           \
    X(ICE_NOISE_NONE, "none", true, "no error")                                  \
    X(ICE_NOISE_GAT, "gat", true,                                                \
      "gaussian about the target of a draw to the tee, as in Digital Curling 2") \
    X(ICE_NOISE_NORMAL_DIST, "normal_dist", true,                                \
      "gaussian in speed and in angle, as in Digital Curling 3 and 4")           \
    X(ICE_NOISE_COVARIANCE, "covariance", false, "gaussian in velocity, with any covariance")

/* X(kind, name, unit in the member's name, unit, of people, least, most, default, description).
 * Queries may set least … most of the first list; settings with most = 0 belong to the ice, and
 * queries cannot set them. The defaults are those of the official players; the limits of
 * normal_dist and the weights are the ice's (struct ice_profile). ICE_NOISE_PEOPLE: of each kind
 * that has deviations. */
#define NOISE_SETTINGS_ASKED(X)                                                                  \
    X(ICE_NOISE_GAT, gat_stddev_x, m, "m", false, 0.0, 100.0, 0.0725,                            \
      "standard deviation across, at the tee; half a stone radius in the GAT tournaments")       \
    X(ICE_NOISE_GAT, gat_stddev_y, m, "m", false, 0.0, 100.0, 0.29,                              \
      "standard deviation along, at the tee; two stone radii in the GAT tournaments")            \
    X(ICE_NOISE_NORMAL_DIST, stddev_speed, mps, "m/s", false, 0.0, 10.0, 0.0076,                 \
      "standard deviation of the speed")                                                         \
    X(ICE_NOISE_NORMAL_DIST, stddev_angle, rad, "rad", false, 0.0, 3.2, 0.0018,                  \
      "standard deviation of the angle")                                                         \
    X(ICE_NOISE_NORMAL_DIST, max_speed, mps, "m/s", false, 0.0, 100.0, HUGE_VAL,                 \
      "faster shots are slowed down to this before they err")                                    \
    X(ICE_NOISE_PEOPLE, degrees_of_freedom, count, "count", true, 2.5, 1000.0, HUGE_VAL,         \
      "of Student's t, with the deviations as its scales: the fewer, the more bad misses; "      \
      "absent: normal errors")                                                                   \
    X(ICE_NOISE_PEOPLE, hit_factor, ratio, "ratio", true, 0.1, 10.0, 1.0,                        \
      "factor of both deviations at hit weight and above; below it falls evenly to 1 at draw "   \
      "weight")                                                                                  \
    X(ICE_NOISE_PEOPLE, release, deviations, "deviations", true, -3.0, 3.0, 0.0,                 \
      "mean error across in deviations of a draw: above 0 to the side to which the stone curls " \
      "(narrow), below 0 to the other (wide)")                                                   \
    X(ICE_NOISE_NORMAL_DIST, stddev_spin, share, "share", true, 0.0, 1.0, 0.0,                   \
      "standard deviation of the rate of turn, as a share of it")
#define NOISE_SETTINGS(X)                                                                    \
    NOISE_SETTINGS_ASKED(X)                                                                  \
    X(ICE_NOISE_NORMAL_DIST, min_omega, radps, "rad/s", false, 0.0, 0.0, 0.0,                \
      "slower turns become this fast before they err")                                       \
    X(ICE_NOISE_NORMAL_DIST, max_omega, radps, "rad/s", false, 0.0, 0.0, HUGE_VAL,           \
      "faster turns become this slow before they err")                                       \
    X(ICE_NOISE_PEOPLE, draw_speed, mps, "m/s", true, 0.0, 0.0, 0.0, "speed of draw weight") \
    X(ICE_NOISE_PEOPLE, hit_speed, mps, "m/s", true, 0.0, 0.0, 1.0, "speed of hit weight")

#define NOISE_KIND(kind, ...) kind,
#define NOISE_KIND_ONE(...)   +1
enum ice_noise { NOISE_KINDS(NOISE_KIND) ICE_NOISE_PEOPLE /* no kind: only in NOISE_SETTINGS */ };
enum { NOISE_KIND_COUNT = NOISE_KINDS(NOISE_KIND_ONE) };

struct noise_kind {
    const char *name;
    bool is_offered;
    const char *about;
};

/* The row of a kind, 0 … NOISE_KIND_COUNT - 1; NULL past the end. */
const struct noise_kind *noise_kind_at(int kind);

/* The offered kind of that name, or -1. */
int noise_kind_find(const char *name);

/* Writes the names of the offered kinds as "none, gat, …". Returns ret_text. */
enum { NOISE_KIND_LIST_MAX = 128 };
const char *noise_kind_list(char ret_text[NOISE_KIND_LIST_MAX]);

/* The settings of all kinds; only those of one kind apply together. */
#define NOISE_MEMBER(kind, name, suffix, ...) double name##_##suffix;
struct noise_settings {
    NOISE_SETTINGS(NOISE_MEMBER)
};

enum { NOISE_SETTINGS_MAX = sizeof(struct noise_settings) / sizeof(double) };

struct noise_setting {
    enum ice_noise kind;
    const char *name;   /* in queries: "gat_stddev_x" */
    const char *member; /* with its unit: "gat_stddev_x_m" */
    const char *unit;
    bool of_people;
    double least, most, initial;
    const char *about;
};

/* The row of a setting, index 0, 1, …; NULL past the end. */
const struct noise_setting *noise_setting_at(int index);

/* Whether a setting acts in noise of this kind. */
bool noise_setting_fits(const struct noise_setting *setting, enum ice_noise kind);

/* The value of the setting of that index. */
double *noise_setting_value(struct noise_settings *settings, int index);
double noise_setting_of(const struct noise_settings *settings, int index);

#endif
