/* Ids of games, "MATCH-PAIR-GAME": 7-0-1. */
#ifndef RINKD_API_FIELDS_GAME_ID_H
#define RINKD_API_FIELDS_GAME_ID_H

#include <stdbool.h>
#include <stdint.h>

struct game_id {
    int64_t match, pair;
    int game; /* of the pair: 0 or 1 */
};

enum { GAME_ID_MAX = 48 }; /* bytes with 0 */

bool game_id_read(const char *text, struct game_id *ret_id);
void game_id_write(const struct game_id *id, char ret_text[GAME_ID_MAX]);

#endif
