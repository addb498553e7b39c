/* Throws a shot; the test fails if the throw does. */
#ifndef RINKD_TESTS_UNIT_MODELS_ICE_THROW_OR_FAIL_H
#define RINKD_TESTS_UNIT_MODELS_ICE_THROW_OR_FAIL_H

#include "models/ice/throw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static inline struct throw_result throw_or_fail(const struct ice_profile *ice,
                                                const struct position *before, int stone,
                                                struct shot shot)
{
    struct throw_request request = {.ice = ice, .before = before, .stone = stone, .shot = shot};
    struct throw_result result;
    assert_int_equal(throw_fast(&request, &result), THROW_OK);
    return result;
}

#endif
