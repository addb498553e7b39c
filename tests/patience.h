/* Time that a test waits for an expected event before it reports a hang: far longer than the event
 * takes even on a busy machine ten times slower, and shorter than the limit of the whole test
 * (CMakePresets.json). Only a defect makes a test wait that long. */
#ifndef RINKD_TESTS_PATIENCE_H
#define RINKD_TESTS_PATIENCE_H

#include "api/base/clock.h"

#include <stdbool.h>

enum { PATIENCE_S = 300, PATIENCE_MS = 1000 * PATIENCE_S };

/* For a loop that waits: returns true until PATIENCE_S have passed since the first call, which
 * finds 0 in *end_s. */
static inline bool patience_left(double *end_s)
{
    double now_s = clock_now_s();

    if (*end_s <= 0)
        *end_s = now_s + PATIENCE_S;
    return now_s < *end_s;
}

#endif
