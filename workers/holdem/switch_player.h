/* A player that switches between others after a number of hands. Each of them keeps its memory, and
 * sees only its own hands. */
#ifndef RINKD_WORKERS_HOLDEM_SWITCH_PLAYER_H
#define RINKD_WORKERS_HOLDEM_SWITCH_PLAYER_H

#include "workers/holdem/player.h"

enum { SWITCH_PLAYERS_MAX = 8 };

struct switch_order {
    int count, every; /* hands */
    /* False: in turn. True: a new order each time all have played, drawn from the session's
     * seed. */
    bool shuffled;
    struct poker_player player[SWITCH_PLAYERS_MAX];
};

/* The player borrows the order. */
struct poker_player poker_switch_player(const struct switch_order *order);

#endif
