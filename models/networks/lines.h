/* What networks that look along lines see of a position: for each of the 32 lines of the action
 * grid (models/ice/action_grid.h) what lies on it and beside it, seen by the side that throws along
 * it.
 *
 * A stone lies `aside` metres to the right of the straight way from the hack to where the line
 * crosses the tee line, and `deep` metres behind the tee line. LINES_DEPTHS marks stand 0.45 m
 * apart from 3.6 m before the tee line to 1.8 m behind it; a stone counts at the two marks next to
 * it, in shares that sum to 1 (before the first and behind the last mark: at that one).
 *
 * A row holds, for each mark, LINES_PER_DEPTH numbers, each a sum over the stones there:
 *    0  own stones near: 1 - |aside| / 0.3 m where positive; thrown along the line, a stone (0.29 m
 *       across) meets them
 *    1  own stones in a wider strip: 1 - |aside| / 0.9 m where positive
 *    2  the latter times aside / 0.3 m: on which side they lie
 *    3  4  5  the same of the opponent's stones
 *    6  as 0 and 3, of the stones that count if the end stops now
 * and behind the marks, the same in all rows but for the first two:
 *    x and |x| of the line / 2 m
 *    the distances to the tee of the nearest own stone and of the opponent's / 2 m; 1 beyond that
 *       and where there is none
 *    points of the own side and of the opponent if the end stopped now / 4
 *    16 numbers of which number `thrown` is 1
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

/* ret_rows[line][feature] of a position after `thrown` stones of the end, 0 … 15 and nothing else,
 * for the seat that throws next. */
void line_rows_of(const struct position *position, int thrown, enum seat mover,
                  float ret_rows[LINES * LINES_FEATURES]);

/* The mirror image of such rows, in place. */
void line_rows_mirror(float rows[LINES * LINES_FEATURES]);

#endif
