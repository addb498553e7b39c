/* Time that a test waits for an expected event before it reports a hang: far longer than the event
 * takes even on a busy machine ten times slower, and shorter than the limit of the whole test
 * (CMakePresets.json). Only a defect makes a test wait that long. */
#ifndef RINKD_TESTS_PATIENCE_H
#define RINKD_TESTS_PATIENCE_H

enum { PATIENCE_S = 1800, PATIENCE_MS = 1000 * PATIENCE_S };

#endif
