/* Random numbers without a state: each is a function of a key and a sample number, so a draw does
 * not depend on earlier draws, on the thread, or on a crash and resume.
 *
 * The generator is Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC 2011), from the Random123 library. The fields fill its key and its counter
 * without hashing, so different keys never share a number. */
#ifndef RINKD_MODELS_ICE_RANDOM_H
#define RINKD_MODELS_ICE_RANDOM_H

#include "models/ice/normal.h"

#include <stddef.h>
#include <stdint.h>

/* Purpose of the numbers, so that two uses at the same shot do not share them. The values are part
 * of every result that a seed reproduces: append, never renumber. */
enum random_purpose {
    RANDOM_EXECUTION = 1, /* the error of a throw in the game */
    RANDOM_PLANNING = 2,  /* the errors that a player imagines while it thinks */
    RANDOM_CHOICE = 3,    /* a player chooses between actions */
    RANDOM_SCENE = 4,     /* making up positions and shots */
    RANDOM_CARDS = 5,     /* the cards of a hand of hold'em */
    RANDOM_LUCK = 6       /* throws that show what a shot gives on average */
};

struct random_key {
    uint64_t seed;   /* chosen by the user, one per job */
    uint64_t stream; /* the actor, player or input line within the job */
    uint64_t game; /* number of the game; number of the pair if two games with swapped seats are to
                      meet the same noise */
    uint32_t shot; /* place in the game: 16 * end + number of the shot in its end */
    uint32_t purpose; /* enum random_purpose */
};

/* 256 random bits: `sample` counts draws under one key, `block` further bits of one sample. Block 0
 * serves the functions below, 1 to 8 serve quasi.h; callers that need more bits use blocks from 16
 * on. */
void random_bits(const struct random_key *key, uint64_t sample, uint64_t block,
                 uint64_t ret_bits[4]);

/* A number in (0, 1), an odd multiple of 2^-53, from the upper 52 of 64 bits. Never 0 or 1; 1 minus
 * the number is exact and of the same form. */
static inline double random_unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Uniform in (0, 1). Uses the same bits as z0 of random_normal_pair(): if you need both, use
 * another purpose or sample. */
double random_uniform(const struct random_key *key, uint64_t sample);

/* Standard normal pair number `sample` of the key. */
struct normal_pair random_normal_pair(const struct random_key *key, uint64_t sample);

#endif
