/* Headers of safetensors files: a sound one is summarised, and no false size is accepted. */
#include "api/base/safetensors_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_valid_header_is_summarised(void **state)
{
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"who\":\"me\"},"
        "\"b\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[24,30]},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
        "\"none\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[30,30]},"
        "\"one\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[30,31]}}   ";
    struct strict_errors errors;
    json_t *summary = NULL;

    if (!safetensors_summary(header, strlen(header), 31, &summary, &errors))
        fail_msg("%s: %s", errors.error[0].pointer, errors.error[0].message);
    json_t *expected =
        json_pack("{s:s, s:i, s:i, s:[s,s,s], s:{s:s}}", "format", "safetensors", "tensors", 4,
                  "parameters", 10, "dtypes", "F32", "F16", "U8", "metadata", "who", "me");
    assert_true(json_equal(summary, expected));
    json_decref(expected);
    json_decref(summary);
}

static void inconsistent_headers_are_refused(void **state)
{
    (void)state;
#define TENSOR(dtype, shape, offsets) \
    "{\"w\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
    static const char *const bad[][2] = {
        {"", ""},
        {"[]", ""},
        {"{}", ""}, /* 8 bytes that belong to no tensor */
        {"{\"w\":7}", "/w"},
        {"{\"__metadata__\":{\"who\":7}}", "/__metadata__/who"},
        {TENSOR("F33", "[2]", "[0,8]"), "/w/dtype"},
        {TENSOR("F32", "2", "[0,8]"), "/w/shape"},
        {TENSOR("F32", "[-2]", "[0,8]"), "/w/shape/0"},
        {TENSOR("F32", "[4611686018427387904,4]", "[0,8]"), "/w/shape"},
        {TENSOR("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), "/w/shape"},
        {TENSOR("F32", "[3]", "[0,8]"), "/w/data_offsets"},
        {TENSOR("F32", "[2]", "[8,0]"), "/w/data_offsets/1"},
        {TENSOR("F32", "[2]", "[8,16]"), "/w/data_offsets/1"},
        {TENSOR("F32", "[1]", "[4,8]"), ""}, /* a hole in front */
        {TENSOR("F32", "[1]", "[0,4]"), ""}, /* a hole behind */
        {"{\"v\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
         "\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         ""}, /* an overlap */
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"x\":1}}", "/w/x"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct strict_errors errors;
        json_t *summary = NULL;
        assert_false(safetensors_summary(bad[k][0], strlen(bad[k][0]), 8, &summary, &errors));
        assert_null(summary);
        if (strcmp(errors.error[0].pointer, bad[k][1]) != 0)
            fail_msg("%s: blamed \"%s\", not \"%s\"", bad[k][0], errors.error[0].pointer,
                     bad[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_header_is_summarised),
        cmocka_unit_test(inconsistent_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
