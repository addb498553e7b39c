/* Games of servers. See situation.h. */
#include "workers/compete/situation.h"

#include <stdio.h>

bool situation_settle(struct game *game, size_t size, char *ret_note)
{
    struct game_fault fault;
    char path[64];

    ret_note[0] = '\0';
    for (int tries = 0; tries <= POSITION_STONES; tries++) {
        if (game_check(game, &fault) == GAME_OK)
            return true;
        game_fault_path(game, &fault, sizeof path, path);
        const char *text = fault.error == GAME_BAD_STONES
                               ? position_error_text(fault.position.error)
                               : game_error_text(fault.error);
        snprintf(ret_note, size, "%s: %s", path, text);
        int stone = fault.position.stone;
        if (fault.error != GAME_BAD_STONES || stone < 0)
            return false;
        game->position.in_play = (uint16_t)(game->position.in_play & ~(1u << stone));
        game->position.stone[stone] = (struct vec2){0.0, 0.0};
    }
    return false;
}

struct game situation_set_up(const struct game *game, int team, enum setup setup, int pattern)
{
    struct game begun = *game;

    begun.gave_hammer = setup == SETUP_GUARD;
    begun.hammer_team = begun.gave_hammer ? 1 - team : team;
    begun.position = setup_position(setup, pattern);
    return begun;
}

int situation_own_shots(const struct situation *situation)
{
    return situation->game.rules->shots / 2;
}

int situation_own_shot(const struct situation *situation)
{
    return situation->game.shot / 2;
}
