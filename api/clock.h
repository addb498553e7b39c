/* Reads the clocks of the machine. */
#ifndef RINKD_API_CLOCK_H
#define RINKD_API_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Seconds of a clock. */
static inline double clock_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of the clock for durations and deadlines; it never goes back. */
static inline double clock_now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

/* Milliseconds since 1970, for what is stored and shown. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
