/* An aim: a place on the ice and a weight, from which follows the shot. */
#ifndef RINKD_WORKERS_SEARCH_MAPS_AIMS_H
#define RINKD_WORKERS_SEARCH_MAPS_AIMS_H

#include "api/curling/map_json.h"
#include "models/ice/profile.h"

/* Where aims lie, shot frame, metres: the near half of it is the zone of the guards. */
#define AIMS_LEFT_X  (-2.2)
#define AIMS_RIGHT_X 2.2
#define AIMS_NEAR_Y  33.2
#define AIMS_FAR_Y   40.4

/* Returns the middle of interval `k` of `count` between low and high. */
static inline double aims_middle(double low, double high, int k, int count)
{
    return low + (high - low) * (k + 0.5) / count;
}

/* Computes the shot of an aim (map_json.h says what the weights mean). False: no such shot, as its
 * path leaves the sheet or it is beyond the hand's limit. */
bool aims_shot(const struct ice_profile *ice, struct vec2 aim, enum aim_weight weight,
               bool clockwise, struct shot *ret_shot);

#endif
