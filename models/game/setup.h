/* How an end of mixed doubles begins: one stone of each team is placed, and one team chooses how.
 *
 * In the first end team 1 chooses, later the team that did not score; after a blank end the one
 * that did not choose before. It throws last and owns the stone in the house, or throws first and
 * owns the guard. Once a game, not in extra ends, it can take the power play: it throws last, and
 * both stones lie on one side. The places are those of Digital Curling 4. */
#ifndef RINKD_MODELS_GAME_SETUP_H
#define RINKD_MODELS_GAME_SETUP_H

#include "models/game/position.h"

#include <stdbool.h>

/* X(setup, word of Digital Curling 4). */
#define SETUPS(X)                  \
    X(SETUP_HOUSE, "center_house") \
    X(SETUP_GUARD, "center_guard") \
    X(SETUP_LEFT, "pp_left")       \
    X(SETUP_RIGHT, "pp_right")
enum setup {
#define X(name, word) name,
    SETUPS(X)
#undef X
        SETUP_COUNT
};

enum { SETUP_PATTERNS = 6 }; /* places of the guard */

/* Returns the word of a setup. Lives as long as the program. */
const char *setup_word(enum setup setup);

/* Finds a setup by its word. False: no such word, *ret_setup is untouched. */
bool setup_find(const char *word, enum setup *ret_setup);

/* True for the power play. */
static inline bool setup_is_power(enum setup setup)
{
    return setup == SETUP_LEFT || setup == SETUP_RIGHT;
}

/* Returns the placed stones of a setup: stone 0, sente's, is the guard, stone 1, gote's, lies in
 * the house. `pattern`: 0 … SETUP_PATTERNS - 1. */
struct position setup_position(enum setup setup, int pattern);

#endif
