/* A player made of a base network and a counter network against each known style: the networks vote
 * with the weights that the model of the opponent gives them, the base most while it is unsure. */
#ifndef RINKD_WORKERS_HOLDEM_ENSEMBLE_H
#define RINKD_WORKERS_HOLDEM_ENSEMBLE_H

#include "workers/holdem/network_player.h"
#include "workers/holdem/style.h"

enum ensemble_kind {
    ENSEMBLE_FULL,
    ENSEMBLE_NO_BASE, /* counters alone, by the chances of their styles */
    ENSEMBLE_EQUAL    /* counters alone, always with equal weights */
};

enum { ENSEMBLE_NETWORKS = 1 + POKER_STYLES };

/* The base network comes first. */
struct ensemble {
    enum ensemble_kind kind;
    struct poker_network network[ENSEMBLE_NETWORKS];
    struct style_vector style[POKER_STYLES];
};

/* The player borrows the ensemble. */
struct poker_player poker_ensemble_player(const struct ensemble *ensemble);

#endif
