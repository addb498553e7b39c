/* The inverse normal distribution function against the library's erfc. */
#include "models/ice/normal.h"

#include "models/ice/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Returns the error of z as the quantile of p <= 1/2, by one Newton step on Phi in long double. */
static double quantile_error(double p, double z)
{
    const long double root_half = 0.707106781186547524400844362104849039L;
    const long double root_two_pi = 2.506628274631000502415765284811045253L;
    long double phi = erfcl(-(long double)z * root_half) / 2.0L;
    long double density = expl(-(long double)z * z / 2.0L) / root_two_pi;
    return (double)((phi - p) / density);
}

static void quantile_inverts_the_distribution_function(void **state)
{
    (void)state;
    double worst = 0.0;

    /* Steps of 1 % in p from 1/2 down to the smallest p of a 53-bit uniform and far beyond. */
    for (double p = 0.5; p > 1e-300; p *= 0.99) {
        double z = normal_quantile(p);
        double error = fabs(quantile_error(p, z)) / fmax(fabs(z), 0.1);
        worst = fmax(worst, error);
    }
    print_message("largest relative error %.2g\n", worst);
    assert_true(worst < 1e-15);
}

static void quantile_is_odd_about_one_half(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < UINT64_C(1) << 52; n += 1 + n / 10) {
        double p = random_unit(n << 12);
        assert_true(normal_quantile(1.0 - p) == -normal_quantile(p));
    }
    assert_true(normal_quantile(0.5) == 0.0);
}

static void quantile_grows_across_the_seams_of_its_pieces(void **state)
{
    (void)state;
    const double seams[] = {0.075, exp(-25.0)};

    for (int k = 0; k < 2; k++) {
        double p = seams[k];
        double below = normal_quantile(p * (1.0 - 1e-9));
        double above = normal_quantile(p * (1.0 + 1e-9));
        assert_true(below < normal_quantile(p));
        assert_true(normal_quantile(p) < above);
        assert_true(above - below < 1e-8);
    }
}

static void quantile_of_the_ends_is_infinite_and_beyond_is_no_number(void **state)
{
    (void)state;
    assert_true(normal_quantile(0.0) == -HUGE_VAL);
    assert_true(normal_quantile(1.0) == HUGE_VAL);
    assert_true(isnan(normal_quantile(-0.1)));
    assert_true(isnan(normal_quantile(1.1)));
    assert_true(isnan(normal_quantile((double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_inverts_the_distribution_function),
        cmocka_unit_test(quantile_is_odd_about_one_half),
        cmocka_unit_test(quantile_grows_across_the_seams_of_its_pieces),
        cmocka_unit_test(quantile_of_the_ends_is_infinite_and_beyond_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
