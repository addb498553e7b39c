/* See game_id.h. */
#include "api/fields/game_id.h"

#include <stdio.h>
#include <string.h>

bool game_id_read(const char *text, struct game_id *ret_id)
{
    long long match, pair;
    int game, used = 0;

    if (sscanf(text, "%18lld-%18lld-%1d%n", &match, &pair, &game, &used) != 3 || text[used] ||
        strspn(text, "0123456789-") != strlen(text) || match < 1 || pair < 0 || game < 0 ||
        game > 1)
        return false;
    *ret_id = (struct game_id){match, pair, game};
    return true;
}

void game_id_write(const struct game_id *id, char ret_text[GAME_ID_MAX])
{
    snprintf(ret_text, GAME_ID_MAX, "%lld-%lld-%d", (long long)id->match, (long long)id->pair,
             id->game);
}
