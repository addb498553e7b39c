/* Calls into libc that fail on demand in another process: libraries that the daemon loads
 * (LD_PRELOAD) in place of libc's functions, so they serve libc, jansson, SQLite, libuv and
 * libmicrohttpd alike. short_memory.c replaces the allocator, broken_disk.c the calls that change
 * files, tests/soak/stepped_clock.c the clocks. They do nothing in other programs. */
#ifndef RINKD_TESTS_API_FAILING_H
#define RINKD_TESTS_API_FAILING_H

#include "tests/api/daemon.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Environment variable naming a file with struct failing, which both sides map. */
#define FAILING_FILE "RINKD_TEST_FAILING"

enum failing_call {
    FAILING_MEMORY,
    FAILING_OPEN,
    FAILING_WRITE,
    FAILING_SYNC,
    FAILING_TRUNCATE,
    FAILING_RENAME,
    FAILING_CALLS
};

struct failing {
    atomic_int call;        /* the kind of call that is counted and fails */
    atomic_long fails_at;   /* number of the one that fails, counted from `asked` = 0; 0: none */
    atomic_bool for_ever;   /* … and all after it */
    atomic_long asked;      /* calls so far */
    atomic_bool has_failed; /* one has failed */
    atomic_bool leaves;     /* each failure of the allocator leaves a block behind, like a leak */
    atomic_long ahead_s;    /* by so many seconds the daemon's clocks are ahead */
    atomic_long alive;      /* blocks not yet freed; may be negative, only changes count */
};

/* ---- the side of the library ---- */

/* Returns what both sides share; NULL in other programs. */
struct failing *failing_shared(void);
/* Counts the call. Returns whether it has to fail. */
bool failing_is_due(enum failing_call call);

/* ---- the side of the test ---- */

/* Makes what both sides share, in the folder of the daemon. */
struct failing *failing_make(const struct daemon_process *daemon);
/* The n-th call of that kind from now on fails; with `for_ever` each one after it, too. */
void failing_arm(struct failing *failing, enum failing_call call, long n, bool for_ever);
/* Calls succeed again. Returns whether one has failed. */
bool failing_disarm(struct failing *failing);
/* daemon_start() with the library. */
bool failing_start(struct daemon_process *daemon, const char *library, const char *const *flags,
                   int *ret_status);

#endif
