/* Hands of people that explain errors: deviations, Student's t, a factor of hit weight, a side of
 * release. The posterior of all of a hand's parameters, and its evidence.
 *
 * With a throw's errors x across and l along, its weight w (noise_weight()) and its turn t = +1,
 * -1:
 *
 *     z0 = (x / s0 - r t) / f,  z1 = l / s1 / f,  f = 1 + (h - 1) w
 *
 * (z0, z1) is a pair of Student's t with n degrees of freedom and one denominator, or of normal
 * numbers. Priors: flat in log s0 and in log s1 (improper, the same for all hands, so evidences
 * compare), 1/n uniform in 0 … 0.4, log h normal with deviation 0.5, r normal with deviation 0.5.
 *
 * The posterior is a particle filter's (P. Del Moral, A. Doucet, A. Jasra, "Sequential Monte Carlo
 * samplers", J. R. Stat. Soc. B 68, 2006): particles are whole hands, weighed by the likelihood of
 * all throws to a power that rises from nearly 0 to 1, each time as far as a quarter of the
 * particles still count; new ones are drawn from a multivariate t about the weighed mean. The last
 * weights give quantiles and the evidence; repeated with the same throws they are the same. Two
 * deviations alone have the exact posterior of skill.h. */
#ifndef RINKD_WORKERS_SIMULATE_SKILL_HAND_H
#define RINKD_WORKERS_SIMULATE_SKILL_HAND_H

#include "api/curling/skill_json.h"

#include <stdbool.h>

/* Errors of one throw. */
struct skill_throw {
    double across, along; /* to the right and long, in the units of the deviations */
    double weight;        /* 0 draw … 1 hit */
    double turn; /* +1: to the side of `across` above 0 the stone curls, -1: to the other */
};

/* Parameters of a hand, in the order of a struct skill_fit. */
enum { SKILL_ACROSS, SKILL_ALONG, SKILL_FREEDOM, SKILL_HIT, SKILL_RELEASE, SKILL_PARAMETERS };

struct skill_fit {
    struct skill_interval parameter[SKILL_PARAMETERS]; /* those of its traits */
    double log_evidence;                               /* natural, up to what all hands share */
};

/* Fits a hand of these traits (enum skill_trait) to `count` >= 1 throws, whose errors are neither
 * all 0 across nor along. False when memory is short. */
bool skill_fit_hand(int count, const struct skill_throw *throws, unsigned traits,
                    struct skill_fit *ret_fit);

#endif
