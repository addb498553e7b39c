/* Half-precision numbers. */
#include "models/base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The value of a half by the definition of the format. */
static double value_of(unsigned half)
{
    double sign = half & 0x8000 ? -1.0 : 1.0, fraction = half & 0x3ff;
    int exponent = (int)(half >> 10 & 31);
    if (exponent == 31)
        return fraction > 0.0 ? (double)NAN : sign * (double)INFINITY;
    return exponent == 0 ? sign * ldexp(fraction, -24)
                         : sign * ldexp(1024.0 + fraction, exponent - 25);
}

static void each_half_is_its_number_and_comes_back(void **state)
{
    (void)state;
    for (unsigned half = 0; half <= 0xffff; half++) {
        double wanted = value_of(half);
        float is = half_to_float((uint16_t)half);
        if (isnan(wanted)) {
            assert_true(isnan(is));
            assert_true(isnan(half_to_float(half_of(is))));
            continue;
        }
        assert_true((double)is == wanted && !signbit(is) == !signbit(wanted));
        assert_int_equal(half_of(is), half);
    }
}

/* Every number between two halves goes to the nearer one, the middle to the even one. */
static void numbers_go_to_the_nearest_half(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 0x7bff; half++) {
        double low = value_of(half), high = value_of(half + 1), middle = (low + high) / 2.0;
        unsigned even = half & 1 ? half + 1 : half;
        assert_int_equal(half_of((float)middle), even);
        assert_int_equal(half_of(nextafterf((float)middle, 0.0f)), half);
        assert_int_equal(half_of(nextafterf((float)middle, 1e6f)), half + 1);
        assert_int_equal(half_of((float)-middle), even | 0x8000);
    }
    assert_int_equal(half_of(65519.0f), 0x7bff);
    assert_int_equal(half_of(65520.0f), HALF_INFINITE);
    assert_int_equal(half_of(1e30f), HALF_INFINITE);
    assert_int_equal(half_of(-INFINITY), 0x8000 | HALF_INFINITE);
    assert_int_equal(half_of(1e-30f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_half_is_its_number_and_comes_back),
        cmocka_unit_test(numbers_go_to_the_nearest_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
