/* More inputs of the end-value network: where stones lie, and where they lie relative to each
 * other, as shares of cells of grids. A network has a row of weights for each mark of a grid; a
 * stone adds the rows of the four marks around it in shares that sum to 1 (bilinear). So it learns
 * what a place is worth without a formula for it.
 *
 * Two kinds of grids, all END_PLACES_ACROSS marks across:
 *   - a stone's place, 9 x 14 marks from 2.1 m left to 2.1 m right of the tee and 5 m before to 2 m
 *     behind it, a grid for each seat and each of the first three stones from the tee, and one for
 *     the others;
 *   - a stone's place seen from one that lies nearer to the tee, 9 x 11 marks up to 2 m across and
 *     4 m along, finer near it (the root of the distance), a grid for each of the first two stones
 *     from the tee and one for the others, and for the seats of both; shares sum to 1/2.
 * Of pairs, the END_PLACES_STONES stones nearest to the tee count. */
#ifndef RINKD_MODELS_NETWORKS_END_PLACES_H
#define RINKD_MODELS_NETWORKS_END_PLACES_H

#include "models/game/position.h"

#include <stdint.h>

enum {
    END_PLACES_STONES = 10,
    END_PLACES_ACROSS = 9,
    END_PLACES_ALONG = 14,      /* marks of a grid for places */
    END_PLACES_PAIR_ALONG = 11, /* of one for pairs */
    END_PLACES_RANKS = 4,       /* a stone's place from the tee: 0, 1, 2, later */
    END_PLACES_PAIR_RANKS = 3,  /* 0, 1, later */
    END_PLACES_ALONE = 2 * END_PLACES_RANKS * END_PLACES_ACROSS * END_PLACES_ALONG,
    END_PLACES_ROWS =
        END_PLACES_ALONE + 4 * END_PLACES_PAIR_RANKS * END_PLACES_ACROSS * END_PLACES_PAIR_ALONG,
    END_PLACES_MAX = POSITION_STONES + END_PLACES_STONES * (END_PLACES_STONES - 1) / 2
};

/* The rows of a cell's four marks, from the first one on. */
static const int end_places_corners[4] = {0, 1, END_PLACES_ACROSS, END_PLACES_ACROSS + 1};

/* Cells: share[k][c] is that of row row[k] + end_places_corners[c]. */
struct end_places {
    int count;
    uint16_t row[END_PLACES_MAX];
    float share[END_PLACES_MAX][4];
};

void end_places(const struct position *position, struct end_places *ret_places);

#endif
