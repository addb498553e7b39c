/* How long a test waits for what has to come before it calls that a hang: far longer than it takes
 * beside other work on a machine ten times slower, and shorter than the limit of the whole test
 * (CMakePresets.json). Nothing waits that long unless something is broken. */
#ifndef RINKD_TESTS_PATIENCE_H
#define RINKD_TESTS_PATIENCE_H

enum { PATIENCE_S = 1800, PATIENCE_MS = 1000 * PATIENCE_S };

#endif
