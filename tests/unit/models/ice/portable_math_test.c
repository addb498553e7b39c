/* Elementary functions against those of the C library, and the cases in which they must be
 * exact. */
#include "models/ice/portable_math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Units in the last place of long double: 64 bits. */
static long double ulps_between(long double a, long double b, long double scale)
{
    return fabsl(a - b) / (scale * 0x1p-63L);
}

static void logarithms_match_libm(void **state)
{
    (void)state;
    for (long double x = 1e-9L; x < 1e9L; x *= 1.0137L)
        assert_true(ulps_between(portable_log(x), logl(x), fmaxl(fabsl(logl(x)), 0.1L)) < 4);
    assert_true(portable_log(1.0L) == 0.0L);
}

static void powers_match_libm(void **state)
{
    (void)state;
    for (long double x = -40.0L; x < 40.0L; x += 0.0371L)
        assert_true(ulps_between(portable_exp(x), expl(x), expl(x)) < 4);
    assert_true(portable_exp(0.0L) == 1.0L);
    for (long double x = 1e-4L; x < 100.0L; x *= 1.0173L) /* speeds of stones and below */
        assert_true(ulps_between(portable_pow(x, -0.8L), powl(x, -0.8L), powl(x, -0.8L)) < 16);
}

static void turns_match_libm(void **state)
{
    (void)state;
    for (long double angle = -30.0L; angle < 30.0L; angle += 0.00731L) {
        const struct portable_turn turn = portable_turn(angle);
        assert_true(ulps_between(turn.cos, cosl(angle), 1.0L) < 4);
        assert_true(ulps_between(turn.sin, sinl(angle), 1.0L) < 4);
        const struct portable_turn back = portable_turn(-angle);
        assert_true(back.cos == turn.cos && back.sin == -turn.sin);
    }
    const struct portable_turn none = portable_turn(0.0L);
    assert_true(none.cos == 1.0L && none.sin == 0.0L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_match_libm),
        cmocka_unit_test(powers_match_libm),
        cmocka_unit_test(turns_match_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
