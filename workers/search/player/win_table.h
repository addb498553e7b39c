/* The probability of winning a game between two ends, by ends left, lead and hammer.
 *
 * Dynamic programming backwards from the last end, over the scores of ends between equal players
 * (paper B, KR-DL-UCT, section on the winning percentage table): W(e, d, hammer) = sum over s of
 * P(s) W(e - 1, d + s, next hammer), W(0, d > 0) = 1, W(0, d < 0) = 0; at W(0, 0) a draw counts one
 * half, or an extra end is played. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H
#define RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H

#include "models/game/game.h"

/* Returns the chance of the side to move to win `game` if it leads by `lead` points after the
 * current end and has (or has not) the hammer in the next one. A draw counts one half. */
double win_table_after(const struct game *game, int lead, bool has_hammer);

#endif
