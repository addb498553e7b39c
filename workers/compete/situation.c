/* Games of servers. See situation.h. */
#include "workers/compete/situation.h"

#include <stdio.h>

/* Places of the stones of mixed doubles, metres: on the centre line, and of a power play on the
 * right. */
static const struct vec2 house_place = {0.0, 38.870}, house_power = {1.219, 38.260};
static const struct vec2 guard_place[SETUP_PATTERNS] = {
    {0.0, 35.350}, {0.0, 35.060}, {0.0, 34.435}, {0.0, 34.145}, {0.0, 33.520}, {0.0, 33.230}};
static const struct vec2 guard_power[SETUP_PATTERNS] = {{1.093, 35.350}, {1.087, 35.060},
                                                        {1.073, 34.435}, {1.067, 34.145},
                                                        {1.053, 33.520}, {1.047, 33.230}};

const char *setup_word(enum setup setup)
{
    static const char *const words[] = {
#define X(name, word) [name] = word,
        SETUPS(X)
#undef X
    };
    return words[setup];
}

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
    bool is_power = setup == SETUP_LEFT || setup == SETUP_RIGHT;
    struct vec2 house = is_power ? house_power : house_place;
    struct vec2 guard = is_power ? guard_power[pattern] : guard_place[pattern];
    double side = setup == SETUP_LEFT ? -1.0 : 1.0;

    begun.hammer_team = setup == SETUP_GUARD ? 1 - team : team;
    begun.position = (struct position){.in_play = 0};
    /* The first thrower owns the guard, the team with the hammer the stone in the house. */
    position_put(&begun.position, 0, (struct vec2){side * guard.x, guard.y});
    position_put(&begun.position, 1, (struct vec2){side * house.x, house.y});
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
