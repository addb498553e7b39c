/* Safetensors headers: which ones the reader accepts, which it refuses, and which place it
 * names. */
#include "models/base/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TENSOR(dtype, shape, offsets) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void a_header_is_read(void **state)
{
    (void)state;
    static const char header[] = "{ \"b\" : " TENSOR(
        "F16", "[ 3 ]",
        "[ 24 , 30 ]") ",\n"
                       "\"__metadata__\":{\"who\":\"me\",\"a \\\"b\":\"\"},"
                       "\"a\":" TENSOR("F32", "[2,3]",
                                       "[0,24]") ","
                                                 "\"none\":" TENSOR("F32", "[0,7]",
                                                                    "[30,30]") "}  ";
    struct safetensors file;
    struct safetensors_fault fault;

    assert_true(safetensors_read(header, strlen(header), 30, &file, &fault));
    assert_int_equal(file.tensors, 3);
    assert_string_equal(file.tensor[0].name, "b");
    assert_int_equal(file.tensor[0].type, SAFETENSORS_F16);
    assert_int_equal(file.tensor[0].begin, 24);
    assert_int_equal(file.tensor[0].end, 30);
    assert_int_equal(file.tensor[1].rank, 2);
    assert_int_equal(file.tensor[1].side[1], 3);
    assert_int_equal(file.tensor[1].elements, 6);
    assert_int_equal(file.tensor[2].elements, 0);
    assert_int_equal(json_object_size(file.notes), 2);
    assert_string_equal(json_string_value(json_object_get(file.notes, "who")), "me");
    assert_string_equal(json_string_value(json_object_get(file.notes, "a \"b")), "");
    safetensors_free(&file);
}

static void inconsistent_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *place, *code;
    } bad[] = {
        {"", "", "type"},
        {"[]", "", "type"},
        {" {}", "", "type"},
        {"{}", "", "data"}, /* 8 bytes that belong to no tensor */
        {"{\"w\":7}", "/w", "type"},
        {"{\"a/b~\":7}", "/a~1b~0", "type"},
        {"{\"w\":{}}", "/w/dtype", "missing"},
        {"{\"w\":" TENSOR("F32", "[2]", "[0,8]"), "", "json"},
        {"{\"w\":" TENSOR("F32", "[2]", "[0,8]") ",}", "", "json"},
        {"{\"w\":" TENSOR("F32", "[2]", "[0,8]") "}}", "", "json"},
        {"{\"w\":" TENSOR("F32", "[2]", "[0,8]") ",\"w\":" TENSOR("F32", "[0]", "[8,8]") "}", "",
         "twice"},
        {"{\"__metadata__\":7}", "/__metadata__", "type"},
        {"{\"__metadata__\":{\"who\":7}}", "/__metadata__/who", "type"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", "", "twice"},
        {"{\"__metadata__\":{\"a\":\"\",\"a\":\"\"},\"w\":" TENSOR("F32", "[2]", "[0,8]") "}", "",
         "twice"},
        {"{\"w\":" TENSOR("F33", "[2]", "[0,8]") "}", "/w/dtype", "value"},
        {"{\"w\":" TENSOR("F32", "2", "[0,8]") "}", "/w/shape", "type"},
        {"{\"w\":" TENSOR("F32", "[-2]", "[0,8]") "}", "/w/shape/0", "type"},
        {"{\"w\":" TENSOR("F32", "[1,02]", "[0,8]") "}", "", "json"},
        {"{\"w\":" TENSOR("F32", "[4611686018427387904,4]", "[0,8]") "}", "/w/shape", "range"},
        {"{\"w\":" TENSOR("F32", "[99999999999999999999]", "[0,8]") "}", "", "json"},
        {"{\"w\":" TENSOR("F32", "[1,2.0]", "[0,8]") "}", "/w/shape/1", "type"},
        {"{\"w\":" TENSOR("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", "/w/shape", "range"},
        {"{\"w\":" TENSOR("F32", "[3]", "[0,8]") "}", "/w/data_offsets", "value"},
        {"{\"w\":" TENSOR("F32", "[2]", "[0]") "}", "/w/data_offsets", "range"},
        {"{\"w\":" TENSOR("F32", "[2]", "[8,0]") "}", "/w/data_offsets/1", "range"},
        {"{\"w\":" TENSOR("F32", "[2]", "[9,17]") "}", "/w/data_offsets/0", "range"},
        {"{\"w\":" TENSOR("F32", "[2]", "[8,16]") "}", "/w/data_offsets/1", "range"},
        {"{\"w\":" TENSOR("F32", "[1]", "[4,8]") "}", "", "data"}, /* a hole in front */
        {"{\"w\":" TENSOR("F32", "[1]", "[0,4]") "}", "", "data"}, /* a hole behind */
        {"{\"v\":" TENSOR("F32", "[2]", "[0,8]") ",\"w\":" TENSOR("F32", "[1]", "[4,8]") "}", "",
         "data"}, /* an overlap */
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", "/w/data_offsets", "missing"},
        {"{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "", "twice"},
        {"{\"w\":{\"x\":1}}", "/w/x", "unknown"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        size_t length = strlen(bad[k].header);
        char *header = malloc(length ? length : 1); /* exact size, so that sanitizers see its end */
        struct safetensors file = {.tensors = -1};
        struct safetensors_fault fault;

        assert_non_null(header);
        memcpy(header, bad[k].header, length);
        assert_false(safetensors_read(header, length, 8, &file, &fault));
        assert_int_equal(file.tensors, -1);
        if (strcmp(fault.place, bad[k].place) != 0 || strcmp(fault.code, bad[k].code) != 0)
            fail_msg("%s: \"%s\" %s (%s)", bad[k].header, fault.place, fault.code, fault.message);
        free(header);
    }
}

static void more_tensors_than_anybody_has_are_refused(void **state)
{
    (void)state;
    enum { MANY = SAFETENSORS_TENSORS_MAX + 1, EACH = 80 };
    char *header = malloc((size_t)MANY * EACH + 2);
    struct safetensors_fault fault;
    struct safetensors file;

    assert_non_null(header);
    for (int count = MANY - 1; count <= MANY; count++) {
        size_t used = 0;
        for (int k = 0; k < count; k++)
            used += (size_t)sprintf(header + used, "%s\"%d\":" TENSOR("U8", "[1]", "[%d,%d]"),
                                    k ? "," : "{", k, k, k + 1);
        used += (size_t)sprintf(header + used, "}");
        bool good = safetensors_read(header, used, count, &file, &fault);
        assert_int_equal(good, count < MANY);
        if (good)
            safetensors_free(&file);
    }
    free(header);
}

static void written_headers_read_back(void **state)
{
    (void)state;
    for (int count = 0; count <= 2; count++)
        for (int notes = 0; notes <= 1; notes++) {
            struct safetensors_tensor tensor[2] = {
                {.name = "first", .type = SAFETENSORS_F32, .rank = 2, .side = {3, 5}},
                {.name = "second", .type = SAFETENSORS_I64}};
            json_t *texts = notes ? json_pack("{s:s, s:s}", "who", "me", "when", "") : NULL;
            struct safetensors file = {.tensor = tensor, .tensors = count, .notes = texts}, back;
            struct safetensors_fault fault;
            size_t data, size;
            unsigned char *bytes = safetensors_frame(&file, &data, &size);

            assert_non_null(bytes);
            assert_int_equal(data % 8, 0);
            assert_int_equal(safetensors_header_length(bytes, (int64_t)size), data - 8);
            assert_int_equal(size - data, count == 2 ? 68 : count == 1 ? 60 : 0);
            if (!safetensors_read((char *)bytes + 8, data - 8, (int64_t)(size - data), &back,
                                  &fault))
                fail_msg("%.*s: %s", (int)data - 8, (char *)bytes + 8, fault.message);
            assert_int_equal(back.tensors, count);
            if (count == 2)
                assert_int_equal(back.tensor[1].begin, tensor[1].begin);
            assert_true(notes ? json_equal(back.notes, texts) : !back.notes);
            safetensors_free(&back);
            json_decref(texts);
            free(bytes);
        }
}

static void the_length_has_to_be_possible(void **state)
{
    (void)state;
    const unsigned char good[8] = {60}, longer[8] = {61}, least[8] = {1},
                        huge[8] = {60, 0, 0, 0, 0, 0, 0, 0x80}, most[8] = {0, 0, 0x41};

    assert_int_equal(safetensors_header_length(good, 68), 60);
    assert_int_equal(safetensors_header_length(longer, 68), 0);
    assert_int_equal(safetensors_header_length(least, 68), 0);
    assert_int_equal(safetensors_header_length(huge, INT64_MAX), 0);
    assert_int_equal(safetensors_header_length(most, INT64_MAX), 0);
    assert_int_equal(safetensors_header_length(good, 0), 0);
}

/* Bits of each type as they lie in a file, the last byte last. */
static void what_is_not_finite_is_found(void **state)
{
    static const struct {
        enum safetensors_type type;
        const char *most, *infinite, *none; /* the largest, infinity (NULL: none), not a number */
    } rows[] = {
        {SAFETENSORS_F64, "\xff\xff\xff\xff\xff\xff\xef\xff", "\0\0\0\0\0\0\xf0\x7f",
         "\1\0\0\0\0\0\xf0\xff"},
        {SAFETENSORS_F32, "\xff\xff\x7f\x7f", "\0\0\x80\xff", "\0\0\xc0\x7f"},
        {SAFETENSORS_F16, "\xff\x7b", "\0\x7c", "\1\xfc"},
        {SAFETENSORS_BF16, "\x7f\xff", "\x80\xff", "\xc0\x7f"},
        {SAFETENSORS_F8_E4M3, "\x7e", NULL, "\xff"},
        {SAFETENSORS_F8_E5M2, "\x7b", "\x7c", "\xfd"},
        {SAFETENSORS_I16, "\0\x7f", NULL, NULL},
    };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const size_t bytes = safetensors_type_bytes(rows[k].type);
        const char *const bad[2] = {rows[k].infinite, rows[k].none};
        unsigned char three[24];
        for (size_t j = 0; j < 3; j++)
            memcpy(three + j * bytes, rows[k].most, bytes);
        assert_int_equal(safetensors_find_infinite(rows[k].type, three, 3), 3);
        for (int j = 0; j < 2; j++)
            if (bad[j]) {
                memcpy(three + 2 * bytes, bad[j], bytes);
                assert_int_equal(safetensors_find_infinite(rows[k].type, three, 3), 2);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_read),
        cmocka_unit_test(inconsistent_headers_are_refused),
        cmocka_unit_test(more_tensors_than_anybody_has_are_refused),
        cmocka_unit_test(written_headers_read_back),
        cmocka_unit_test(the_length_has_to_be_possible),
        cmocka_unit_test(what_is_not_finite_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
