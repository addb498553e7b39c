/* A point or vector in the plane, in metres (or m/s), and the few operations on it.
 * A heading used as a rotation is a complex number of length 1. */
#ifndef RINKD_MODELS_GAME_VEC2_H
#define RINKD_MODELS_GAME_VEC2_H

#include <math.h>

struct vec2 {
    double x, y;
};

static inline struct vec2 vec2_add(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x + b.x, a.y + b.y};
}

static inline struct vec2 vec2_sub(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x - b.x, a.y - b.y};
}

static inline struct vec2 vec2_scale(double k, struct vec2 a)
{
    return (struct vec2){k * a.x, k * a.y};
}

static inline double vec2_dot(struct vec2 a, struct vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* Positive when b points to the left of a. */
static inline double vec2_cross(struct vec2 a, struct vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double vec2_length(struct vec2 a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

static inline double vec2_distance(struct vec2 a, struct vec2 b)
{
    return vec2_length(vec2_sub(b, a));
}

/* a turned by the heading b (complex product; |b| = 1 turns without stretching). */
static inline struct vec2 vec2_turn(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* The mirror image in the x axis (complex conjugate): turns the other way round. */
static inline struct vec2 vec2_conjugate(struct vec2 a)
{
    return (struct vec2){a.x, -a.y};
}

#endif
