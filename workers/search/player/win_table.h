/* The probability of winning a game between two ends, by ends left, lead and hammer.
 *
 * Dynamic programming backwards from the last end, over the scores of ends between equal players
 * (paper B, KR-DL-UCT, section on the winning percentage table): W(e, d, hammer) = sum over s of
 * P(s) W(e - 1, d + s, next hammer), W(0, d > 0) = 1, W(0, d < 0) = 0; at W(0, 0) a draw counts one
 * half, or an extra end is played.
 *
 * In mixed doubles one team chooses how the end begins (models/game/setup.h). The table then goes
 * by the team that chooses and by the power plays that are left, each end has the best choice, and
 * a power play has scores of its own. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H
#define RINKD_WORKERS_SEARCH_PLAYER_WIN_TABLE_H

#include "models/game/game.h"
#include "models/tables/profiles.h"

/* A table from the scores of other ends than those of the profile. */
struct win_table;
struct style_row;

/* The table between two players whose ends have these scores for the team with the hammer, -8 to 8:
 * shares of any sum above 0. Not for mixed doubles. NULL: no memory. */
struct win_table *win_table_new(const double share[PROFILE_SCORES]);
void win_table_free(struct win_table *table); /* NULL is fine */

/* The table between rink, which asks, and a player of a known style, a row of style_rows: the ends
 * in which the one has the hammer have other scores than those in which the other has it. NULL: it
 * is rink's equal. */
const struct win_table *win_table_against(const struct style_row *row);

/* Whom one plays against: shares of tables, the rest of the profile's table. */
enum { WIN_PARTS_MAX = 16 };
struct win_mix {
    int count;
    struct {
        const struct win_table *table;
        double share;
    } part[WIN_PARTS_MAX];
};

/* Returns the chance of the side to move to win `game` if it leads by `lead` points after the
 * current end and has (or has not) the hammer in the next one; in mixed doubles: the choice of the
 * setup. A draw counts one half. By `table`, or by the table of the game's profile if it is NULL.
 */
double win_table_after(const struct win_table *table, const struct game *game, int lead,
                       bool has_hammer);

/* The same by a mix. */
double win_mix_after(const struct win_mix *mix, const struct game *game, int lead, bool has_hammer);

/* Mixed doubles, an end that wants a setup: the chance of the team that chooses to win with this
 * one. */
double win_table_of_setup(const struct game *game, enum setup setup);

/* The setup with the best chance that the rules allow. A power play on the right is as good as one
 * on the left, which it returns. */
enum setup win_table_setup(const struct game *game);

#endif
