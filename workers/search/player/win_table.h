/* The chance of winning a game from between two ends: by ends left, lead and hammer.
 *
 * Computed by dynamic programming backwards from the last end over how ends of well-matched players
 * turn out (paper B, KR-DL-UCT, section on the winning percentage table):
 *     W(e, d, hammer) = sum over s of P(s) W(e - 1, d + s, next hammer),
 * W(0, d > 0) = 1, W(0, d < 0) = 0; at W(0, 0) a draw counts one half, or an extra end is played.
 */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H
#define RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H

#include "models/game/game.h"

/* The chance of the side that is to move now, when the current end of `game` finishes with it
 * `lead` points ahead in all and it has (or has not) the hammer in the next end. A draw counts one
 * half. */
double win_table_after(const struct game *game, int lead, bool has_hammer);

#endif
