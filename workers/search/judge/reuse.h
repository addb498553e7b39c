/* What the executions of one shot say about another one: few throws of many shots that lie close
 * together are as many throws of each of them.
 *
 * Where a stone ends hangs on how it was executed, not on what was wanted. So every execution x of
 * any shot tells what b is worth, with the weight
 *
 *     w_b(x) = p_b(x) / sum over c of n_c p_c(x),      mean(b) = sum of w_b(x) v(x) / sum of w_b(x)
 *
 * where p_c is the density of the hand's errors around shot c in velocity space and n_c the number
 * of executions of c (self-normalised importance sampling by the balance heuristic: E. Veach and
 * L. Guibas, "Optimally combining sampling techniques", SIGGRAPH 1995; A. Owen, "Monte Carlo
 * theory, methods and examples", chapter 9). Shots of different spins share nothing. */
#ifndef RINKD_WORKERS_SEARCH_JUDGE_REUSE_H
#define RINKD_WORKERS_SEARCH_JUDGE_REUSE_H

#include "models/ice/noise.h"
#include "models/ice/profile.h"

#include <stdbool.h>

enum {
    REUSE_KEPT = 16,          /* executions of a shot that are kept: with more it needs no others */
    REUSE_LEAST_EFFECTIVE = 8 /* executions a mean has to stand on, see reuse_mean() */
};

/* The shots of one search, by number. */
struct reuse;

/* For shots numbered 0 ... shots - 1. NULL: no memory. The caller's, for reuse_free(). */
struct reuse *reuse_new(int shots);
void reuse_free(struct reuse *reuse);

/* Forgets all executions. */
void reuse_clear(struct reuse *reuse);

/* One more execution of shot `number`: it is kept unless there are enough. `aimed` is the shot, the
 * same each time, `executed` what the hand made of it and `worth` what came of that. Several
 * threads may tell of different shots. */
void reuse_note(struct reuse *reuse, int number, const struct noise *noise,
                const struct ice_profile *ice, struct shot aimed, struct shot executed,
                double worth);

/* The sums over c above for the executions of shot `number` that are kept; of all shots before the
 * next function. */
void reuse_weigh(struct reuse *reuse, int number);

/* The mean worth of shot `number` over the executions of all shots, and its standard error. False
 * where these say no more than its own `samples` executions: where the effective number of
 * executions, (sum of w)^2 / sum of w^2, is below that or below REUSE_LEAST_EFFECTIVE. */
bool reuse_mean(const struct reuse *reuse, int number, int samples, double *ret_mean,
                double *ret_error);

#endif
