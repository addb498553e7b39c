/* Taylor series on short intervals. See portable_math.h. */
#include "models/ice/portable_math.h"

#include <math.h>

/* ln 2 and pi/2 as a head with zeros at its end, of which small multiples are exact, and the rest.
 */
static const long double ln2_head = 0x1.62e42fefa3p-1L, ln2_rest = 0x1.3de6af278ece601p-42L;
static const long double quarter_head = 0x1.921fb54442p+0L,
                         quarter_rest = 0x1.a308d313198a2e04p-41L;

long double portable_log(long double x)
{
    int exponent;
    long double m = frexpl(x, &exponent); /* exact */
    if (m < 0.70710678118654752440L) {
        m *= 2;
        exponent--;
    }
    /* ln m = 2 artanh t, |t| < 0.172: 13 terms are enough for 20 digits. */
    long double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int k = 27; k >= 3; k -= 2)
        sum = square * (sum + 1 / (long double)k);
    return exponent * ln2_head + (exponent * ln2_rest + (2 * t + 2 * t * sum));
}

long double portable_exp(long double x)
{
    int power = (int)(x * 1.44269504088896340736L + (x < 0 ? -0.5L : 0.5L));
    /* |rest| < 0.35 */
    long double rest = (x - power * ln2_head) - power * ln2_rest, sum = 1;
    for (int k = 18; k >= 1; k--)
        sum = 1 + rest * sum / k;
    return ldexpl(sum, power); /* exact */
}

long double portable_pow(long double x, long double y)
{
    return portable_exp(y * portable_log(x));
}

struct portable_turn portable_turn(long double angle)
{
    int quarters = (int)(angle / (quarter_head + quarter_rest) + (angle < 0 ? -0.5L : 0.5L));
    /* |rest| < 0.79 */
    long double rest = (angle - quarters * quarter_head) - quarters * quarter_rest;
    long double square = rest * rest, c = 1, s = 1;
    for (int k = 22; k >= 2; k -= 2) {
        c = 1 - square * c / (long double)((k - 1) * k);
        s = 1 - square * s / (long double)(k * (k + 1));
    }
    s *= rest;
    switch (quarters & 3) {
    case 0:
        return (struct portable_turn){c, s};
    case 1:
        return (struct portable_turn){-s, c};
    case 2:
        return (struct portable_turn){-c, -s};
    default:
        return (struct portable_turn){s, -c};
    }
}
