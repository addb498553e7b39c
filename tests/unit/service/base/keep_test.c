/* Rules about how much is kept. */
#include "service/base/keep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void limits_are_read_in_any_order(void **state)
{
    struct keep keep;

    (void)state;
    assert_true(keep_read("", &keep));
    assert_true(keep_is_all(&keep));
    assert_true(keep_read("5GiB,30d,10000", &keep));
    assert_int_equal(keep.age_ms, 30ll * 86400000);
    assert_int_equal(keep.count, 10000);
    assert_int_equal(keep.bytes, 5ll << 30);
    assert_string_equal(keep.text, "5GiB,30d,10000");
    assert_true(keep_read("0", &keep));
    assert_int_equal(keep.count, 0);
    assert_int_equal(keep.age_ms, KEEP_ALL);
    assert_false(keep_is_all(&keep));
    assert_true(keep_read("90min", &keep));
    assert_int_equal(keep.age_ms, 90 * 60000);
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {",",
                                        "-1",
                                        "1,",
                                        "1,2",
                                        "1d,2h",
                                        "1GB",
                                        "1 d",
                                        "d",
                                        "1.5d",
                                        "9223372036854775807w",
                                        "99999999999999999999",
                                        "+1",
                                        "all"};
    struct keep keep = {.count = 7};

    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (keep_read(texts[k], &keep))
            fail_msg("'%s'", texts[k]);
    assert_int_equal(keep.count, 7);
}

static void everything_older_than_the_first_beyond_goes(void **state)
{
    struct keep keep;

    (void)state;
    assert_true(keep_read("1s,3,100B", &keep));
    struct keep_walk walk = {.keep = &keep, .now_ms = 5000};
    assert_false(keep_is_beyond(&walk, 4500, 60));
    keep_stays(&walk, 60);
    assert_false(keep_is_beyond(&walk, 4400, 40)); /* 100 bytes are not more than 100 */
    keep_stays(&walk, 40);
    assert_true(keep_is_beyond(&walk, 4300, 1));
    assert_true(keep_is_beyond(&walk, 4200, 0)); /* no gaps */

    walk = (struct keep_walk){.keep = &keep, .now_ms = 5000};
    assert_false(keep_is_beyond(&walk, 4000, 0)); /* as old as is kept */
    assert_true(keep_is_beyond(&walk, 3999, 0));

    walk = (struct keep_walk){.keep = &keep, .now_ms = 5000};
    for (int k = 0; k < 3; k++) {
        assert_false(keep_is_beyond(&walk, 4999, 0));
        keep_stays(&walk, 0);
    }
    assert_true(keep_is_beyond(&walk, 4999, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read_in_any_order),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(everything_older_than_the_first_beyond_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
