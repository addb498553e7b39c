/* Inputs of networks that look along lines: for each of the 32 lines of the action grid
 * (models/ice/action_grid.h) the stones on it and beside it, as seen by the thrower.
 *
 * A stone lies `aside` metres to the right of the straight way from the hack to where the line
 * crosses the tee line, and `deep` metres behind the tee line. LINES_DEPTHS marks stand 0.45 m
 * apart from 3.6 m before the tee line to 1.8 m behind it; a stone counts at the two marks next to
 * it, in shares that sum to 1 (before the first and behind the last mark: at that mark only).
 *
 * A row holds, for each mark, LINES_PER_DEPTH numbers, each a sum over the stones there:
 *    0  own stones near: 1 - |aside| / 0.3 m where positive; thrown along the line, a stone (0.29 m
 *       across) meets them
 *    1  own stones in a wider strip: 1 - |aside| / 0.9 m where positive
 *    2  feature 1 times aside / 0.3 m: the side on which they lie
 *    3  4  5  the same of the opponent's stones
 *    6  as 0 and 3, for the stones that would count if the end stopped now
 * and after the marks, the same in all rows but for the first two:
 *    x and |x| of the line / 2 m
 *    the distances to the tee of the nearest own stone and of the opponent's / 2 m; 1 beyond that
 *       and its default without one
 *    points of the own side and of the opponent if the end stopped now / 4
 *    16 numbers of which number `thrown` is 1
 *
 * In the mirrored position, the mirrored line has the same row except for the signs of the sides
 * and of x. */
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

/* ret_rows[line][feature] of a position after `thrown` stones of the end, 0 … 15 only, for the seat
 * that throws next. */
void line_rows_of(const struct position *position, int thrown, enum seat mover,
                  float ret_rows[LINES * LINES_FEATURES]);

/* Mirrors such rows in place. */
void line_rows_mirror(float rows[LINES * LINES_FEATURES]);

#endif
