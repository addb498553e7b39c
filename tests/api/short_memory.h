/* Memory shortage on demand in another process: short_memory.c is a library that the daemon loads
 * (LD_PRELOAD) in place of libc's malloc(), so it serves libc, jansson, SQLite, libuv and
 * libmicrohttpd alike. It does nothing in other programs. */
#ifndef RINKD_TESTS_API_SHORT_MEMORY_H
#define RINKD_TESTS_API_SHORT_MEMORY_H

#include <stdatomic.h>

/* Environment variable naming a file with this struct, which both sides map. */
#define SHORT_MEMORY_FILE "RINKD_TEST_SHORT_MEMORY"

struct short_memory {
    atomic_long
        fails_at; /* number of the allocation that fails, counted from `asked` = 0; 0: none */
    atomic_bool for_ever;   /* … and all after it */
    atomic_bool leaves;     /* each failure leaves a block behind, like a leak */
    atomic_long asked;      /* allocations so far */
    atomic_bool has_failed; /* an allocation has failed */
    atomic_long alive;      /* blocks not yet freed; may be negative, only changes count */
};

#endif
