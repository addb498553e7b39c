/* Counting: which stones score, how much a position is worth, who lies nearest to the tee. */
#ifndef RINKD_MODELS_GAME_SCORE_H
#define RINKD_MODELS_GAME_SCORE_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stdbool.h>

/* The stones that count if the end stopped now, as bits: the stones of one seat, in the house, that
 * are nearer to the tee than the other seat's nearest. 0 when nobody scores. `team0_has_hammer`
 * matters only where the rules give an exact tie to team0. */
uint16_t score_counting(const struct rules *rules, const struct position *position,
                        bool team0_has_hammer);

/* Points if the end stopped now: positive for sente, negative for gote, 0 for nobody. */
int score_position(const struct rules *rules, const struct position *position,
                   bool team0_has_hammer);

/* Stones in play by distance to the tee, nearest first; stones exactly as far by index. Returns how
 * many there are; *ret_order beyond that is left alone. */
int score_order(const struct position *position, int ret_order[POSITION_STONES]);

#endif
