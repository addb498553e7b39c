/* Builds several times slower than the optimised one, in which tests throw fewer stones. Tests of
 * quality alone are left out there, as the result would be the same; tests of memory and threads
 * are not. */
#ifndef RINKD_TESTS_UNIT_SLOW_H
#define RINKD_TESTS_UNIT_SLOW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { BUILD_IS_SLOW = 1 };
#else
enum { BUILD_IS_SLOW = 0 };
#endif

/* Ends the test as skipped. */
static inline void skip_where_slow(void)
{
    if (BUILD_IS_SLOW)
        skip();
}

#endif
