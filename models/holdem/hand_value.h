/* Values of poker hands of five to seven cards by one look at a table. A better hand has a larger
 * value; equal hands have equal values.
 *
 * A card is a number: 4 * rank + suit, rank 0 is the two and 12 the ace. A hand is a sum over its
 * cards, so nested loops over cards keep the sum of the outer ones. */
#ifndef RINKD_MODELS_HOLDEM_HAND_VALUE_H
#define RINKD_MODELS_HOLDEM_HAND_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { CARDS = 52, RANKS = 13, SUITS = 4 };

static inline int card_rank(int card)
{
    return card / SUITS;
}

static inline int card_suit(int card)
{
    return card % SUITS;
}

struct hand {
    /* Bits 0 to 31: sum of 5^rank, which tells how often each rank is there. Bits 32 + 4 * suit to
     * 35 + 4 * suit: 3 + cards of the suit, so the uppermost one is set from five cards on. */
    uint64_t key;
    uint64_t mask; /* bit 16 * suit + rank: the card is there */
};

#define HAND_EMPTY ((struct hand){.key = UINT64_C(0x3333) << 32})

enum hand_category {
    HAND_HIGH_CARD,
    HAND_PAIR,
    HAND_TWO_PAIRS,
    HAND_TRIPS,
    HAND_STRAIGHT,
    HAND_FLUSH,
    HAND_FULL_HOUSE,
    HAND_QUADS,
    HAND_STRAIGHT_FLUSH,
    HAND_CATEGORIES
};

/* Values are 0 to HAND_VALUES - 1: as many as there are different hands of five cards. */
enum { HAND_VALUES = 7462 };

enum { HAND_SLOT_BITS = 17, HAND_ROW_BITS = 13 };

/* Made by hand_tables(). */
struct hand_tables {
    uint64_t card_key[CARDS];
    uint64_t multiplier; /* of the hash of ranks */
    uint32_t shift[1 << HAND_ROW_BITS];
    uint16_t by_ranks[1 << HAND_SLOT_BITS];
    uint16_t by_flush[1 << RANKS];
};

/* Returns the tables, which the first call makes (some milliseconds). Any thread. They live as long
 * as the program. */
const struct hand_tables *hand_tables(void);

static inline struct hand hand_add(const struct hand_tables *tables, struct hand hand, int card)
{
    return (struct hand){hand.key + tables->card_key[card],
                         hand.mask | UINT64_C(1) << (16 * card_suit(card) + card_rank(card))};
}

/* The union of two hands without a common card. */
static inline struct hand hand_join(struct hand a, struct hand b)
{
    return (struct hand){a.key + b.key - HAND_EMPTY.key, a.mask | b.mask};
}

/* Place in by_ranks of a sum of 5^rank: a row of the hash says how its slots are shifted. */
static inline uint32_t hand_slot(const struct hand_tables *tables, uint32_t ranks)
{
    uint64_t hash = ranks * tables->multiplier;

    return ((uint32_t)(hash >> 24) & ((1u << HAND_SLOT_BITS) - 1)) ^
           tables->shift[hash >> (64 - HAND_ROW_BITS)];
}

/* The value of a hand of five, six or seven cards. With a flush of five cards no hand of seven has
 * four of a kind or a full house. */
static inline int hand_value(const struct hand_tables *tables, struct hand hand)
{
    uint64_t flush = hand.key & UINT64_C(0x8888) << 32;

    if (flush != 0)
        return tables
            ->by_flush[hand.mask >> (4 * (__builtin_ctzll(flush) - 35)) & ((1u << RANKS) - 1)];
    return tables->by_ranks[hand_slot(tables, (uint32_t)hand.key)];
}

enum hand_category hand_category(int value);

#endif
