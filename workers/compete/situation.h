/* A game as a server tells it, and what is asked of us: which shot, or in mixed doubles how an end
 * begins. All protocols end up here; the thinker begins here. */
#ifndef RINKD_WORKERS_COMPETE_SITUATION_H
#define RINKD_WORKERS_COMPETE_SITUATION_H

#include "models/game/game.h"
#include "models/ice/noise.h"
#include "workers/search/style/opponent.h"

#include <stdbool.h>
#include <stddef.h>

struct situation {
    struct game game; /* running, passes game_check(), set up unless `asks_setup` */
    const struct ice_profile *ice;
    struct noise hands[POSITION_STONES]; /* by shot of the end */
    int team;                            /* ours, 0 or 1 */
    struct opponent_throws theirs;       /* the opponent's throws of this conversation */

    bool has_clock;
    double remaining_s;
    int clock_period; /* 0, and another number for each clock that starts anew in extra ends: their
                         time is not what is left of the one before */
    int clock_ends;   /* whole ends after this one on the same clock */

    bool asks_setup; /* the choice of a setup; the game is at shot 0 without stones, and knows whose
                        power play is used */
    int pattern;     /* 0 … SETUP_PATTERNS - 1 */
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
