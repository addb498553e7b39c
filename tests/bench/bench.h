/* Shared by the benchmarks: clocks, medians of rounds, numbers from the command line. */
#ifndef RINKD_TESTS_BENCH_BENCH_H
#define RINKD_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <time.h>

enum { BENCH_ROUNDS_MAX = 99 };

/* The rates measured in each round. */
struct rates {
    double per_s[BENCH_ROUNDS_MAX];
    int count;
};

double bench_clock_s(clockid_t clock);
double rates_median(const struct rates *rates);

/* Reads a positive number, or a positive whole number, of at most `most`; false for anything
 * else. */
bool bench_read_number(const char *text, double most, double *ret_number);
bool bench_read_count(const char *text, int most, int *ret_count);

#endif
