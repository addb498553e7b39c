/* Places of the stones of mixed doubles. */
#include "models/game/setup.h"

#include <assert.h>
#include <string.h>

/* Metres: on the centre line, and of a power play on the right. */
static const struct vec2 house_place = {0.0, 38.870}, house_power = {1.219, 38.260};
static const struct vec2 guard_place[SETUP_PATTERNS] = {
    {0.0, 35.350}, {0.0, 35.060}, {0.0, 34.435}, {0.0, 34.145}, {0.0, 33.520}, {0.0, 33.230}};
static const struct vec2 guard_power[SETUP_PATTERNS] = {{1.093, 35.350}, {1.087, 35.060},
                                                        {1.073, 34.435}, {1.067, 34.145},
                                                        {1.053, 33.520}, {1.047, 33.230}};

static const char *const words[] = {
#define X(name, word) [name] = word,
    SETUPS(X)
#undef X
};

const char *setup_word(enum setup setup)
{
    return words[setup];
}

bool setup_find(const char *word, enum setup *ret_setup)
{
    for (int k = 0; k < SETUP_COUNT; k++)
        if (strcmp(words[k], word) == 0) {
            *ret_setup = (enum setup)k;
            return true;
        }
    return false;
}

struct position setup_position(enum setup setup, int pattern)
{
    struct position position = {.in_play = 0};

    assert(pattern >= 0 && pattern < SETUP_PATTERNS);
    struct vec2 house = setup_is_power(setup) ? house_power : house_place;
    struct vec2 guard = setup_is_power(setup) ? guard_power[pattern] : guard_place[pattern];
    if (setup == SETUP_LEFT) {
        guard.x = -guard.x;
        house.x = -house.x;
    }
    position_put(&position, 0, guard);
    position_put(&position, 1, house);
    return position;
}
