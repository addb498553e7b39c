/* Memory that is short, made to order in another process: short_memory.c is a library that the
 * daemon is started with (LD_PRELOAD), in place of libc's malloc(), so it stands behind libc,
 * jansson, SQLite, libuv and libmicrohttpd alike. It does nothing in other programs. */
#ifndef RINKD_TESTS_API_SHORT_MEMORY_H
#define RINKD_TESTS_API_SHORT_MEMORY_H

#include <stdatomic.h>

/* The environment names a file with this struct, which both sides map. */
#define SHORT_MEMORY_FILE "RINKD_TEST_SHORT_MEMORY"

struct short_memory {
    atomic_long fails_at;   /* this allocation fails, counted from `asked` = 0; 0: none */
    atomic_bool for_ever;   /* … and all after it */
    atomic_bool leaves;     /* each that fails leaves a block behind, as a leak would */
    atomic_long asked;      /* allocations so far */
    atomic_bool has_failed; /* one of them did */
    atomic_long alive;      /* blocks that are not freed; may be negative, only changes count */
};

#endif
