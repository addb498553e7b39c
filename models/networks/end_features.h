/* Inputs of the end-value network: the stones of a position from the tee outwards.
 *
 * One row of END_FEATURES numbers of about unit size. For each of the END_FEATURES_STONES stones
 * nearest to the tee, in that order, there are two blocks of END_FEATURES_PER_STONE numbers, the
 * first for sente's stones and the second for gote's, so that each seat has its own weights. The
 * block of the other seat is all 0, and both are 0 without a stone. The numbers of a block:
 *
 *   - 0: 1
 *   - 1, 2: x / 2 m and (y - tee) / 2 m
 *   - 3: distance to the tee / 2 m
 *   - 4: 1 - distance / SHEET_TOUCHES_HOUSE in the house, 0 outside
 *   - 5: how far stones in front cover it: the largest 1 - |dx| / 0.35 m, 0 if none does
 *   - 6: how far they cover it from draws of either turn, the more open way
 *   - 7: 1 if it would count if the end stopped now
 *   - 8: nearness of the nearest stone of its own seat: 1 = touching, 0 = 0.6 m off or more
 *   - 9: the same for the other seat
 *   - 10: how well a stone of its own seat right behind backs it: 1 = frozen to it, 0 = none
 *   - 11: the same for the other seat
 *
 * Then follow, for the whole sheet and all / 4: the points of sente and of gote if the end stopped
 * now, the stones of each in the house, and the stones of each in front of the house. A mirror
 * image of the position changes the sign of every feature 1 and nothing else. */
#ifndef RINKD_MODELS_NETWORKS_END_FEATURES_H
#define RINKD_MODELS_NETWORKS_END_FEATURES_H

#include "models/game/position.h"

#include <stdint.h>

enum {
    END_FEATURES_STONES = 12,
    END_FEATURES_PER_STONE = 12,
    END_FEATURES_X = 1, /* the feature whose sign a mirror image changes */
    END_FEATURES_SHEET = 6,
    END_FEATURES_BLOCKS = 2 * END_FEATURES_STONES,
    END_FEATURES = END_FEATURES_BLOCKS * END_FEATURES_PER_STONE + END_FEATURES_SHEET
};

void end_features(const struct position *position, float ret_features[END_FEATURES]);

/* For callers that skip zeros: writes only the blocks of stones in play and the numbers of the
 * sheet, and lists those blocks in ascending order. Returns the number of blocks. */
int end_features_blocks(const struct position *position, float ret_features[END_FEATURES],
                        uint8_t ret_blocks[END_FEATURES_STONES]);

#endif
