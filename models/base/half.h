/* Half-precision numbers (IEEE 754 binary16) as bits, for files: 11 significant bits, up to 65504.
 * Every step is exact: the same bits everywhere. */
#ifndef RINKD_MODELS_BASE_HALF_H
#define RINKD_MODELS_BASE_HALF_H

#include <stdint.h>
#include <string.h>

#define HALF_INFINITE 0x7c00u /* the exponent of what is not finite */

static inline uint32_t half_bits_of(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Returns the nearest half; of two equally near ones, the one whose last bit is 0. A number that is
 * too large becomes infinite. */
static inline uint16_t half_of(float number)
{
    const uint32_t bits = half_bits_of(number), sign = bits >> 16 & 0x8000u;
    uint32_t size = bits & 0x7fffffffu, low, half;

    if (size > 0x7f800000u)
        return (uint16_t)(sign | HALF_INFINITE | 0x200u); /* not a number */
    if (size >= 0x47800000u)                              /* 65536 */
        return (uint16_t)(sign | HALF_INFINITE);
    if (size >= 0x38800000u) { /* 2^-14: the exponent changes its base, 13 bits go */
        low = size & 0x1fffu;
        half = (size - 0x38000000u) >> 13;
        half += low > 0x1000u || (low == 0x1000u && (half & 1u));
        return (uint16_t)(sign | half);
    }
    if (size < 0x33000000u) /* 2^-25, half of the smallest half */
        return (uint16_t)sign;
    const uint32_t shift = 126u - (size >> 23), whole = (size & 0x7fffffu) | 0x800000u;
    low = whole & ((1u << shift) - 1u);
    half = whole >> shift;
    half += low > 1u << (shift - 1u) || (low == 1u << (shift - 1u) && (half & 1u));
    return (uint16_t)(sign | half);
}

static inline float half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, size = half & 0x7fffu;
    uint32_t bits = size << 13;
    float number;

    if (size >= HALF_INFINITE)
        bits += 0x70000000u;
    else if (size >= 0x400u)
        bits += 0x38000000u;
    else { /* below 2^-14: exact, as a float has smaller numbers */
        number = (float)size * 0x1p-24f;
        bits = half_bits_of(number);
    }
    bits |= sign;
    memcpy(&number, &bits, sizeof number);
    return number;
}

#endif
