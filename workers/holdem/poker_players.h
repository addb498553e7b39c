/* Makes players from their specs (api/fields/poker_spec.h): reads the networks that they need. */
#ifndef RINKD_WORKERS_HOLDEM_POKER_PLAYERS_H
#define RINKD_WORKERS_HOLDEM_POKER_PLAYERS_H

#include "api/fields/poker_spec.h"
#include "workers/holdem/ensemble.h"
#include "workers/holdem/network_file.h"
#include "workers/holdem/switch_player.h"

/* A player with everything that it borrows. It must not be moved. */
struct poker_opened {
    struct poker_player player;
    int every; /* hands between its switches; 0: it does not switch */
    struct switch_order order;
    struct ensemble ensemble[POKER_PARTS_MAX];
    struct poker_network network[POKER_PARTS_MAX]; /* of models; their weights are owned */
};

/* Makes a player. Models with a hash are HASH.safetensors in the folder `models` (NULL: the one
 * that RINKD_MODELS names), others are paths. On success the caller calls poker_close(). On failure
 * returns false and writes a sentence. */
bool poker_open(const char *text, const char *models, struct poker_opened *ret_opened,
                char ret_error[PLAYER_ERROR_MAX]);
void poker_close(struct poker_opened *opened);

#endif
