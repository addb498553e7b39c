/* All on which a player's play hangs, written out. A spec leaves out what is at its default and
 * names a model by where it lies; another version may have other defaults, and another file may
 * lie there tomorrow. What is to be gone on with later keeps this next to the spec. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_PLAYER_SETTINGS_H
#define RINKD_WORKERS_EVALUATE_PLAY_PLAYER_SETTINGS_H

#include "workers/search/player/player.h"

#include <jansson.h>

/* {"SETTING":VALUE,…}: every setting, and "weights_sha256" in place of the model where there is
 * one. The caller's; NULL: out of memory. */
json_t *player_settings_json(const struct player *player);

#endif
