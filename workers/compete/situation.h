/* A game as a server tells it, and what is asked of us: which shot, or in mixed doubles how an end
 * begins. All protocols end up here; the thinker begins here. */
#ifndef RINKD_WORKERS_COMPETE_SITUATION_H
#define RINKD_WORKERS_COMPETE_SITUATION_H

#include "models/game/game.h"
#include "models/ice/noise.h"

#include <stdbool.h>
#include <stddef.h>

/* How an end of mixed doubles begins, by the words of Digital Curling 4. The team that chooses has
 * the hammer and a stone in the house, except after SETUP_GUARD: then it throws first and owns the
 * guard. */
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
const char *setup_word(enum setup setup);

enum { SETUP_PATTERNS = 6 }; /* places of the guard */

struct situation {
    struct game game; /* running, passes game_check(), set up unless `asks_setup` */
    const struct ice_profile *ice;
    struct noise hands[POSITION_STONES]; /* by shot of the end */
    int team;                            /* ours, 0 or 1 */

    bool has_clock;
    double remaining_s;
    int clock_period; /* 0, and another number for each clock that starts anew in extra ends: their
                         time is not what is left of the one before */
    int clock_ends; /* whole ends after this one on the same clock */

    bool asks_setup; /* the choice of a setup; the game is at shot 0 without stones */
    bool has_power_play;
    int pattern; /* 0 … SETUP_PATTERNS - 1 */
};

/* Brings the game of a server into a form that players accept: takes off stones that cannot lie as
 * they are said to (a sentence about the last one goes to ret_note, "" if there is none). False,
 * with a sentence in ret_note: the game cannot be played even so. */
bool situation_settle(struct game *game, size_t size, char *ret_note);

/* The game with the placed stones of a setup that `team` chooses. */
struct game situation_set_up(const struct game *game, int team, enum setup setup, int pattern);

/* Our shots in an end, and which of them is next. */
int situation_own_shots(const struct situation *situation);
int situation_own_shot(const struct situation *situation);

#endif
