/* A hand as queries, servers and records tell it, as the errors that it makes. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_HAND_NOISE_H
#define RINKD_WORKERS_SEARCH_PLAYER_HAND_NOISE_H

#include "api/curling/dc3_json.h"
#include "models/ice/noise.h"

static inline struct noise hand_noise(const struct hand *hand, const struct ice_profile *ice)
{
    return hand->is_exact ? noise_default(ice, ICE_NOISE_NONE) : noise_asked(ice, &hand->settings);
}

#endif
