/* Shared by the tests that kill processes. An error of the test itself ends it. */
#ifndef RINKD_TESTS_CRASH_CRASH_H
#define RINKD_TESTS_CRASH_CRASH_H

#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include <stdint.h>

void crash_sleep_s(double seconds);

/* Returns a number in 0 … below - 1 that depends only on the seed in *state. */
uint64_t crash_random(uint64_t *state, uint64_t below);

/* Adopts processes that lose their parent from now on; crash_orphans() counts them. */
void crash_adopt(void);
/* Counts living child processes except `except`, and reaps dead ones. */
int crash_orphans(pid_t except);

/* Starts the daemon and waits until /readyz reports ready. Returns the seconds from fork until
 * then. */
double crash_start(struct daemon_process *daemon, const char *const *flags);

/* Times in seconds. */
struct crash_times {
    double *s; /* malloc'ed */
    int count;
};
void crash_times_add(struct crash_times *times, double s);
/* Prints "NAME: p50 X ms, p99 Y ms, max Z ms (N)" to stdout and frees the times. */
void crash_times_print(struct crash_times *times, const char *name);

/* Repeats the call until it gets an answer with a whole JSON body (or 204, which has none) that is
 * not "try later" (429, 503). The daemon may be down meanwhile and return on another port, which is
 * read from *port each time. */
struct reply crash_call(const _Atomic int *port, const struct client_call *call);

#endif
