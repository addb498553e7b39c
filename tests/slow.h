/* Builds several times slower than the optimised one, in which tests have smaller sizes. Tests of
 * quality alone are left out there, as the result would be the same; tests of memory and threads
 * are not. */
#ifndef RINKD_TESTS_SLOW_H
#define RINKD_TESTS_SLOW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* SLOW_OR(SLOW, WHOLE) is the size, a number or a piece of text, for this build. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { BUILD_IS_SLOW = 1 };
#define SLOW_OR(slow, whole) slow
#else
enum { BUILD_IS_SLOW = 0 };
#define SLOW_OR(slow, whole) whole
#endif

#ifdef __SANITIZE_THREAD__
enum { BUILD_LOOKS_AT_THREADS = 1 };
#else
enum { BUILD_LOOKS_AT_THREADS = 0 };
#endif

/* Ends a test of one thread as skipped under ThreadSanitizer, which has nothing to find there; for
 * tests that take long, of programs whose other tests have more threads. */
static inline void skip_one_thread(void)
{
    if (BUILD_LOOKS_AT_THREADS)
        skip();
}

/* Ends the test as skipped. */
static inline void skip_where_slow(void)
{
    if (BUILD_IS_SLOW)
        skip();
}

#endif
