/* One curve for several runs: their mean with its 95 % interval. */
#ifndef RINKD_SERVICE_ROUTES_CURVE_MEAN_H
#define RINKD_SERVICE_ROUTES_CURVE_MEAN_H

#include "service/routes/curves.h"

struct mean_point {
    int64_t step;
    double mean;
    double low, high; /* by Student's t over the runs; NAN for a single run */
    int runs;         /* how many runs have reached this step */
};

/* Computes the mean at steps where some curve has a point: at most `most` of them, evenly chosen,
 * including the first and the last. Curves are linear between points, and do not count before their
 * first and after their last point; values that are not finite are ignored. ret_points has room for
 * `most`. False: memory is short. */
bool curve_mean(const struct curve *curves, int count, int most, struct mean_point *ret_points,
                int *ret_count);

/* {"name","points":[[step,mean,low,high,runs],…]}; low and high are null for a single run. The
 * caller owns it; NULL: memory is short. */
json_t *curve_mean_json(const char *name, const struct mean_point *points, int count);

#endif
