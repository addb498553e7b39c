/* How many pilots are wanted. */
#include "service/placement/pilots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int missing(int least, int most, int cores, struct pilots_seen seen)
{
    const struct pilots_limits limits = {least, most, cores};
    return pilots_missing(&limits, &seen);
}

static void as_many_as_the_tasks_can_use(void **state)
{
    (void)state;
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){.waiting_cores = 0}), 0);
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){.waiting_cores = 3}), 3);
    assert_int_equal(missing(0, 8, 4, (struct pilots_seen){.waiting_cores = 5}), 2);
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){.waiting_cores = 1000}), 8);
    /* Those that are under way and those that work count. */
    assert_int_equal(missing(0, 8, 2, (struct pilots_seen){1, 2, 3, 4}), 1);
    assert_int_equal(missing(2, 8, 1, (struct pilots_seen){.waiting_cores = 0}), 2);
}

static void only_pilots_that_wait_are_cancelled(void **state)
{
    (void)state;
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){.pending = 3, .running = 2}), -3);
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){3, 2, 0, 2}), -3);
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){3, 2, 1, 2}), -2);
    assert_int_equal(missing(4, 8, 1, (struct pilots_seen){.pending = 3, .running = 2}), -1);
    assert_int_equal(missing(0, 8, 1, (struct pilots_seen){.running = 5}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_the_tasks_can_use),
        cmocka_unit_test(only_pilots_that_wait_are_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
