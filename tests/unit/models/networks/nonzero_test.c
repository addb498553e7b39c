/* The nonzero numbers of a row, found one at a time and eight at a time. */
#include "models/networks/nonzero.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH_MAX = 70 };

static void places_match_hand_calculation(void **state)
{
    (void)state;
    const float row[] = {0.0f, 2.0f, -0.0f, -1.5f, NAN, 0.0f, INFINITY};
    static const int32_t wanted[] = {1, 3, 4, 6};
    float values[7];
    int32_t places[7];
    assert_int_equal(nonzero_find(row, 0, 7, 0, values, places), 4);
    assert_memory_equal(places, wanted, sizeof wanted);
    for (int k = 0; k < 4; k++)
        assert_memory_equal(&values[k], &row[wanted[k]], sizeof *values);
}

/* Both find the same numbers in any mixture and write nothing beyond the width. */
static void wide_and_plain_search_find_the_same_numbers(void **state)
{
    (void)state;
    struct nonzero_table table;
    uint32_t luck = 1;

    if (!wide_here())
        skip();
    nonzero_table_fill(&table);
    for (int round = 0; round < 4000; round++) {
        int width = round % (WIDTH_MAX + 1);
        uint32_t share = (uint32_t)round / 1000; /* share of zeros, in quarters */
        /* On the heap, so that sanitizers see accesses outside. */
        size_t bytes = (size_t)width * sizeof(float);
        float *row = malloc(bytes + 1), *one = malloc(bytes + 1), *eight = malloc(bytes + 1);
        int32_t *one_at = malloc(bytes + 1), *eight_at = malloc(bytes + 1);
        assert_true(row && one && eight && one_at && eight_at);
        for (int k = 0; k < width; k++) {
            luck = luck * 1664525u + 1013904223u;
            row[k] = (luck >> 24 & 3) < share ? 0.0f
                     : (luck >> 16 & 15) == 0 ? -0.0f
                     : (luck >> 16 & 15) == 1 ? NAN
                                              : (float)(int32_t)luck;
        }
        int count = nonzero_find(row, 0, width, 0, one, one_at);
        assert_int_equal(nonzero_find_wide(&table, row, width, eight, eight_at), count);
        assert_memory_equal(one, eight, (size_t)count * sizeof *one);
        assert_memory_equal(one_at, eight_at, (size_t)count * sizeof *one_at);
        free(row);
        free(one);
        free(eight);
        free(one_at);
        free(eight_at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_match_hand_calculation),
        cmocka_unit_test(wide_and_plain_search_find_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
