/* Times of RFC 3339, read and written. */
#include "api/base/time_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void times_are_written_in_utc(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } times[] = {{0, "1970-01-01T00:00:00.000Z"},
                 {1769860800123, "2026-01-31T12:00:00.123Z"},
                 {-1, "1969-12-31T23:59:59.999Z"},
                 {-1000, "1969-12-31T23:59:59.000Z"},
                 {253402300799999, "9999-12-31T23:59:59.999Z"}};
    char text[TIME_TEXT_MAX];
    int64_t ms;

    (void)state;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        assert_true(time_write(times[k].ms, text));
        assert_string_equal(text, times[k].text);
        if (times[k].ms >= 0) {
            assert_true(time_read(text, &ms));
            assert_int_equal(ms, times[k].ms);
        }
    }
}

/* A damaged database may hold any number. */
static void no_number_is_too_much(void **state)
{
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 999, INT64_MAX};
    char text[TIME_TEXT_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        if (time_write(times[k], text))
            assert_in_range(strlen(text), 24, TIME_TEXT_MAX - 1);
}

static void forms_of_a_time(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"2026-01-31", 1769817600000},
                {"2026-01-31T12:00:00Z", 1769860800000},
                {"2026-01-31T12:00:00.1Z", 1769860800100},
                {"2026-01-31T12:00:00.1239Z", 1769860800123},
                {"2026-01-31T14:00:00+02:00", 1769860800000},
                {"2026-01-31T10:30:00-01:30", 1769860800000},
                {"2024-02-29", 1709164800000}};
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-1-31",
                                      "2026-02-29",
                                      "2026-13-01",
                                      "2026-01-31 12:00:00Z",
                                      "2026-01-31T12:00:00",
                                      "2026-01-31T24:00:00Z",
                                      "2026-01-31T12:00:00.Z",
                                      "2026-01-31T12:00:00Zx",
                                      "2026-01-31T12:00:00+2:00",
                                      "1969-12-31",
                                      "12026-01-31"};
    int64_t ms;

    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        if (!time_read(good[k].text, &ms))
            fail_msg("%s", good[k].text);
        assert_int_equal(ms, good[k].ms);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (time_read(bad[k], &ms))
            fail_msg("%s", bad[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_written_in_utc),
        cmocka_unit_test(no_number_is_too_much),
        cmocka_unit_test(forms_of_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
