/* How strong a hand is among all hands that the opponent may hold, from 0 to 1, by tables that are
 * made once. Before the flop: the share of the 169 kinds of hands, weighted by their number, with
 * less equity against a random hand. Later: the share of random hands with a smaller value on a
 * board of the same class (pairs on it, three of a suit). */
#ifndef RINKD_MODELS_HOLDEM_STRENGTH_H
#define RINKD_MODELS_HOLDEM_STRENGTH_H

#include "models/holdem/deal.h"

enum { STRENGTH_KINDS = RANKS * RANKS, STRENGTH_BOARDS = 8 };

/* Made by strength_tables(). */
struct strength_tables {
    const struct hand_tables *hands;
    float before_flop[STRENGTH_KINDS];
    uint16_t later[3][STRENGTH_BOARDS][HAND_VALUES]; /* round - 1; in units of 1 / 65535 */
};

/* Returns the tables, which the first call makes (some 50 ms). Any thread. They live as long as the
 * program. */
const struct strength_tables *strength_tables(void);

/* A board as far as it lies. */
struct strength_board {
    struct hand hand;
    int cards, kind; /* class of its pairs and suits */
};
struct strength_board strength_board(const struct strength_tables *tables, const uint8_t *board,
                                     int cards);

/* Number of the kind of two cards: 13 * high + low suited, 13 * low + high otherwise. */
int strength_kind(const uint8_t hole[HOLDEM_HOLE]);

/* The strength of a hand on a board of 0, 3, 4 or 5 cards. */
double strength_of(const struct strength_tables *tables, const struct strength_board *board,
                   const uint8_t hole[HOLDEM_HOLE]);

/* How near flush, straight and so on are, 0 to 1. */
struct strength_chances {
    double flush;    /* cards of the most frequent suit: 0 for two or fewer, 1 for five */
    double straight; /* the same for ranks within five in a row */
    double pairs;    /* on the board: 0, 1/3 a pair, 2/3 two pairs or three of a kind, 1 more */
};
struct strength_chances strength_chances(const struct strength_board *board, struct hand hand);

#endif
