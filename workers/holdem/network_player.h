/* Players with one network. */
#ifndef RINKD_WORKERS_HOLDEM_NETWORK_PLAYER_H
#define RINKD_WORKERS_HOLDEM_NETWORK_PLAYER_H

#include "workers/holdem/network.h"

/* A network with its weights, which it borrows. */
struct poker_network {
    struct poker_form form;
    const float *weights;
};

/* The player borrows the network. */
struct poker_player poker_network_player(const struct poker_network *network);

/* What a network has seen of a hand. */
struct poker_reading {
    struct poker_state state;
    int fed; /* steps of the path */
};

/* Feeds what is new since the last call, then computes the values of the actions. */
void poker_network_read(const struct poker_network *network, const struct feature_tree *tree,
                        const struct poker_scene *scene, struct poker_reading *reading,
                        float ret_values[POKER_ACTIONS]);
void poker_network_deal(const struct poker_network *network, struct poker_reading *ret_reading);

#endif
