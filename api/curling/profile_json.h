/* Profiles as JSON, for GET /v1/profiles, and the schemas generated from their table
 * (models/tables). The caller owns all documents; NULL when memory is short. */
#ifndef RINKD_API_CURLING_PROFILE_JSON_H
#define RINKD_API_CURLING_PROFILE_JSON_H

#include "models/tables/profiles.h"

#include <jansson.h>

/* {"name","about","jobs","trainings","shot_members":[NAME,…],
 *  "rules":{"shots","preplaced","ends","extra_ends","can_concede","protected_shots","protection",
 *           "guards":{"near_y","far_y","house_radius","no_tick_half_width"},
 *           "score_radius","score_radius_inclusive","tie","sheet":AREA,"play":AREA},
 *  "ice":{"name","about","law","hack":{"x","y"},"max_speed","max_omega","spin",
 *         "side_x","back_y","hog_y"},
 *  "noise":{"kind","about","settings":[{"name","unit","default"|null,"maximum","about"},…]}}
 *
 * and in mixed doubles "setups":{SETUP:{"house":{"x","y"},"guards":[{"x","y"}, by pattern]},…}.
 *
 * jobs, trainings: two teams can play it in jobs, it can be learned, as all profiles. shot_members:
 * forms of a shot besides velocity and rotation. AREA: {"side_x","near_y","far_y"}. Metres, seconds
 * and radians in the shot frame; struct rules, struct ice_profile and struct noise_setting explain
 * the members. */
json_t *profile_json(const struct profile *profile);

/* {"type":"string","enum":[all names]} */
json_t *profile_name_schema(void);

/* Schemas of the names that profiles use: {"Protection","Tie","Law"}. */
json_t *profile_choices(void);

/* The schema of an object with the settings of all kinds of noise that queries may set. */
json_t *noise_schema(void);

#endif
