/* Sobol's first two dimensions, Owen-scrambled with bits from random.h. */
#include "models/ice/quasi.h"

#include <assert.h>

/* Binary digits of each coordinate, the first one highest. */
enum { DIGITS = 32 };

/* Dimension 0 is van der Corput's sequence: the digits of the sample number, mirrored. */
static uint32_t sobol_first(uint32_t sample)
{
    uint32_t digits = 0;
    for (int k = 0; k < DIGITS; k++, sample >>= 1)
        digits = digits << 1 | (sample & 1);
    return digits;
}

/* Dimension 1 belongs to the primitive polynomial x + 1 over GF(2): its direction numbers start
 * with 1/2 and follow v_k = v_{k-1} xor v_{k-1}/2. */
static uint32_t sobol_second(uint32_t sample)
{
    uint32_t digits = 0;
    uint32_t direction = UINT32_C(1) << (DIGITS - 1);
    for (; sample; sample >>= 1) {
        if (sample & 1)
            digits ^= direction;
        direction ^= direction >> 1;
    }
    return digits;
}

/* Owen's scrambling: a digit is flipped or not by its own random bit, one for each string of
 * (unscrambled) digits that can come before it. These bits form a binary tree; it is cut into
 * subtrees of 8 levels, whose 255 nodes take their bits from one draw of 256, node 1 the root and
 * 2n, 2n + 1 the children of node n. */
static uint32_t scramble(const struct random_key *key, unsigned dimension, uint32_t digits)
{
    uint32_t scrambled = 0;

    for (unsigned byte = 0; byte < 4; byte++) {
        uint32_t before = byte ? digits >> (DIGITS - 8 * byte) : 0;
        uint64_t flips[4];
        random_bits(key, before, 1 + 4 * dimension + byte, flips);
        unsigned node = 1;
        for (unsigned level = 0; level < 8; level++) {
            unsigned digit = digits >> (DIGITS - 1 - 8 * byte - level) & 1;
            unsigned flip = (unsigned)(flips[node / 64] >> node % 64) & 1;
            scrambled = scrambled << 1 | (digit ^ flip);
            node = 2 * node + digit;
        }
    }
    return scrambled;
}

/* The middle of the cell of width 2^-32: never 0 nor 1. */
static double cell_middle(uint32_t digits)
{
    return ((double)digits + 0.5) * 0x1p-32;
}

void quasi_point(const struct random_key *key, uint32_t sample, double ret_point[2])
{
    ret_point[0] = cell_middle(scramble(key, 0, sobol_first(sample)));
    ret_point[1] = cell_middle(scramble(key, 1, sobol_second(sample)));
}

struct normal_pair quasi_normal_pair(const struct random_key *key, uint32_t sample)
{
    double point[2];

    quasi_point(key, sample, point);
    return (struct normal_pair){normal_quantile(point[0]), normal_quantile(point[1])};
}

void quasi_normal_pairs(const struct random_key *key, uint32_t first, size_t count,
                        struct normal_pair *ret_pairs)
{
    assert(first + count <= UINT64_C(1) << 32);
    for (size_t k = 0; k < count; k++)
        ret_pairs[k] = quasi_normal_pair(key, first + (uint32_t)k);
}
