/* Kernel regression over shots: the results of a shot also count for its neighbours.
 *
 *     E[v|a] = sum over b of K(a,b) n_b v_b / W(a),    W(a) = sum over b of K(a,b) n_b
 *
 * (T. Yee, V. Lisy, M. Bowling, "Monte Carlo tree search in continuous action spaces with execution
 * uncertainty", IJCAI 2016, eq. 3 and 4: Nadaraya-Watson.) n_b and v_b are visits and mean value of
 * shot b. K(a,b) is the likelihood that a hand that intends a plays b: the density of the execution
 * noise of a at b in velocity space, divided by the density at a, so that K(a,a) = 1. K is 0
 * between different spins. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_KERNEL_H
#define RINKD_WORKERS_SEARCH_SHOTS_KERNEL_H

#include "models/ice/noise.h"

#include <math.h>
#include <stdbool.h>

/* The kernel around one shot. */
struct kernel {
    struct shot centre;
    double xx, xy, yy;    /* the inverse of the covariance of its noise, (m/s)^-2 */
    double l11, l21, l22; /* the lower Cholesky factor of the covariance, m/s */
};

/* The minimum width of a kernel in every direction, as a share of the shot's speed. Without it,
 * kernels without noise, or with noise along one line only, would not overlap. Far below the noise
 * of every hand. */
#define KERNEL_LEAST_WIDTH 1e-4

struct kernel kernel_at(const struct noise *noise, struct shot shot);

/* Returns K(kernel->centre, b), in [0, 1]. */
double kernel_density(const struct kernel *kernel, struct shot b);

/* Returns the shot at `radius` standard deviations from the centre in direction `turn` (0 … 1 is
 * one full turn). It lies on the ellipse where the density is exp(-radius^2 / 2). */
struct shot kernel_shot_on_ellipse(const struct kernel *kernel, double radius, double turn);

/* The shots of one position; the sums of each are kept up to date. */
struct kernel_point {
    struct kernel kernel;
    double visits, value_sum; /* of this shot alone */
    double weight;            /* W */
    double weighted_value;    /* sum of K(a,b) n_b v_b; E[v|a] is this / W */
};

struct kernel_set {
    struct kernel_point *point; /* owned */
    int count, capacity;
};

/* Adds a shot without visits; its sums come from the other shots. Its index is count - 1. Returns
 * false and changes nothing when memory is short. */
bool kernel_set_add(struct kernel_set *set, const struct kernel *kernel);

/* Records one visit of point `index` with this value. */
void kernel_set_record(struct kernel_set *set, int index, double value);

/* Returns W of any shot, in the set or not. */
double kernel_set_weight(const struct kernel_set *set, const struct kernel *kernel);

/* Returns log sum_b W(b), at least 0. */
double kernel_set_log_weights(const struct kernel_set *set);

/* Returns E[v|a] + c sqrt(log_weights / W(a)), for W(a) > 0. */
static inline double kernel_bound(const struct kernel_point *point, double c, double log_weights)
{
    return point->weighted_value / point->weight + c * sqrt(log_weights / point->weight);
}

/* Frees the points and empties the set. */
void kernel_set_clear(struct kernel_set *set);

#endif
