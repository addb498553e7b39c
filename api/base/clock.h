/* Reads the clocks of the machine. */
#ifndef RINKD_API_BASE_CLOCK_H
#define RINKD_API_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Later than any time in milliseconds. */
#define CLOCK_NEVER_MS INT64_MAX

/* Time of a clock, seconds. */
static inline double clock_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Monotonic time in seconds, for durations and deadlines. */
static inline double clock_now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

/* Wall-clock time in milliseconds since 1970, for times that are stored or shown. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
