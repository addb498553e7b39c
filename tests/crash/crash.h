/* Shared by the tests that kill. A failure of the test itself ends it. */
#ifndef RINKD_TESTS_CRASH_CRASH_H
#define RINKD_TESTS_CRASH_CRASH_H

#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include <stdint.h>

void crash_sleep_s(double seconds);

/* A number in 0 … below - 1 that depends on the seed in *state alone. */
uint64_t crash_random(uint64_t *state, uint64_t below);

/* Adopts processes that lose their parent from now on; crash_orphans() finds them. */
void crash_adopt(void);
/* Counts living child processes except `except`, and reaps dead ones. */
int crash_orphans(pid_t except);

/* Starts the daemon and waits until /readyz says so. Returns the seconds from fork to then. */
double crash_start(struct daemon_process *daemon, const char *const *flags);

/* Times in seconds. */
struct crash_times {
    double *s; /* malloc'ed */
    int count;
};
void crash_times_add(struct crash_times *times, double s);
/* "NAME: p50 X ms, p99 Y ms, max Z ms (N)" on stdout; frees them. */
void crash_times_print(struct crash_times *times, const char *name);

/* Calls until an answer with a whole JSON body (or 204, which has none) comes that is not "try
 * later" (429, 503); the daemon may be away meanwhile and come back on another port, which is read
 * from *port each time. */
struct reply crash_call(const _Atomic int *port, const struct client_call *call);

#endif
