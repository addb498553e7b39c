/* Inputs of convolutional networks: PLANES pictures of the sheet between the far hog line and the
 * back line, PLANES_SIDE x PLANES_SIDE cells each. The set of K. Lee, S. Kim, J. Choi, S. Lee,
 * "Deep reinforcement learning in continuous action spaces: a case study in the game of simulated
 * curling" (ICML 2018), 3 + 1 + 8 + 1 + 4 + 4 + 8 planes; the contents of each are our own.
 *
 * Column 0 … 31 from left to right (x), row 0 … 31 from the hog line to the back line (y): a cell
 * is 14.8 x 25.7 cm. A stone is in the cell of its centre, or in the nearest cell if its centre is
 * outside. Every number is 0 or 1; "own" means the stones of `seat`.
 *
 *   0        an own stone
 *   1        a stone of the opponent
 *   2        no stone
 *   3        1 everywhere: distinguishes the sheet from the zero padding of a convolution
 *   4 … 11   plane 4 + k is 1 everywhere when this seat has thrown k stones of this end, 0 … 7
 *   12       a stone in the house
 *   13 … 16  the own stone 1st … 4th nearest to the tee
 *   17 … 20  the opponent's stone 1st … 4th nearest to the tee
 *   21 … 28  the stone 1st … 8th nearest to the tee, of both
 *
 * A mirror image of the position mirrors every plane, except for stones exactly on the centre line,
 * a border between cells: these are in column 16. */
#ifndef RINKD_MODELS_NETWORKS_PLANES_H
#define RINKD_MODELS_NETWORKS_PLANES_H

#include "models/game/position.h"

enum {
    PLANES_SIDE = 32,
    PLANES_CELLS = PLANES_SIDE * PLANES_SIDE,
    PLANES_OWN = 0,
    PLANES_OPPONENT = 1,
    PLANES_EMPTY = 2,
    PLANES_ONES = 3,
    PLANES_SHOT = 4,
    PLANES_HOUSE = 12,
    PLANES_OWN_ORDER = 13,
    PLANES_OPPONENT_ORDER = 17,
    PLANES_ORDER = 21,
    PLANES = 29,
    PLANES_ORDER_SEAT = PLANES_OPPONENT_ORDER - PLANES_OWN_ORDER,
    PLANES_ORDER_ALL = PLANES - PLANES_ORDER
};

/* ret_planes[plane][row][column] of a position after `thrown` stones of the end, 0 … 16. */
void planes_of(const struct position *position, int thrown, enum seat seat,
               float ret_planes[PLANES * PLANES_CELLS]);

/* Mirrors planes, or any `count` pictures of this size, in place. */
void planes_mirror(int count, float *planes);

#endif
