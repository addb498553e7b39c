/* Growing lists of sampled points, one per stone. */
#include "models/ice/trajectory.h"

#include <math.h>
#include <stdlib.h>

void trajectory_init(struct trajectory *trajectory, double interval_s)
{
    *trajectory = (struct trajectory){0};
    double steps = round(interval_s * 1000.0);
    if (!(steps >= 1.0))
        steps = 1.0;
    trajectory->interval_steps = steps > 1e9 ? 1000000000 : (int32_t)steps;
}

void trajectory_clear(struct trajectory *trajectory)
{
    for (int k = 0; k < POSITION_STONES; k++)
        trajectory->stone[k].count = 0;
}

bool trajectory_add(struct trajectory *trajectory, int stone, double t_s, struct vec2 at)
{
    struct trajectory_path *path = &trajectory->stone[stone];

    if (path->count == path->capacity) {
        size_t capacity = path->capacity ? 2 * path->capacity : 64;
        struct trajectory_point *points = realloc(path->points, capacity * sizeof *points);
        if (!points)
            return false;
        path->points = points;
        path->capacity = capacity;
    }
    path->points[path->count++] = (struct trajectory_point){t_s, at};
    return true;
}

void trajectory_free(struct trajectory *trajectory)
{
    if (!trajectory)
        return;
    for (int k = 0; k < POSITION_STONES; k++) {
        free(trajectory->stone[k].points);
        trajectory->stone[k] = (struct trajectory_path){0};
    }
}
