/* Shipped weights: where programs look for them, and the errors for missing and damaged files. */
#include "models/networks/weights.h"

#include "models/networks/end_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME "end_value_dc2"
enum { CRC32_OF_HELLO = 0x3610a686 };

static char folder[] = "/tmp/weights-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_file_is_mapped(void **state)
{
    (void)state;
    struct weights weights;
    char error[WEIGHTS_ERROR_MAX], path[64];

    put("hello.safetensors", "hello");
    snprintf(path, sizeof path, "%s/hello.safetensors", folder);
    assert_true(weights_map(path, &weights, error));
    assert_int_equal(weights.size, 5);
    assert_memory_equal(weights.bytes, "hello", 5);
    weights_unmap(&weights);

    setenv("RINKD_WEIGHTS", folder, 1);
    assert_true(weights_map_shipped("hello", CRC32_OF_HELLO, &weights, error));
    weights_unmap(&weights);
}

static void missing_and_damaged_files_are_named(void **state)
{
    (void)state;
    struct weights weights = {NULL, 7};
    char error[WEIGHTS_ERROR_MAX], expected[128];

    setenv("RINKD_WEIGHTS", folder, 1);
    assert_false(weights_map_shipped("nothing", 0, &weights, error));
    snprintf(expected, sizeof expected, "%s/nothing.safetensors: No such file", folder);
    assert_non_null(strstr(error, expected));

    put("empty.safetensors", "");
    assert_false(weights_map_shipped("empty", 0, &weights, error));
    assert_non_null(strstr(error, "/empty.safetensors: the file is empty"));

    put("damaged.safetensors", "hallo");
    assert_false(weights_map_shipped("damaged", CRC32_OF_HELLO, &weights, error));
    assert_non_null(strstr(error, "/damaged.safetensors: the file is damaged"));
    assert_int_equal(weights.size, 7);
}

/* A damaged network is not treated as absent: the fault is reported. */
static void a_damaged_network_is_a_fault(void **state)
{
    (void)state;
    setenv("RINKD_WEIGHTS", folder, 1);
    put(NAME ".safetensors", "hello");
    assert_null(end_value_fault());
    assert_null(end_value_shipped(NULL));
    assert_null(end_value_fault());
    assert_null(end_value_shipped(NAME));
    assert_non_null(end_value_fault());
    assert_non_null(strstr(end_value_fault(), NAME ".safetensors: the file is damaged"));
    assert_null(end_value_shipped("end_value_dc3_for_gote"));
    assert_non_null(strstr(end_value_fault(), NAME)); /* the first fault is kept */

    /* The folder of the build is found without the variable. */
    unsetenv("RINKD_WEIGHTS");
    assert_non_null(end_value_shipped("end_value_dc3"));
    assert_non_null(end_value_shipped(NAME)); /* and tried again */
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"hello", "empty", "damaged", NAME};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s.safetensors", folder, names[k]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_mapped),
        cmocka_unit_test(missing_and_damaged_files_are_named),
        cmocka_unit_test(a_damaged_network_is_a_fault),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
