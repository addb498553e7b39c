/* Builds that run several times slower than the optimised one, where tests throw fewer stones. What
 * says how good a result is, and nothing of memory or threads, is left out there: it is the same.
 */
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
