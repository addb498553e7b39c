/* The glide of one stone while nothing touches it.
 *
 * Friction on this ice depends on speed alone. So for one law of motion there is one curve: the
 * path of a stone that started at the highest speed and spins counter-clockwise. A stone with a
 * lower speed v runs along the last part of that same curve, moved and turned to where it is
 * (mirrored if it spins clockwise; straight if it does not spin). Its place after n steps of 1 ms
 * is then a table lookup, without stepping, on the same grid of steps as in the reference
 * simulators.
 *
 * The curve is counted backwards from its end: `sigma` is the number of steps (with a fraction)
 * until the stone stands still, so sigma = 0 is rest and one step later is sigma - 1. At step k a
 * stone has the velocity that carries it to step k + 1: x(k+1) = x(k) + h v(k). */
#ifndef RINKD_MODELS_ICE_GLIDE_H
#define RINKD_MODELS_ICE_GLIDE_H

#include "models/ice/profile.h"

#include <stdint.h>

enum {
    GLIDE_ROWS = 2688,       /* pieces of the curve: FCV1 glides 84 s from 6 m/s, 32 ms a piece */
    GLIDE_SPEED_NODES = 896, /* nodes of sigma(speed) */
    GLIDE_ROOT_NODES = 640   /* nodes of sigma(sqrt(remaining path)) */
};

/* A cubic in the fraction t of a piece: c[0] + c[1] t + c[2] t^2 + c[3] t^3. */
struct glide_cubic {
    double c[4];
};

/* Position on the curve relative to its end, one piece = one cache line. */
struct glide_piece {
    struct glide_cubic x, y;
};

/* Along the same pieces: path length still to go (m), and |omega| still to be lost until rest. */
struct glide_budget {
    struct glide_cubic path, spin;
};

struct glide_table {
    enum ice_law law;
    double steps_per_piece, pieces_per_step;
    double sigma_max;        /* start of the curve: steps to rest at the top speed */
    struct vec2 end_heading; /* heading of the curve where it ends (unit) */
    double hook_path;        /* m: see approach.h */
    double speed_scale;      /* nodes per m/s */
    double root_scale;       /* nodes per sqrt(m) */
    int32_t root_nodes;
    struct glide_piece piece[GLIDE_ROWS];
    struct glide_budget budget[GLIDE_ROWS];
    struct glide_cubic of_speed[GLIDE_SPEED_NODES]; /* sigma by speed */
    struct glide_cubic of_root[GLIDE_ROOT_NODES];   /* sigma by square root of the remaining path */
    double curvature[GLIDE_ROOT_NODES]; /* 1/m, the largest at or before that node's path */
};

/* The table of a law, built at the first call (some ms; thread-safe) and kept. */
const struct glide_table *glide_table(enum ice_law law);

/* One stone's glide from `start_step` until it rests or something hits it. */
struct glide {
    int32_t start_step;
    int32_t stop_step;     /* first step at which it stands still */
    double sigma;          /* steps to rest at start_step */
    double turn;           /* +1 bends left, -1 right, 0 straight */
    struct vec2 anchor;    /* end of the curve if the spin lasts */
    struct vec2 frame;     /* curve -> sheet: turn by this heading */
    double straight_sigma; /* below this sigma there is no spin and the path is straight */
    struct vec2 rest;      /* place where it stops */
    double omega;          /* rad/s at start_step */
    double spin_budget;    /* |omega| that the curve takes from start_step to rest */

    /* The hull of the path, for the bounds in approach.h. */
    struct vec2 from;        /* position at start_step */
    struct vec2 velocity;    /* m/s, at start_step */
    struct vec2 heading;     /* unit, at start_step */
    struct vec2 end_heading; /* unit, at rest; straight part: its heading */
    double path;             /* length of the whole path, m */
};

static inline double glide_cubic_at(const struct glide_cubic *p, double t)
{
    return p->c[0] + t * (p->c[1] + t * (p->c[2] + t * p->c[3]));
}

static inline double glide_cubic_slope(const struct glide_cubic *p, double t)
{
    return p->c[1] + t * (2.0 * p->c[2] + t * (3.0 * p->c[3]));
}

static inline double glide_sigma_at(const struct glide *glide, int32_t step)
{
    double sigma = glide->sigma - (double)(step - glide->start_step);
    return sigma > 0.0 ? sigma : 0.0;
}

/* Path still to go with `sigma` steps to rest, m. */
static inline double glide_path_left(const struct glide_table *table, double sigma)
{
    double x = sigma * table->pieces_per_step;
    int k = (int)x;
    return glide_cubic_at(&table->budget[k].path, x - k);
}

/* Steps to rest with `path` metres to go (0 where path <= 0). */
static inline double glide_sigma_of_path(const struct glide_table *table, double path)
{
    if (path <= 0.0)
        return 0.0;
    double x = sqrt(path) * table->root_scale;
    int k = (int)x;
    if (k > table->root_nodes - 1)
        k = table->root_nodes - 1;
    return glide_cubic_at(&table->of_root[k], x - k);
}

/* The largest curvature (1/m) of the curve up to the point with `path` metres left; curvature grows
 * towards the end. */
static inline double glide_curvature(const struct glide_table *table, double path)
{
    if (path <= 0.0)
        return table->curvature[0];
    int k = (int)(sqrt(path) * table->root_scale);
    if (k > table->root_nodes - 1)
        k = table->root_nodes - 1;
    return table->curvature[k];
}

/* Place of the stone with `sigma` steps to rest. */
static inline struct vec2 glide_position(const struct glide_table *table, const struct glide *glide,
                                         double sigma)
{
    if (sigma >= glide->straight_sigma) {
        double x = sigma * table->pieces_per_step;
        int k = (int)x;
        const struct glide_piece *piece = &table->piece[k];
        double t = x - k;
        struct vec2 z = {glide_cubic_at(&piece->x, t), glide->turn * glide_cubic_at(&piece->y, t)};
        return vec2_add(glide->anchor, vec2_turn(z, glide->frame));
    }
    return vec2_sub(glide->rest, vec2_scale(glide_path_left(table, sigma), glide->end_heading));
}

/* Velocity (m/s) with `sigma` steps to rest: the step to come, x(k+1) - x(k), divided by h. The
 * slope of the curve half a step later is that difference to within h^3. */
static inline struct vec2 glide_velocity(const struct glide_table *table, const struct glide *glide,
                                         double sigma)
{
    double x = (sigma > 0.5 ? sigma - 0.5 : 0.0) * table->pieces_per_step;
    int k = (int)x;
    double t = x - k, per_s = table->pieces_per_step / -ICE_STEP_S;
    if (sigma >= glide->straight_sigma) {
        const struct glide_piece *piece = &table->piece[k];
        struct vec2 z = {per_s * glide_cubic_slope(&piece->x, t),
                         per_s * glide->turn * glide_cubic_slope(&piece->y, t)};
        return vec2_turn(z, glide->frame);
    }
    return vec2_scale(-per_s * glide_cubic_slope(&table->budget[k].path, t), glide->end_heading);
}

/* Place and velocity at a step; the start needs no table. */
static inline void glide_state(const struct glide_table *table, const struct glide *glide,
                               int32_t step, double sigma, struct vec2 *ret_position,
                               struct vec2 *ret_velocity)
{
    if (step == glide->start_step) {
        *ret_position = glide->from;
        *ret_velocity = glide->velocity;
        return;
    }
    *ret_position = glide_position(table, glide, sigma);
    *ret_velocity = glide_velocity(table, glide, sigma);
}

/* Angular velocity (rad/s) with `sigma` steps to rest. */
double glide_omega(const struct glide_table *table, const struct glide *glide, double sigma);

/* Steps to rest at a speed (m/s). */
static inline double glide_sigma_of_speed(const struct glide_table *table, double speed)
{
    double node = speed * table->speed_scale;
    int k = node < GLIDE_SPEED_NODES - 1 ? (int)node : GLIDE_SPEED_NODES - 1;
    return glide_cubic_at(&table->of_speed[k], node - k);
}

/* Starts a glide at `step` from `at` with velocity (m/s, already reduced by the friction of the
 * step before), `speed` its length, and omega. Returns false if the stone is too slow to move a
 * whole step and stands still; then only rest, from, path = 0 and the steps are set. */
bool glide_start(const struct glide_table *table, struct glide *ret_glide, int32_t step,
                 struct vec2 at, struct vec2 velocity, double speed, double omega);

/* Applies the friction of a step, or of a fraction of it, to velocity and omega, as the reference
 * simulators do after a step with a collision. Returns the new speed, m/s. */
double glide_friction(enum ice_law law, double fraction, struct vec2 *velocity, double *omega);

/* Applies the friction at release, before the first step: half a step in dc2, a whole one in FCV1,
 * where friction comes before motion. Returns the new speed, m/s. */
double glide_release(enum ice_law law, struct vec2 *velocity, double *omega);

/* Starts the glide of a shot from the hack, at step 0. False if the shot does not move. */
bool glide_of_shot(const struct ice_profile *ice, const struct shot *shot, struct glide *ret_glide);

#endif
