/* What networks that look along lines see of a position: for each of the 32 lines of the action
 * grid (models/ice/action_grid.h) what lies on it and beside it, as who throws along it sees it.
 *
 * A stone lies `aside` metres to the right of the straight way from the hack to where the line
 * crosses the tee line, and `deep` metres behind the tee line. LINES_DEPTHS marks stand 0.45 m
 * apart from 3.6 m before the tee line to 1.8 m behind it; a stone counts at the two marks next to
 * it, in shares that sum to 1 (before the first and behind the last mark: at that one). A row
 * holds, for each mark: own, near     (1 - |aside| / 0.3 m) where positive: a stone thrown along
 * the line would meet it own, wide     (1 - |aside| / 0.9 m) where positive own, side     the
 * latter times aside / 0.3 m three of the opponent's stones alike counting      near of those
 * stones that count if the end stops now and then x and |x| of the line / 2 m, the distances of the
 * nearest own stone and of the opponent's nearest to the tee / 2 m (1 beyond that), points of own
 * and of the opponent if the end stopped now / 4, and 16 numbers of which number `thrown` is 1.
 *
 * A row of a line is that of the mirrored line in the mirrored position, but for the sign of the
 * sides and of x. */
#ifndef RINKD_MODELS_NETWORKS_LINES_H
#define RINKD_MODELS_NETWORKS_LINES_H

#include "models/game/position.h"

enum {
    LINES = 32,
    LINES_DEPTHS = 13,
    LINES_PER_DEPTH = 7,
    LINES_SHEET = 6,
    LINES_THROWN = 16,
    LINES_FEATURES = LINES_DEPTHS * LINES_PER_DEPTH + LINES_SHEET + LINES_THROWN
};

/* ret_rows[line][feature] of a position after `thrown` stones of the end, 0 … 15, for the seat that
 * throws next. */
void line_rows_of(const struct position *position, int thrown, enum seat mover,
                  float ret_rows[LINES * LINES_FEATURES]);

/* The mirror image of such rows, in place. */
void line_rows_mirror(float rows[LINES * LINES_FEATURES]);

#endif
