/* Engines by name: those of this build, and the errors about others. */
#include "models/ice/throw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void every_build_has_the_fast_engine(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_true(throw_engine_find("fast", &reason) == throw_fast);
    assert_null(reason);
}

static void a_build_without_box2d_refuses_its_engine(void **state)
{
    (void)state;
    const char *reason = NULL;
    throw_engine *engine = throw_engine_find("box2d", &reason);
#if RINKD_BOX2D
    assert_true(engine == throw_box2d);
    assert_null(reason);
#else
    assert_null(engine);
    assert_non_null(strstr(reason, "RINKD_BOX2D=OFF"));
#endif
}

static void unknown_engines_are_refused(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_null(throw_engine_find("slow", &reason));
    assert_string_equal(reason, "the engines are fast and box2d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_has_the_fast_engine),
        cmocka_unit_test(a_build_without_box2d_refuses_its_engine),
        cmocka_unit_test(unknown_engines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
