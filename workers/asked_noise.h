/* The noise that a query asks for (api/shot_json.h) as the engines know it. */
#ifndef RINKD_WORKERS_ASKED_NOISE_H
#define RINKD_WORKERS_ASKED_NOISE_H

#include "api/shot_json.h"
#include "models/ice/noise.h"

/* The ice's own noise, with those settings that are asked for. May fail noise_check(). */
struct noise asked_noise(const struct ice_profile *ice, const struct shot_query_noise *asked);

#endif
