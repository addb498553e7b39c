/* Players that take turns in a match, as switch:A|B,every=GAMES (api/fields/player_spec.h). */
#ifndef RINKD_WORKERS_SEARCH_RULES_SWITCH_PLAYER_H
#define RINKD_WORKERS_SEARCH_RULES_SWITCH_PLAYER_H

#include "workers/search/player/player.h"

/* Reads them; what they need is kept until the program ends. False, with a sentence of at most
 * `size` bytes: *ret_player is untouched. */
bool switch_player_read(const char *text, struct player *ret_player, size_t size, char *ret_error);

/* Writes the shortest spec that reads back as this player. */
void switch_player_write(const struct player *player, size_t size, char *ret_text);

#endif
