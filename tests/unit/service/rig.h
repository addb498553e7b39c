/* The inner parts of the daemon without HTTP, in a folder of their own, with stand-ins for its
 * programs; the loop runs in the test's thread while the test waits for something. */
#ifndef RINKD_TESTS_UNIT_SERVICE_RIG_H
#define RINKD_TESTS_UNIT_SERVICE_RIG_H

#include "service/base/base.h"
#include "service/base/config.h"
#include "service/base/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RIG_HOSTED_GAMES = 3 };

struct rig {
    char folder[64];
    struct config config;
    struct base base;
    struct store *store;
    struct supervisor *supervisor; /* set by tests that start one */
    struct shots *shots;
};

/* Set-up and tear-down of cmocka: *state is a struct rig. */
int rig_open(void **state);
int rig_close(void **state);

/* Runs the loop until the condition holds; the test fails if that takes far too long. */
void rig_wait(struct rig *rig, bool (*condition)(void *context), void *context);
/* Runs the loop once for all that is due within some milliseconds. */
void rig_turn(struct rig *rig);

/* Runs a write in a transaction of its own. */
#define RIG_WRITE(rig, call)                                  \
    do {                                                      \
        assert_int_equal(store_begin((rig)->store), API_OK);  \
        assert_int_equal((call), API_OK);                     \
        assert_int_equal(store_commit((rig)->store), API_OK); \
    } while (0)

#endif
