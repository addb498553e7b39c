/* Which hand explains these throws? Estimates the deviations of the hand from called and thrown
 * shots (api/curling/skill_json.h).
 *
 * Each error of a throw has its own deviation s and is normal with mean 0, so with sum of squares S
 * over n throws and Jeffreys' prior (flat in log s) the posterior is exact: S / s^2 is chi-squared
 * with n degrees of freedom (A. Gelman et al., "Bayesian Data Analysis", 3rd edition, section 2.6).
 * Its intervals cover what they claim for any n; particles would only approximate it. The estimate
 * is the median, whose bias is below 0.1 / n.
 *
 * Where only the place of rest is known, the throw is the one that comes to rest there
 * (models/ice/aim.h). A stone that touches nothing ends in one place for each throw, so the
 * likelihood of the place is that of the throw, times a factor without the hand in it.
 *
 * Hands of people, with more parameters: skill_hand.h. The rate of turn errs apart from the rest:
 * where the thrown rates are told and differ from the called ones, its deviation as a share has the
 * posterior above, for a hand that was asked for or compared.
 *
 * Drift: log s walks at random from throw to throw, by a step of 0.03, 0.06, 0.12 or 0.25 with
 * equal prior probability, on a grid of 81 values up to e^2 on both sides of the mean hand; forward
 * and backward sums (L. Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77, 1989) give
 * its posterior and the evidence. The evidence counts as support for drift from a factor of 10 on.
 */
#ifndef RINKD_WORKERS_SIMULATE_SKILL_H
#define RINKD_WORKERS_SIMULATE_SKILL_H

#include "api/curling/scene_json.h"
#include "api/curling/skill_json.h"

enum skill_status { SKILL_OK, SKILL_BAD_FIELD, SKILL_NO_MEMORY };

/* Fills the answer, which keeps `query` and is freed by skill_answer_free(); the id of the error is
 * the query's. */
enum skill_status skill_estimate(const struct skill_query *query, struct skill_answer *ret_answer,
                                 struct scene_error *ret_error);
void skill_answer_free(struct skill_answer *answer);

/* Posterior median and interval of 95 % of the deviation of `count` >= 1 errors with this sum of
 * squares. */
struct skill_interval skill_deviation(int count, double squares);

/* Drift of the deviation of these errors, not all 0; the caller owns ret_drift->path. False when
 * memory is short. */
bool skill_drift(int count, const double *errors, struct skill_drift *ret_drift);

#endif
