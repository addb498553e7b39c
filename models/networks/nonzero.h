/* Finds the nonzero numbers of a row and their places: half of the inputs of a network are 0 and
 * need no multiplication. No branches, which would be unpredictable here. */
#ifndef RINKD_MODELS_NETWORKS_NONZERO_H
#define RINKD_MODELS_NETWORKS_NONZERO_H

#include "models/networks/wide.h"

#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* For each mask of eight numbers (bit k: number k is nonzero), the places of the nonzero ones in
 * order, a byte each; the rest is 0. For nonzero_find_wide(). */
struct nonzero_table {
    uint64_t places[256];
};

static inline void nonzero_table_fill(struct nonzero_table *ret_table)
{
    for (unsigned bits = 0; bits < 256; bits++) {
        uint64_t places = 0;
        int count = 0;
        for (uint64_t k = 0; k < 8; k++)
            if (bits >> k & 1)
                places |= k << 8 * count++;
        ret_table->places[bits] = places;
    }
}

/* Appends the nonzero numbers from place `from` on to the `count` already found and returns the new
 * count. NaN counts as nonzero. */
WIDE_INLINE int nonzero_find(const float *row, int from, int width, int count, float *ret_values,
                             int32_t *ret_places)
{
    for (int k = from; k < width; k++) {
        ret_values[count] = row[k];
        ret_places[count] = k;
        count += row[k] != 0.0f;
    }
    return count;
}

/* The same for all places, eight at a time, if wide_here(). May write more entries than it returns,
 * but at most `width`. */
#ifdef __x86_64__
WIDE_ONLY inline int nonzero_find_wide(const struct nonzero_table *table, const float *row,
                                       int width, float *ret_values, int32_t *ret_places)
{
    int count = 0, k = 0;
    for (; k + 8 <= width; k += 8) {
        __m256 eight = _mm256_loadu_ps(row + k);
        unsigned bits =
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(eight, _mm256_setzero_ps(), _CMP_NEQ_UQ));
        __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)table->places[bits]));
        _mm256_storeu_ps(ret_values + count, _mm256_permutevar8x32_ps(eight, places));
        _mm256_storeu_si256((__m256i *)(void *)(ret_places + count),
                            _mm256_add_epi32(places, _mm256_set1_epi32(k)));
        count += __builtin_popcount(bits);
    }
    return nonzero_find(row, k, width, count, ret_values, ret_places);
}
#else
static inline int nonzero_find_wide(const struct nonzero_table *table, const float *row, int width,
                                    float *ret_values, int32_t *ret_places)
{
    (void)table;
    return nonzero_find(row, 0, width, 0, ret_values, ret_places);
}
#endif

#endif
