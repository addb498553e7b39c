/* The path of a delivered stone as a line on the sheet, and its distance to other stones: quick
 * geometry for proposing shots, without simulation. A point on the path is given by the metres left
 * to run. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_SHOT_PATH_H
#define RINKD_WORKERS_SEARCH_SHOTS_SHOT_PATH_H

#include "models/ice/glide.h"

struct shot_path {
    const struct ice_profile *ice;
    const struct glide_table *table;
    struct glide glide;
};

/* Computes the path of a shot; borrows the profile. False when the shot does not move. */
bool shot_path_of(const struct ice_profile *ice, const struct shot *shot,
                  struct shot_path *ret_path);

/* Returns the metres that a stone of this speed (m/s) runs: the inverse of aim_speed_to_run(). */
double shot_path_run(const struct glide_table *table, double speed);

/* Returns the heading (unit vector) of the stone with `left` metres to run, 0 … glide.path. */
struct vec2 shot_path_heading(const struct shot_path *path, double left);

/* Returns how far `place` lies to the right of the path (negative: to the left), measured at the
 * point of the path abreast of it, or at the point with `until_left` metres to run if that comes
 * first. *ret_left: the metres left at that point. */
double shot_path_beside(const struct shot_path *path, struct vec2 place, double until_left,
                        double *ret_left);

/* True if the stone stays on the sheet and meets no stone of the position except `except` (-1:
 * none) until `until_left` metres are left. A stone that a throw with an error of `slip` radians
 * gets past does not block the path, except where the shot comes to rest (until_left = 0) beside
 * that stone. */
bool shot_path_is_clear(const struct shot_path *path, const struct position *position,
                        double until_left, int except, double slip);

#endif
