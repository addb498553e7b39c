/* See asked_noise.h. */
#include "workers/asked_noise.h"

#include <math.h>

struct noise asked_noise(const struct ice_profile *ice, const struct shot_query_noise *asked)
{
    struct noise noise = noise_default(ice, ice->noise);

    if (!isnan(asked->gat_stddev_x_m))
        noise.gat_stddev_x_m = asked->gat_stddev_x_m;
    if (!isnan(asked->gat_stddev_y_m))
        noise.gat_stddev_y_m = asked->gat_stddev_y_m;
    if (!isnan(asked->stddev_speed_mps))
        noise.stddev_speed_mps = asked->stddev_speed_mps;
    if (!isnan(asked->stddev_angle_rad))
        noise.stddev_angle_rad = asked->stddev_angle_rad;
    if (!isnan(asked->max_speed_mps))
        noise.max_speed_mps = asked->max_speed_mps;
    return noise;
}
