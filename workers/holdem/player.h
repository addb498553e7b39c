/* Players of heads-up hold'em: one interface for rule players, networks, ensembles and players that
 * switch between others. A player is constant; what it knows of a session of hands is in memory
 * that belongs to the caller, so one player may sit at several tables at once. The answers of a
 * session depend only on its seed and on what happens at its table. */
#ifndef RINKD_WORKERS_HOLDEM_PLAYER_H
#define RINKD_WORKERS_HOLDEM_PLAYER_H

#include "models/holdem/holdem.h"
#include "models/holdem/strength.h"

#include <stddef.h>

/* What the mover knows. */
struct poker_scene {
    const struct strength_tables *tables;
    const struct holdem *hand;
    const uint8_t *hole; /* own cards */
    const struct strength_board *board;
    double strength; /* of the own hand now */
};

/* The end of a hand, from a player's side. */
struct poker_end {
    bool opponent_folded;
    bool shown;      /* there was a showdown */
    double strength; /* of the opponent's hand, if shown */
};

struct poker_player;

struct poker_class {
    /* Bytes of memory for a session. */
    size_t (*memory)(const struct poker_player *player);
    /* Begins a session; memory holds anything before. */
    void (*begin)(const struct poker_player *player, void *memory, uint64_t seed);
    /* Deals the player in for hand `number` of the session at a position. */
    void (*deal)(const struct poker_player *player, void *memory, uint64_t number, int position);
    /* Decides as the mover; the answer is legal. */
    struct holdem_action (*choose)(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene);
    /* Tells an action, its own included; `before` is the hand before it. NULL: not interested. */
    void (*see)(const struct poker_player *player, void *memory, const struct holdem *before,
                struct holdem_action action);
    /* Tells how the hand has ended. NULL: not interested. */
    void (*end)(const struct poker_player *player, void *memory, const struct poker_end *end);
};

/* Borrows everything that it points to. */
struct poker_player {
    const struct poker_class *class;
    const void *data; /* belongs to the class */
};

/* ---- kinds of actions: the branches of feature trees and of style vectors ---- */

enum { POKER_FOLD, POKER_CALL, POKER_RAISE, POKER_RAISE_BINS = 7, POKER_BRANCHES = 9 };

/* The branch of an action: fold, call, or one of seven sizes of raises, split at 1/8, 3/8, 3/4,
 * 5/4, 2 and 4 pots. */
int poker_branch(const struct holdem *before, struct holdem_action action);

#endif
