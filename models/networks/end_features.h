/* What the end-value network sees of a position: the stones from the tee outwards.
 *
 * One row of END_FEATURES numbers of about unit size. For each of the END_FEATURES_STONES stones
 * nearest to the tee, in that order, END_FEATURES_PER_STONE numbers (all 0 where there is no
 * stone): 0  1 if it is sente's         1  1 if it is gote's 2  x / 2 m                    3  (y -
 * tee) / 2 m        4  distance to the tee / 2 m 5  1 - distance / 1.974 m in the house, 0 outside
 *   6  how far stones in front cover it: the largest (1 - |dx| / 0.35 m) among them, 0 if none
 * and then, for the whole sheet: points of sente and of gote if the end stopped now, stones in the
 * house of sente and gote, stones in front of the house of sente and gote, all / 4.
 * A mirror image of the position changes the sign of every feature 2 and nothing else. */
#ifndef RINKD_MODELS_NETWORKS_END_FEATURES_H
#define RINKD_MODELS_NETWORKS_END_FEATURES_H

#include "models/game/position.h"

enum {
    END_FEATURES_STONES = 12,
    END_FEATURES_PER_STONE = 7,
    END_FEATURES_X = 2, /* the one that a mirror turns round */
    END_FEATURES_SHEET = 6,
    END_FEATURES = END_FEATURES_STONES * END_FEATURES_PER_STONE + END_FEATURES_SHEET
};

void end_features(const struct position *position, float ret_features[END_FEATURES]);

#endif
