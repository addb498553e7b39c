/* Shared by the benchmarks. See bench.h. */
#include "tests/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double bench_clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rates_median(const struct rates *rates)
{
    double sorted[BENCH_ROUNDS_MAX];
    int n = rates->count;

    memcpy(sorted, rates->per_s, (size_t)n * sizeof sorted[0]);
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

bool bench_read_number(const char *text, double most, double *ret_number)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(value > 0.0 && value <= most))
        return false;
    *ret_number = value;
    return true;
}

bool bench_read_count(const char *text, int most, int *ret_count)
{
    double value;
    if (!bench_read_number(text, most, &value) || value != floor(value))
        return false;
    *ret_count = (int)value;
    return true;
}
