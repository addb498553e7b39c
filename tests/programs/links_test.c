/* Shared libraries that programs need at start. libtorch is loaded with the first network that
 * needs it, and by no other program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void no_program_starts_with_torch(void **state)
{
    const char *const programs[] = {RINK_SIMULATE, RINK_SEARCH, RINK_EVALUATE};
    char line[1024];

    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
        int lines = 0;
        snprintf(line, sizeof line, "ldd '%s'", programs[k]);
        FILE *libraries = popen(line, "re");
        assert_non_null(libraries);
        while (fgets(line, sizeof line, libraries)) {
            lines++;
            if (strstr(line, "libtorch") || strstr(line, "libc10") || strstr(line, "blas"))
                fail_msg("%s: %s", programs[k], line);
        }
        assert_int_equal(pclose(libraries), 0);
        assert_true(lines > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_program_starts_with_torch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
