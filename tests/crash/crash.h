/* What tests that kill have in common. Failures of the test's own making end it. */
#ifndef RINKD_TESTS_CRASH_CRASH_H
#define RINKD_TESTS_CRASH_CRASH_H

#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include <stdint.h>

void crash_sleep_s(double seconds);

/* 0 … below - 1, by the seed in *state alone. */
uint64_t crash_random(uint64_t *state, uint64_t below);

/* From now on processes that lost their parent become ours, and are found by crash_orphans(). */
void crash_adopt(void);
/* Processes of ours that live, but for `except`; those that are dead are reaped. */
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
