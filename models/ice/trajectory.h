/* The sampled path of every stone that moved during a throw, ready to draw. */
#ifndef RINKD_MODELS_ICE_TRAJECTORY_H
#define RINKD_MODELS_ICE_TRAJECTORY_H

#include "models/game/position.h"

#include <stdbool.h>
#include <stddef.h>

struct trajectory_point {
    double t_s; /* since the release of the delivered stone */
    struct vec2 at;
};

/* Points of one stone in order of time: its place when it began to move, one at each multiple of
 * the interval while it moves, and its place when it stopped or left the game. A stone that is hit
 * again after a stop continues the same list. */
struct trajectory_path {
    struct trajectory_point *points;
    size_t count, capacity;
};

struct trajectory {
    int32_t interval_steps; /* 1 ms steps between two points, >= 1 */
    struct trajectory_path stone[POSITION_STONES];
};

/* Starts an empty trajectory with a point every `interval_s` (rounded to whole 1 ms steps, at least
 * one). The caller passes it to trajectory_free(). */
void trajectory_init(struct trajectory *trajectory, double interval_s);

/* Drops the points and keeps the memory, for the next throw. */
void trajectory_clear(struct trajectory *trajectory);

/* Appends a point; false when memory is short (the trajectory stays valid, without the point). */
bool trajectory_add(struct trajectory *trajectory, int stone, double t_s, struct vec2 at);

void trajectory_free(struct trajectory *trajectory); /* NULL is fine */

#endif
