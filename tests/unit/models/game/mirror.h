/* Mirror symmetry of every part of the game and the ice: mirrored along the centre line (x -> -x),
 * with the spin reversed, the sheet behaves the same. Mirroring twice restores the original.
 * Numbers are subtracted from 0 instead of negated, to avoid -0.0: equal positions stay equal byte
 * for byte. */
#ifndef RINKD_TESTS_UNIT_MODELS_GAME_MIRROR_H
#define RINKD_TESTS_UNIT_MODELS_GAME_MIRROR_H

#include "models/game/position.h"
#include "models/game/shot.h"

static inline struct position position_mirror(const struct position *position)
{
    struct position mirrored = {.in_play = position->in_play};

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        struct vec2 at = position->stone[k];
        mirrored.stone[k] = (struct vec2){0.0 - at.x, at.y};
    }
    return mirrored;
}

static inline struct shot shot_mirror(const struct shot *shot)
{
    return (struct shot){
        .velocity = {0.0 - shot->velocity.x, shot->velocity.y},
        .omega = 0.0 - shot->omega,
    };
}

#endif
