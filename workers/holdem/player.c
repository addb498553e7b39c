/* Kinds of actions. */
#include "workers/holdem/player.h"

int poker_branch(const struct holdem *before, struct holdem_action action)
{
    static const double split[POKER_RAISE_BINS - 1] = {.125, .375, .75, 1.25, 2.0, 4.0};
    int other = before->chips[1 - before->mover], bin = 0;

    if (action.move != HOLDEM_RAISE)
        return action.move == HOLDEM_FOLD ? POKER_FOLD : POKER_CALL;
    while (bin < POKER_RAISE_BINS - 1 && action.to - other > split[bin] * 2.0 * other)
        bin++;
    return POKER_RAISE + bin;
}
