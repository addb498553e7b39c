/* The rules of heads-up no-limit hold'em. */
#include "models/holdem/holdem.h"

#include <assert.h>

struct holdem holdem_start(void)
{
    return (struct holdem){.chips = {HOLDEM_SMALL_BLIND, HOLDEM_BIG_BLIND},
                           .last_raise = HOLDEM_BIG_BLIND,
                           .folded = -1};
}

bool holdem_raise_range(const struct holdem *hand, int *ret_least, int *ret_most)
{
    if (hand->mover < 0)
        return false;
    int other = hand->chips[1 - hand->mover], least = other + hand->last_raise;

    if (other >= HOLDEM_STACK)
        return false;
    *ret_most = HOLDEM_STACK;
    *ret_least = least < HOLDEM_STACK ? least : HOLDEM_STACK;
    return true;
}

struct holdem_action holdem_raise_by(const struct holdem *hand, double pots)
{
    int least, most, other = hand->chips[1 - hand->mover];

    if (!holdem_raise_range(hand, &least, &most))
        return (struct holdem_action){HOLDEM_CALL, 0};
    double to = other + pots * 2.0 * other;
    return (struct holdem_action){HOLDEM_RAISE, to >= most ? most : to <= least ? least : (int)to};
}

/* The next round; the hand is over after the last one, or if nobody can bet any more. */
static void end_round(struct holdem *hand)
{
    if (hand->round == HOLDEM_ROUNDS - 1 || hand->chips[0] >= HOLDEM_STACK) {
        hand->mover = -1;
        return;
    }
    hand->round++;
    hand->mover = 1;
    hand->acted = hand->raises = 0;
    hand->last_raise = HOLDEM_BIG_BLIND;
}

static void call(struct holdem *hand)
{
    bool is_option = hand->round == 0 && hand->acted == 0; /* the big blind may still raise */
    bool was_bet = holdem_to_call(hand) > 0;

    hand->chips[hand->mover] = hand->chips[1 - hand->mover];
    hand->acted++;
    if (!is_option && (was_bet || hand->acted > 1))
        end_round(hand);
    else
        hand->mover = 1 - hand->mover;
}

bool holdem_play(struct holdem *hand, struct holdem_action action)
{
    int least, most;

    if (hand->mover < 0)
        return false;
    switch (action.move) {
    case HOLDEM_FOLD:
        if (holdem_to_call(hand) == 0)
            return false;
        hand->folded = hand->mover;
        hand->mover = -1;
        return true;
    case HOLDEM_CALL:
        call(hand);
        return true;
    case HOLDEM_RAISE:
        break;
    default:
        return false;
    }
    if (!holdem_raise_range(hand, &least, &most) || action.to < least || action.to > most)
        return false;
    int by = action.to - hand->chips[1 - hand->mover];
    hand->chips[hand->mover] = action.to;
    hand->last_raise = by > hand->last_raise ? by : hand->last_raise;
    hand->acted++;
    hand->raises++;
    hand->mover = 1 - hand->mover;
    return true;
}

int holdem_result(const struct holdem *hand, const struct hand_tables *tables,
                  const struct holdem_deal *deal)
{
    struct hand board = HAND_EMPTY;
    int value[2];

    assert(hand->mover < 0);
    if (hand->folded >= 0)
        return hand->folded == 0 ? -hand->chips[0] : hand->chips[1];
    for (int k = 0; k < HOLDEM_BOARD; k++)
        board = hand_add(tables, board, deal->board[k]);
    for (int position = 0; position < 2; position++) {
        struct hand all = board;
        for (int k = 0; k < HOLDEM_HOLE; k++)
            all = hand_add(tables, all, deal->hole[position][k]);
        value[position] = hand_value(tables, all);
    }
    return hand->chips[0] * ((value[0] > value[1]) - (value[0] < value[1]));
}
