/* Quasi-random standard normal pairs: points that cover the plane of errors evenly, so a mean over
 * a few dozen noisy throws is far closer to the truth than with pseudo-random points. Used for
 * every candidate alike, they are common random numbers.
 *
 * The points are the first two dimensions of Sobol's sequence (I. M. Sobol', 1967) with Owen's
 * nested uniform scrambling (A. B. Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences",
 * 1995). Each run of 2^m points that starts at a multiple of 2^m has exactly one point in every box
 * of 2^-a by 2^-(m-a), a = 0 … m. Scrambled, each point is uniform by itself, so means are unbiased
 * and independent keys give an estimate of their error; for smooth functions the error of 2^m
 * points falls nearly like 2^(-3m/2). A digital shift would be cheaper, but its error falls only
 * like 2^-m and keeps the regular pattern of the net. A set is made once and thrown for many
 * candidates, so its cost does not matter. */
#ifndef RINKD_MODELS_ICE_QUASI_H
#define RINKD_MODELS_ICE_QUASI_H

#include "models/ice/normal.h"
#include "models/ice/random.h"

#include <stddef.h>
#include <stdint.h>

/* Point number `sample` of the unit square, both coordinates in (0, 1), odd multiples of 2^-33. The
 * whole key chooses the scrambling: another key gives another, independent set. */
void quasi_point(const struct random_key *key, uint32_t sample, double ret_point[2]);

/* The same point through normal_quantile(). */
struct normal_pair quasi_normal_pair(const struct random_key *key, uint32_t sample);

/* ret_pairs[k] = quasi_normal_pair(key, first + k), k = 0 … count - 1; first + count <= 2^32.
 * Balanced when count is a power of two and divides first. */
void quasi_normal_pairs(const struct random_key *key, uint32_t first, size_t count,
                        struct normal_pair *ret_pairs);

#endif
