/* The lists of sampled points: interval, growth, reuse, and behaviour when memory is short. */
#include "models/ice/trajectory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The linker redirects realloc() here (--wrap). */
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool memory_is_short;
static int reallocations;

void *__wrap_realloc(void *old, size_t size)
{
    reallocations++;
    return memory_is_short ? NULL : __real_realloc(old, size);
}

static void the_interval_is_a_whole_number_of_steps_and_at_least_one(void **state)
{
    (void)state;
    const struct {
        double interval_s;
        int32_t steps;
    } cases[] = {
        {0.001, 1}, {0.02, 20}, {0.0204, 20}, {0.0206, 21},       {1.0, 1000},           {0.0, 1},
        {-5.0, 1},  {1e-9, 1},  {NAN, 1},     {1e30, 1000000000}, {INFINITY, 1000000000}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct trajectory trajectory;
        trajectory_init(&trajectory, cases[k].interval_s);
        assert_int_equal(trajectory.interval_steps, cases[k].steps);
        for (int stone = 0; stone < POSITION_STONES; stone++)
            assert_int_equal(trajectory.stone[stone].count, 0);
        trajectory_free(&trajectory);
    }
}

static void points_come_back_in_order(void **state)
{
    (void)state;
    struct trajectory trajectory;
    trajectory_init(&trajectory, 0.01);
    for (int k = 0; k < 1000; k++)
        assert_true(trajectory_add(&trajectory, k % 3, 0.01 * k, (struct vec2){k, -k}));
    for (int k = 0; k < 1000; k++) {
        const struct trajectory_point *point = &trajectory.stone[k % 3].points[k / 3];
        assert_true(point->t_s == 0.01 * k && point->at.x == k && point->at.y == -k);
    }
    assert_int_equal(trajectory.stone[0].count, 334);
    assert_int_equal(trajectory.stone[3].count, 0);
    trajectory_free(&trajectory);
}

static void a_cleared_trajectory_keeps_its_memory(void **state)
{
    (void)state;
    struct trajectory trajectory;
    trajectory_init(&trajectory, 0.01);
    for (int k = 0; k < 500; k++)
        assert_true(trajectory_add(&trajectory, 5, k, (struct vec2){1.0, 2.0}));
    int before = reallocations;
    trajectory_clear(&trajectory);
    assert_int_equal(trajectory.stone[5].count, 0);
    assert_int_equal(trajectory.interval_steps, 10);
    for (int k = 0; k < 500; k++)
        assert_true(trajectory_add(&trajectory, 5, k, (struct vec2){1.0, 2.0}));
    assert_int_equal(reallocations, before);
    trajectory_free(&trajectory);
}

static void short_memory_leaves_the_points_that_are_there(void **state)
{
    (void)state;
    struct trajectory trajectory;
    trajectory_init(&trajectory, 0.01);
    size_t added = 0;
    assert_true(trajectory_add(&trajectory, 2, 0.0, (struct vec2){7.0, 8.0}));
    added++;
    memory_is_short = true;
    while (trajectory_add(&trajectory, 2, (double)added, (struct vec2){7.0, 8.0}))
        added++;
    memory_is_short = false;
    assert_int_equal(trajectory.stone[2].count, added);
    assert_true(trajectory.stone[2].points[added - 1].at.x == 7.0);
    assert_true(trajectory_add(&trajectory, 2, (double)added, (struct vec2){9.0, 8.0}));
    assert_true(trajectory.stone[2].points[added].at.x == 9.0);
    trajectory_free(&trajectory);
}

static void freeing_twice_or_nothing_is_fine(void **state)
{
    (void)state;
    struct trajectory trajectory;
    trajectory_init(&trajectory, 0.01);
    assert_true(trajectory_add(&trajectory, 0, 0.0, (struct vec2){0.0, 0.0}));
    trajectory_free(&trajectory);
    trajectory_free(&trajectory);
    trajectory_free(NULL);
    assert_null(trajectory.stone[0].points);
    assert_int_equal(trajectory.stone[0].capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_is_a_whole_number_of_steps_and_at_least_one),
        cmocka_unit_test(points_come_back_in_order),
        cmocka_unit_test(a_cleared_trajectory_keeps_its_memory),
        cmocka_unit_test(short_memory_leaves_the_points_that_are_there),
        cmocka_unit_test(freeing_twice_or_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
