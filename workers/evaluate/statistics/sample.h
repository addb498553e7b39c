/* Means of samples, with their errors: of numbers, and of a ratio of two sums. */
#ifndef RINKD_WORKERS_EVALUATE_STATISTICS_SAMPLE_H
#define RINKD_WORKERS_EVALUATE_STATISTICS_SAMPLE_H

#include <stdint.h>

/* Standard deviations of the normal distribution on each side that hold 95 %. */
#define STATISTICS_Z_95 1.959963984540054

struct interval {
    double low, high;
};

/* Sums over numbers. */
struct sample {
    int64_t count;
    double sum, squares;
};

void sample_add(struct sample *sample, double number);
/* NAN without numbers. */
double sample_mean(const struct sample *sample);
/* Unbiased; NAN for fewer than two numbers. */
double sample_variance(const struct sample *sample);
/* Returns mean +- the standard error times the quantile of Student's t distribution (its first
 * correction of the normal one, right to 1 % from 12 numbers on). NAN for fewer than two numbers.
 */
struct interval sample_interval(const struct sample *sample, double confidence);

/* Sums over pairs of numbers s and n, whose ratio sum(s) / sum(n) is wanted. */
struct ratio {
    int64_t count;
    double s, n, ss, sn, nn;
};

void ratio_add(struct ratio *ratio, double s, double n);
/* NAN if the sum of n is 0. */
double ratio_mean(const struct ratio *ratio);
/* Returns the standard error; NAN for fewer than two pairs. */
double ratio_error(const struct ratio *ratio);

#endif
