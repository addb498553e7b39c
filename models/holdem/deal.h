/* The cards of a hand of heads-up hold'em: a function of a seed and a number, so a hand does not
 * depend on earlier ones, on the thread, or on a crash and resume. */
#ifndef RINKD_MODELS_HOLDEM_DEAL_H
#define RINKD_MODELS_HOLDEM_DEAL_H

#include "models/holdem/hand_value.h"

enum { HOLDEM_BOARD = 5, HOLDEM_HOLE = 2 };

struct holdem_deal {
    uint8_t hole[2][HOLDEM_HOLE]; /* by position: 0 the button, 1 the big blind */
    uint8_t board[HOLDEM_BOARD];  /* flop, turn, river */
};

struct holdem_deal holdem_deal(uint64_t seed, uint64_t index);

#endif
