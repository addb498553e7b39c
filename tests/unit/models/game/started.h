/* A game that has just begun, for the tests of models/game. */
#ifndef RINKD_TESTS_UNIT_MODELS_GAME_STARTED_H
#define RINKD_TESTS_UNIT_MODELS_GAME_STARTED_H

#include "models/game/game.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Returns a game under the rules of this name, with the hammer for team 1. */
static inline struct game started(const char *rules, int ends, int extra_ends)
{
    struct game game;
    assert_int_equal(game_start(rules_find(rules), ends, extra_ends, 1, &game), GAME_OK);
    return game;
}

#endif
