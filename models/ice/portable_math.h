/* Elementary functions made only of additions, multiplications and divisions, which IEEE 754
 * defines to the last bit: the same result on every x86-64 processor and with every compiler
 * (elsewhere long double is another type). The C library selects code by processor, and its long
 * double functions use instructions that processor makers round differently. Slow; for tables. */
#ifndef RINKD_MODELS_ICE_PORTABLE_MATH_H
#define RINKD_MODELS_ICE_PORTABLE_MATH_H

/* All are accurate to a few units in the 19th digit. */

/* Natural logarithm of x > 0, finite. */
long double portable_log(long double x);
/* e^x, |x| < 10000. */
long double portable_exp(long double x);
/* x^y for x > 0. */
long double portable_pow(long double x, long double y);

struct portable_turn {
    long double cos, sin;
};
/* Cosine and sine of an angle of at most 1000 rad. */
struct portable_turn portable_turn(long double angle);

#endif
