/* Counting: the stones that score, the points of a position, the order from the tee. */
#ifndef RINKD_MODELS_GAME_SCORE_H
#define RINKD_MODELS_GAME_SCORE_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stdbool.h>

/* The stones that would count if the end stopped now, as bits: stones of one seat in the house,
 * nearer to the tee than the other seat's nearest. 0 for a blank end. `team0_has_hammer` matters
 * only if the rules give an exact tie to team0. */
uint16_t score_counting(const struct rules *rules, const struct position *position,
                        bool team0_has_hammer);

/* Points if the end stopped now: positive for sente, negative for gote, 0 for a blank end. */
int score_position(const struct rules *rules, const struct position *position,
                   bool team0_has_hammer);

/* Lists the stones in play by distance to the tee, nearest first, equal distances by index. Returns
 * their number; the rest of ret_order is untouched. */
int score_order(const struct position *position, int ret_order[POSITION_STONES]);

#endif
