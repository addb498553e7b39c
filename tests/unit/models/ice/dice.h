/* Random numbers for the tests of this folder and the golden scenes: one stream per seed, the same
 * on every machine. Not for uses that need good randomness. */
#ifndef RINKD_TESTS_UNIT_MODELS_ICE_DICE_H
#define RINKD_TESTS_UNIT_MODELS_ICE_DICE_H

#include "models/ice/random.h"

struct dice {
    struct random_key key;
    uint64_t rolls;
};

static inline struct dice dice_of_seed(uint64_t seed)
{
    return (struct dice){.key = {.seed = seed, .purpose = RANDOM_SCENE}};
}

/* Returns a uniform number in (low, high). */
static inline double dice_between(struct dice *dice, double low, double high)
{
    return low + (high - low) * random_uniform(&dice->key, dice->rolls++);
}

/* Returns a number in 0 … count - 1. */
static inline int dice_below(struct dice *dice, int count)
{
    return (int)dice_between(dice, 0.0, count);
}

static inline double dice_sign(struct dice *dice)
{
    return dice_below(dice, 2) ? 1.0 : -1.0;
}

#endif
