/* A position of an end in 68 bytes, for memories with millions of them (replay, reservoir).
 * Features and planes are computed from it when it is used.
 *
 * Places are rounded to 0.1 mm across and 0.25 mm along the sheet, far less than the noise of any
 * throw; a stone that close to a border (house, cell) may cross it. */
#ifndef RINKD_MODELS_NETWORKS_COMPACT_POSITION_H
#define RINKD_MODELS_NETWORKS_COMPACT_POSITION_H

#include "models/game/position.h"

struct compact_position {
    int16_t x[POSITION_STONES]; /* units of 0.1 mm from the tee; 0 where not in play */
    int16_t y[POSITION_STONES]; /* units of 0.25 mm from the tee */
    uint16_t in_play;           /* as in struct position */
    uint8_t thrown;             /* stones of this end, 0 … 16 */
    uint8_t unused;             /* 0, so that equal positions are equal bytes */
};

/* Compacts a position. Range: 3.2 m to either side and 8 m before or behind the tee; a stone beyond
 * it, far short of the hog line as profiles of Digital Curling 4 keep it, lies at its border. */
struct compact_position compact_position_of(const struct position *position, int thrown);

/* Restores the position, rounded; compacting it again gives the same bytes. */
struct position compact_position_open(const struct compact_position *compact);

#endif
