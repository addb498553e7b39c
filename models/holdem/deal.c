/* Deals by the first steps of a Fisher-Yates shuffle. */
#include "models/holdem/deal.h"

#include "models/ice/random.h"

#include <string.h>

enum { DEALT = 2 * HOLDEM_HOLE + HOLDEM_BOARD, DRAW_BITS = 28 };

struct holdem_deal holdem_deal(uint64_t seed, uint64_t index)
{
    const struct random_key key = {.seed = seed, .game = index, .purpose = RANDOM_CARDS};
    uint64_t bits[4];
    uint8_t deck[CARDS];
    struct holdem_deal deal;

    random_bits(&key, 0, 0, bits);
    for (int k = 0; k < CARDS; k++)
        deck[k] = (uint8_t)k;
    for (int k = 0; k < DEALT; k++) {
        /* Two draws from each of the first four words, the ninth from their lowest bits. The bias
         * of a draw is below 52 / 2^28. */
        uint64_t draw = k < 8 ? bits[k / 2] >> (8 + DRAW_BITS * (k % 2))
                              : (bits[0] & 255) << 20 | (bits[1] & 255) << 12 |
                                    (bits[2] & 255) << 4 | (bits[3] & 15);
        draw &= (UINT64_C(1) << DRAW_BITS) - 1;
        int at = k + (int)(draw * (uint64_t)(CARDS - k) >> DRAW_BITS);
        uint8_t card = deck[at];
        deck[at] = deck[k];
        deck[k] = card;
    }
    memcpy(deal.hole, deck, sizeof deal.hole);
    memcpy(deal.board, deck + sizeof deal.hole, sizeof deal.board);
    return deal;
}
