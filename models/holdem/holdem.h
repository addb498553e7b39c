/* The rules of heads-up no-limit hold'em: stacks of 20,000 chips at the start of each hand, blinds
 * of 50 and 100. Positions: 0 is the button, who posts the small blind and acts first before the
 * flop and last afterwards; 1 is the big blind. */
#ifndef RINKD_MODELS_HOLDEM_HOLDEM_H
#define RINKD_MODELS_HOLDEM_HOLDEM_H

#include "models/holdem/deal.h"

enum { HOLDEM_STACK = 20000, HOLDEM_SMALL_BLIND = 50, HOLDEM_BIG_BLIND = 100, HOLDEM_ROUNDS = 4 };

enum holdem_move { HOLDEM_FOLD, HOLDEM_CALL, HOLDEM_RAISE }; /* a call of nothing is a check */

struct holdem_action {
    enum holdem_move move;
    int to; /* raise: all chips of the player in the pot after it */
};

/* A hand between two actions. Without pointers; copies are fine. */
struct holdem {
    int chips[2];   /* of each position in the pot */
    int last_raise; /* smallest further raise, chips */
    int round;      /* 0 before the flop, 1 flop, 2 turn, 3 river */
    int mover;      /* position that acts; -1: the hand is over */
    int acted;      /* actions in this round */
    int raises;     /* raises in this round */
    int folded;     /* position that has folded; -1: none */
};

/* Starts a hand: blinds are posted, the button acts. */
struct holdem holdem_start(void);

static inline int holdem_to_call(const struct holdem *hand)
{
    return hand->chips[1 - hand->mover] - hand->chips[hand->mover];
}

static inline int holdem_pot(const struct holdem *hand)
{
    return hand->chips[0] + hand->chips[1];
}

/* Cards of the board that lie in a round: 0, 3, 4, 5. */
static inline int holdem_board_cards(int round)
{
    return round == 0 ? 0 : round + 2;
}

/* The range of `to` for a raise of the mover. False: no raise is possible. A raise is at least as
 * large as the one before, and at least a big blind; all-in is always possible. */
bool holdem_raise_range(const struct holdem *hand, int *ret_least, int *ret_most);

/* The raise of the mover by a share of the pot after a call, moved into the range. If no raise is
 * possible, a call. */
struct holdem_action holdem_raise_by(const struct holdem *hand, double pots);

/* Plays an action of the mover. False, and no change: the rules do not allow it. A fold with
 * nothing to call is not allowed. */
bool holdem_play(struct holdem *hand, struct holdem_action action);

/* Both hands are compared at the end: nobody has folded. */
static inline bool holdem_is_showdown(const struct holdem *hand)
{
    return hand->mover < 0 && hand->folded < 0;
}

/* Chips that the button wins in a hand that is over; the big blind wins their negative. */
int holdem_result(const struct holdem *hand, const struct hand_tables *tables,
                  const struct holdem_deal *deal);

#endif
