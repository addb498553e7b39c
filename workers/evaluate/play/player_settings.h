/* Everything a player's play depends on. A spec omits defaults and names a model by its place;
 * another version may have other defaults, and the file may change. Records that are continued
 * later keep this beside the spec. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_PLAYER_SETTINGS_H
#define RINKD_WORKERS_EVALUATE_PLAY_PLAYER_SETTINGS_H

#include "workers/search/player/player.h"

#include <jansson.h>

/* {"SETTING":VALUE,…}: every setting, and "weights_sha256" in place of the model where there is
 * one. The caller's; NULL: out of memory. */
json_t *player_settings_json(const struct player *player);

#endif
