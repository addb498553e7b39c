/* The mean of runs, from hand-made curves. */
#include "service/routes/curve_mean.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 8 };

static void near_to(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

static void steps_that_differ_are_met_between_points(void **state)
{
    (void)state;
    struct run_point a[] = {{.step = 0, .value = 0}, {.step = 10, .value = 10}},
                     b[] = {{.step = 0, .value = 4}, {.step = 5, .value = 9}};
    const struct curve curves[] = {{.points = a, .count = 2}, {.points = b, .count = 2}};
    struct mean_point mean[MOST];
    int count;

    assert_true(curve_mean(curves, 2, MOST, mean, &count));
    assert_int_equal(count, 3);
    near_to(mean[0].mean, 2.0);
    /* Two values 0 and 4: the standard error is 2, t of one degree of freedom 12.706. */
    near_to(mean[0].low, 2.0 - 12.706 * 2.0);
    near_to(mean[0].high, 2.0 + 12.706 * 2.0);
    assert_int_equal(mean[1].step, 5);
    near_to(mean[1].mean, 7.0);
    assert_int_equal(mean[1].runs, 2);
    assert_int_equal(mean[2].step, 10); /* the second run is not there yet */
    near_to(mean[2].mean, 10.0);
    assert_int_equal(mean[2].runs, 1);
    assert_true(isnan(mean[2].low));
}

static void three_runs_have_the_interval_of_students_t(void **state)
{
    (void)state;
    struct run_point a[] = {{.step = 1, .value = 1}}, b[] = {{.step = 1, .value = 2}},
                     c[] = {{.step = 1, .value = 6}};
    const struct curve curves[] = {
        {.points = a, .count = 1}, {.points = b, .count = 1}, {.points = c, .count = 1}};
    struct mean_point mean[MOST];
    int count;

    assert_true(curve_mean(curves, 3, MOST, mean, &count));
    assert_int_equal(count, 1);
    near_to(mean[0].mean, 3.0);
    near_to(mean[0].high - mean[0].low, 2.0 * 4.303 * sqrt(7.0 / 3.0));
}

static void values_that_are_not_finite_are_ignored(void **state)
{
    (void)state;
    struct run_point a[] = {{.step = 0, .value = 1},
                            {.step = 1, .value = NAN},
                            {.step = 2, .value = 3}},
                     b[] = {{.step = 1, .value = INFINITY}};
    const struct curve curves[] = {{.points = a, .count = 3}, {.points = b, .count = 1}};
    struct mean_point mean[MOST];
    int count;

    assert_true(curve_mean(curves, 2, MOST, mean, &count));
    assert_int_equal(count, 2);
    near_to(mean[0].mean, 1.0);
    near_to(mean[1].mean, 3.0);
    assert_true(curve_mean(curves + 1, 1, MOST, mean, &count));
    assert_int_equal(count, 0);
}

static void many_steps_are_thinned_out(void **state)
{
    (void)state;
    struct run_point a[100];
    for (int k = 0; k < 100; k++)
        a[k] = (struct run_point){.step = 10 * k, .value = k};
    const struct curve curve = {.points = a, .count = 100};
    struct mean_point mean[MOST];
    int count;

    assert_true(curve_mean(&curve, 1, MOST, mean, &count));
    assert_int_equal(count, MOST);
    assert_int_equal(mean[0].step, 0);
    assert_int_equal(mean[MOST - 1].step, 990);
    for (int k = 0; k < MOST; k++)
        near_to(mean[k].mean, (double)mean[k].step / 10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_differ_are_met_between_points),
        cmocka_unit_test(three_runs_have_the_interval_of_students_t),
        cmocka_unit_test(values_that_are_not_finite_are_ignored),
        cmocka_unit_test(many_steps_are_thinned_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
