/* FNV-1a against its published test values. */
#include "models/base/fnv1a.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void published_values_are_reproduced(void **state)
{
    (void)state;
    assert_true(fnv1a(FNV1A_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(fnv1a(FNV1A_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(fnv1a(FNV1A_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(fnv1a(fnv1a(FNV1A_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_values_are_reproduced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
