/* Removes a stone from a position. */
#ifndef RINKD_TESTS_UNIT_MODELS_GAME_REMOVE_H
#define RINKD_TESTS_UNIT_MODELS_GAME_REMOVE_H

#include "models/game/position.h"

#include <assert.h>

static inline void position_remove(struct position *position, int stone)
{
    assert(stone >= 0 && stone < POSITION_STONES);
    position->stone[stone] = (struct vec2){0.0, 0.0};
    position->in_play = (uint16_t)(position->in_play & ~(1u << stone));
}

#endif
