/* The mean of curves. See curve_mean.h. */
#include "service/routes/curve_mean.h"

#include "api/base/build_json.h"

#include <math.h>
#include <stdlib.h>

/* 97.5 % quantiles of Student's t with 1, 2, … degrees of freedom. */
static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };
#define NORMAL_QUANTILE 1.960

static int by_step(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Lists the steps of all finite points, sorted, each once; malloc'ed. NULL: memory is short. */
static int64_t *gather_steps(const struct curve *curves, int count, int *ret_steps)
{
    size_t all = 0;
    int used = 0, kept = 0;

    for (int k = 0; k < count; k++)
        all += (size_t)curves[k].count;
    int64_t *steps = malloc((all + 1) * sizeof *steps);
    if (!steps)
        return NULL;
    for (int k = 0; k < count; k++)
        for (int p = 0; p < curves[k].count; p++)
            if (isfinite(curves[k].points[p].value))
                steps[used++] = curves[k].points[p].step;
    qsort(steps, (size_t)used, sizeof *steps, by_step);
    for (int k = 0; k < used; k++)
        if (kept == 0 || steps[k] != steps[kept - 1])
            steps[kept++] = steps[k];
    *ret_steps = kept;
    return steps;
}

/* The curve's value at a step, which must not be before the step of the last call; *at is 0 at
 * first. NAN: outside the curve. */
static double value_at(const struct curve *curve, int64_t step, int *at)
{
    const struct run_point *before = NULL, *after = NULL;

    while (*at < curve->count && curve->points[*at].step <= step)
        ++*at;
    for (int k = *at - 1; k >= 0 && !before; k--)
        if (isfinite(curve->points[k].value))
            before = &curve->points[k];
    for (int k = *at; k < curve->count && !after; k++)
        if (isfinite(curve->points[k].value))
            after = &curve->points[k];
    if (!before || (before->step != step && !after))
        return NAN;
    if (before->step == step)
        return before->value;
    double share = (double)(step - before->step) / (double)(after->step - before->step);
    return before->value + share * (after->value - before->value);
}

static struct mean_point mean_at(const struct curve *curves, int count, int64_t step, int *marks)
{
    double mean = 0.0, squares = 0.0;
    int runs = 0;

    for (int k = 0; k < count; k++) {
        double value = value_at(&curves[k], step, &marks[k]);
        if (isnan(value))
            continue;
        runs++; /* Welford's update */
        double from_old = value - mean;
        mean += from_old / runs;
        squares += from_old * (value - mean);
    }
    int freedom = runs - 1;
    double half = freedom < 1 ? NAN
                              : (freedom <= QUANTILES ? quantiles[freedom - 1] : NORMAL_QUANTILE) *
                                    sqrt(squares / freedom / runs);
    return (struct mean_point){step, mean, mean - half, mean + half, runs};
}

bool curve_mean(const struct curve *curves, int count, int most, struct mean_point *ret_points,
                int *ret_count)
{
    int steps = 0;
    int64_t *step = gather_steps(curves, count, &steps);
    int *marks = calloc((size_t)count + 1, sizeof *marks);
    int chosen = steps < most ? steps : most;

    if (!step || !marks) {
        free(step);
        free(marks);
        return false;
    }
    for (int k = 0; k < chosen; k++) {
        int64_t index = chosen == 1 ? steps - 1 : (int64_t)k * (steps - 1) / (chosen - 1);
        ret_points[k] = mean_at(curves, count, step[index], marks);
    }
    free(step);
    free(marks);
    *ret_count = chosen;
    return true;
}

static json_t *maybe_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *curve_mean_json(const char *name, const struct mean_point *points, int count)
{
    json_t *rows = json_array();
    bool good = true;

    for (int k = 0; k < count; k++) {
        const struct mean_point *point = &points[k];
        good = build_append(rows, json_pack("[I, f, o, o, i]", (json_int_t)point->step, point->mean,
                                            maybe_number(point->low), maybe_number(point->high),
                                            point->runs)) &&
               good;
    }
    return json_pack("{s:s, s:o}", "name", name, "points", build_done(rows, good));
}
