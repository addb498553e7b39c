/* Tensors in safetensors files: which files are accepted and which refused. */
#include "models/networks/net_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PREFIX = 8 };

/* a [2,3], b [2], and [1] of the optimiser: 24, 8 and 4 bytes. */
static const struct net_tensors tensors = {
    .count = 3,
    .weights = 2,
    .tensor = {{.name = "a", .rank = 2, .side = {2, 3}},
               {.name = "b", .rank = 1, .side = {2}},
               {.name = NET_OPTIMISER "steps", .rank = 1, .side = {1}}},
};

#define A     "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"
#define B     "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]}"
#define STEPS "\"optimiser.steps\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[32,36]}"

/* Returns a file with this header and this many bytes of numbers 1, 2, 3, …; the caller frees
 * it. */
static unsigned char *file_with(const char *header, size_t data_bytes, size_t *ret_size)
{
    size_t length = strlen(header);
    unsigned char *bytes = malloc(PREFIX + length + data_bytes);

    assert_non_null(bytes);
    for (int k = 0; k < PREFIX; k++)
        bytes[k] = (unsigned char)((uint64_t)length >> 8 * k);
    memcpy(bytes + PREFIX, header, length);
    for (size_t k = 0; k < data_bytes; k += sizeof(float)) {
        float number = (float)(k / sizeof(float) + 1);
        memcpy(bytes + PREFIX + length + k, &number,
               data_bytes - k < sizeof number ? data_bytes - k : sizeof number);
    }
    *ret_size = PREFIX + length + data_bytes;
    return bytes;
}

static float number_at(const unsigned char *bytes, size_t at)
{
    float number;
    memcpy(&number, bytes + at, sizeof number);
    return number;
}

static void written_files_are_read(void **state)
{
    (void)state;
    for (int count = 2; count <= 3; count++) {
        unsigned char *bytes;
        size_t size, at[NET_TENSORS_MAX], found[NET_TENSORS_MAX];
        assert_int_equal(net_file_frame(&tensors, count, NET_FLOATS, NULL, &bytes, &size, at),
                         NET_OK);
        memset(bytes + at[0], 0, size - at[0]);
        assert_int_equal(at[0] % PREFIX, 0);
        assert_int_equal(size - at[0], count == 2 ? 32 : 36);
        assert_int_equal(net_file_find(&tensors, count, NET_FLOATS, bytes, size, found), NET_OK);
        for (int k = 0; k < count; k++)
            assert_int_equal(at[k], found[k]);
        if (count == 2) /* no optimiser state to resume from */
            assert_int_equal(net_file_find(&tensors, 3, NET_FLOATS, bytes, size, found),
                             NET_BAD_SHAPE);
        free(bytes);
    }
}

/* Other tools sort tensors, add text, and place spaces and members freely. */
static void foreign_files_are_read(void **state)
{
    (void)state;
    const char *const headers[] = {
        "{" A "," B "}",
        "{\"__metadata__\":{\"format\":\"pt\",\"by \\\"us\\\"\":\"\"}," A "," B "}   ",
        ("{ \"b\" : { \"shape\":[ 2 ] , \"data_offsets\":[0,8],\"dtype\":\"F32\" },\n"
         "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},\"__metadata__\":{} }"),
    };
    for (int k = 0; k < 3; k++) {
        size_t size, at[NET_TENSORS_MAX];
        unsigned char *bytes = file_with(headers[k], 32, &size);
        assert_int_equal(net_file_find(&tensors, 2, NET_FLOATS, bytes, size, at), NET_OK);
        assert_true(number_at(bytes, at[0]) == (k == 2 ? 3.0f : 1.0f));
        assert_true(number_at(bytes, at[1]) == (k == 2 ? 1.0f : 7.0f));
        free(bytes);
    }
    /* Only the weights of a checkpoint. */
    size_t size, at[NET_TENSORS_MAX];
    unsigned char *bytes = file_with("{" A "," B "," STEPS "}", 36, &size);
    assert_int_equal(net_file_find(&tensors, 2, NET_FLOATS, bytes, size, at), NET_OK);
    assert_int_equal(net_file_find(&tensors, 3, NET_FLOATS, bytes, size, at), NET_OK);
    free(bytes);
}

static void hostile_files_are_refused(void **state)
{
    (void)state;
#define TENSOR(dtype, shape, extent) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" extent "}"
    const struct {
        enum net_status status;
        size_t data_bytes;
        const char *header;
    } files[] = {
        {NET_BAD_FILE, 32, ""},
        {NET_BAD_FILE, 32, " {" A "," B "}"},
        {NET_BAD_FILE, 32, "{" A "," B},
        {NET_BAD_FILE, 32, "{" A "," B "}}"},
        {NET_BAD_FILE, 32, "{" A "," B ",}"},
        {NET_BAD_FILE, 32, "{" A " " B "}"},
        {NET_BAD_FILE, 32, "{" A "," B "," A "}"}, /* twice */
        {NET_BAD_FILE, 31, "{" A "," B "}"},       /* too short */
        {NET_BAD_FILE, 33, "{" A "," B "}"},       /* bytes left over */
        {NET_BAD_SHAPE, 24, "{" A "}"},            /* one is missing */
        {NET_BAD_SHAPE, 0, "{}"},                  /* both */
        {NET_BAD_SHAPE, 36, "{" A "," B ",\"c\":" TENSOR("F32", "[1]", "[32,36]") "}"},
        {NET_BAD_FILE, 36, "{" A "," B ",\"\\u0061\":" TENSOR("F32", "[1]", "[32,36]") "}"},
        {NET_BAD_SHAPE, 32, "{" A ",\"b\":" TENSOR("F16", "[4]", "[24,32]") "}"},
        {NET_BAD_SHAPE, 32, "{" A ",\"b\":" TENSOR("F32", "[1,2]", "[24,32]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[20,28]") "}"}, /* overlap */
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[24,28]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[32,24]") "}"},
        {NET_BAD_FILE, 36, "{" A ",\"b\":" TENSOR("F32", "[2]", "[28,36]") "}"}, /* a hole */
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[24,9223372036854775807]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[24,18446744073709551648]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[-8,0]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2]", "[24,32,32]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[02]", "[24,32]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[2.0]", "[24,32]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":" TENSOR("F32", "[1,1,1,1,1,1,1,1,2]", "[24,32]") "}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2]}}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2]}}"},
        {NET_BAD_FILE, 32, "{" A ",\"b\":{\"dtype\":7,\"shape\":[2],\"data_offsets\":[24,32]}}"},
        {NET_BAD_FILE, 32, "{" A "," B ",\"__metadata__\":{\"a\":{}}}"},
        {NET_BAD_FILE, 32, "{" A "," B ",\"__metadata__\":{\"a\":\"\n\"}}"},
        {NET_BAD_FILE, 32, "{" A "," B ",\"__metadata__\":{\"a\":\"\\"},
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        size_t size, at[NET_TENSORS_MAX];
        unsigned char *bytes = file_with(files[k].header, files[k].data_bytes, &size);
        enum net_status status = net_file_find(&tensors, 2, NET_FLOATS, bytes, size, at);
        if (status != files[k].status)
            fail_msg("%s: %d", files[k].header, (int)status);
        free(bytes);
    }
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    size_t whole, at[NET_TENSORS_MAX];
    unsigned char *bytes = file_with("{" A "," B "}", 32, &whole);

    for (size_t size = 0; size < whole; size++) {
        unsigned char *cut = malloc(size ? size : 1); /* exact size, so that sanitizers see the
                                                       * end */
        assert_non_null(cut);
        memcpy(cut, bytes, size);
        assert_int_equal(net_file_find(&tensors, 2, NET_FLOATS, cut, size, at), NET_BAD_FILE);
        free(cut);
    }
    memset(bytes, 0xff, PREFIX); /* an endless header */
    assert_int_equal(net_file_find(&tensors, 2, NET_FLOATS, bytes, whole, at), NET_BAD_FILE);
    free(bytes);
}

static void numbers_are_finite(void **state)
{
    (void)state;
    const float bad[] = {INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < 8; i++) {
            size_t size, at[NET_TENSORS_MAX];
            unsigned char *bytes = file_with("{" A "," B "}", 32, &size);
            memcpy(bytes + size - 32 + 4 * i, &bad[k], sizeof bad[k]);
            assert_int_equal(net_file_find(&tensors, 2, NET_FLOATS, bytes, size, at), NET_BAD_FILE);
            free(bytes);
        }
    for (int k = 2; k <= 3; k++) { /* the optimiser's, if requested */
        size_t size, at[NET_TENSORS_MAX];
        unsigned char *bytes = file_with("{" A "," B "," STEPS "}", 36, &size);
        const float less = -1.0f;
        memcpy(bytes + size - 4, &less, sizeof less);
        assert_int_equal(net_file_find(&tensors, k, NET_FLOATS, bytes, size, at),
                         k == 2 ? NET_OK : NET_BAD_FILE);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_files_are_read),    cmocka_unit_test(foreign_files_are_read),
        cmocka_unit_test(hostile_files_are_refused), cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(numbers_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
