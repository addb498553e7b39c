/* Counter-based random numbers: published test values of Philox, keys, distributions. */
#include "models/ice/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct random_key base_key = {
    .seed = 2015, .stream = 1, .game = 3, .shot = 16 + 5, .purpose = RANDOM_EXECUTION};

/* Known answers of philox4x64-10 published with Random123: all bits 0, all bits 1, digits of pi.
 * Key words 0 and 1 are seed and stream; counter words are game, purpose and shot, sample,
 * block. */
static void bits_are_the_published_answers_of_philox(void **state)
{
    (void)state;
    const uint64_t ones = UINT64_MAX;
    const struct {
        struct random_key key;
        uint64_t sample, block;
        uint64_t answer[4];
    } known[] = {
        {{0},
         0,
         0,
         {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{.seed = ones, .stream = ones, .game = ones, .shot = UINT32_MAX, .purpose = UINT32_MAX},
         ones,
         ones,
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{.seed = 0x452821e638d01377,
          .stream = 0xbe5466cf34e90c6c,
          .game = 0x243f6a8885a308d3,
          .shot = 0x03707344,
          .purpose = 0x13198a2e},
         0xa4093822299f31d0,
         0x082efa98ec4e6c89,
         {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        uint64_t bits[4];
        random_bits(&known[k].key, known[k].sample, known[k].block, bits);
        for (int word = 0; word < 4; word++)
            assert_true(bits[word] == known[k].answer[word]);
    }
}

static void same_key_gives_the_same_bytes_in_any_order(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    struct normal_pair forward[COUNT], backward[COUNT];

    for (int k = 0; k < COUNT; k++)
        forward[k] = random_normal_pair(&base_key, 7 + (uint64_t)k);
    for (int k = COUNT - 1; k >= 0; k--)
        backward[k] = random_normal_pair(&base_key, 7 + (uint64_t)k);
    assert_memory_equal(forward, backward, sizeof forward);
}

static void every_field_of_the_key_changes_the_numbers(void **state)
{
    (void)state;
    struct random_key keys[6];
    double u[6];

    for (int k = 0; k < 6; k++)
        keys[k] = base_key;
    keys[1].seed++;
    keys[2].stream++;
    keys[3].game++;
    keys[4].shot++;
    keys[5].purpose = RANDOM_PLANNING;
    for (int k = 0; k < 6; k++) {
        u[k] = random_uniform(&keys[k], 0);
        for (int other = 0; other < k; other++)
            assert_true(u[k] != u[other]);
    }
    assert_true(random_uniform(&base_key, 1) != u[0]);
}

/* Correlation of two keys' numbers over many samples: three standard errors. */
static void neighbouring_streams_are_not_correlated(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct random_key next = base_key;
    double sum = 0.0;

    next.stream++;
    for (uint64_t k = 0; k < COUNT; k++)
        sum += random_normal_pair(&base_key, k).z0 * random_normal_pair(&next, k).z0;
    assert_true(fabs(sum / COUNT) < 3.0 / sqrt(COUNT));
}

static void uniform_stays_strictly_inside_the_unit_interval(void **state)
{
    (void)state;
    assert_true(random_unit(0) == 0x1p-53);
    assert_true(random_unit(UINT64_MAX) == 1.0 - 0x1p-53);
    assert_true(random_unit(UINT64_C(1) << 63) == 0.5 + 0x1p-53);
}

/* Chi square over 64 equal cells; mean 63, standard deviation 11.2; the limit is 5 of these. */
static void uniform_fills_all_cells_alike(void **state)
{
    (void)state;
    enum { CELLS = 64, COUNT = 64000 };
    int cell[CELLS] = {0};
    double chi2 = 0.0;

    for (uint64_t k = 0; k < COUNT; k++)
        cell[(int)(CELLS * random_uniform(&base_key, k))]++;
    for (int k = 0; k < CELLS; k++)
        chi2 += pow(cell[k] - COUNT / CELLS, 2.0) / (COUNT / CELLS);
    assert_true(chi2 > 63.0 - 40.0 && chi2 < 63.0 + 56.0);
}

/* Moments of 200000 pairs, each within four standard errors of those of the normal distribution. */
static void normal_pairs_have_the_moments_of_the_normal_distribution(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    const double n = COUNT;
    double mean0 = 0, mean1 = 0, var0 = 0, var1 = 0, cov = 0, skew = 0, fourth = 0;

    for (uint64_t k = 0; k < COUNT; k++) {
        struct normal_pair z = random_normal_pair(&base_key, k);
        mean0 += z.z0 / n;
        mean1 += z.z1 / n;
        var0 += z.z0 * z.z0 / n;
        var1 += z.z1 * z.z1 / n;
        cov += z.z0 * z.z1 / n;
        skew += z.z0 * z.z0 * z.z0 / n;
        fourth += z.z1 * z.z1 * z.z1 * z.z1 / n;
    }
    double error = 4.0 / sqrt(n);
    assert_true(fabs(mean0) < error);
    assert_true(fabs(mean1) < error);
    assert_true(fabs(var0 - 1.0) < error * sqrt(2.0));
    assert_true(fabs(var1 - 1.0) < error * sqrt(2.0));
    assert_true(fabs(cov) < error);
    assert_true(fabs(skew) < error * sqrt(15.0));
    assert_true(fabs(fourth - 3.0) < error * sqrt(96.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_published_answers_of_philox),
        cmocka_unit_test(same_key_gives_the_same_bytes_in_any_order),
        cmocka_unit_test(every_field_of_the_key_changes_the_numbers),
        cmocka_unit_test(neighbouring_streams_are_not_correlated),
        cmocka_unit_test(uniform_stays_strictly_inside_the_unit_interval),
        cmocka_unit_test(uniform_fills_all_cells_alike),
        cmocka_unit_test(normal_pairs_have_the_moments_of_the_normal_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
