/* The normal distribution: its inverse distribution function, and pairs of standard normal
 * deviates.
 *
 * All noise starts from points of the unit square, pseudo-random (random.h) or quasi-random
 * (quasi.h). Both go through normal_quantile(), so callers need not know which. */
#ifndef RINKD_MODELS_ICE_NORMAL_H
#define RINKD_MODELS_ICE_NORMAL_H

/* Two independent deviates of mean 0 and standard deviation 1: the error of one throw.
 * By convention of noise.h z0 > 0 errs to the right and z1 > 0 errs long. */
struct normal_pair {
    double z0, z1;
};

/* z with Phi(z) = p, Phi the standard normal distribution function: -infinity for p = 0, +infinity
 * for p = 1, NaN outside [0, 1]. Relative error about 1e-16 (M. J. Wichura, "Algorithm AS 241: the
 * percentage points of the normal distribution", Applied Statistics 37, 1988; routine PPND16).
 * normal_quantile(1 - p) == -normal_quantile(p) exactly wherever 1 - p is exact, which it is for
 * every p that random.h and quasi.h make. */
double normal_quantile(double p);

#endif
