/* Quasi-random pairs: evenness, its benefit, and independence of the scramblings. */
#include "models/ice/quasi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct random_key key_number(uint64_t seed)
{
    return (struct random_key){.seed = seed, .purpose = RANDOM_PLANNING};
}

/* Every box of 2^-a by 2^-b, a + b = m, holds exactly one of 2^m points. */
static void assert_one_point_a_box(const struct random_key *key, uint32_t first, unsigned m)
{
    uint32_t count = UINT32_C(1) << m;

    for (unsigned a = 0; a <= m; a++) {
        unsigned char boxes[1024] = {0};
        for (uint32_t k = 0; k < count; k++) {
            double point[2];
            quasi_point(key, first + k, point);
            uint32_t column = (uint32_t)ldexp(point[0], (int)a);
            uint32_t row = (uint32_t)ldexp(point[1], (int)(m - a));
            boxes[column << (m - a) | row]++;
        }
        for (uint32_t k = 0; k < count; k++)
            assert_int_equal(boxes[k], 1);
    }
}

static void a_power_of_two_of_points_fills_every_box_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct random_key key = key_number(seed);
        for (unsigned m = 0; m <= 10; m++)
            assert_one_point_a_box(&key, 0, m);
        /* … so do later runs, up to the last point. */
        assert_one_point_a_box(&key, 3u << 8, 8);
        assert_one_point_a_box(&key, UINT32_MAX - 255, 8);
    }
}

static void points_lie_strictly_inside_the_unit_square(void **state)
{
    (void)state;
    struct random_key key = key_number(0);

    for (uint32_t k = 0; k < 4096; k++) {
        double point[2];
        quasi_point(&key, k, point);
        for (int d = 0; d < 2; d++) {
            assert_true(point[d] > 0.0 && point[d] < 1.0);
            assert_true(point[d] + (1.0 - point[d]) == 1.0);
        }
    }
}

static void same_key_gives_the_same_bytes_and_another_key_another_set(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    struct normal_pair once[COUNT], again[COUNT], other[COUNT];
    struct random_key key = key_number(1), next = key_number(1);

    next.shot++;
    quasi_normal_pairs(&key, 0, COUNT, once);
    for (uint32_t k = COUNT; k-- > 0;)
        again[k] = quasi_normal_pair(&key, k);
    quasi_normal_pairs(&next, 0, COUNT, other);
    assert_memory_equal(once, again, sizeof once);
    for (int k = 0; k < COUNT; k++)
        assert_true(once[k].z0 != other[k].z0 && once[k].z1 != other[k].z1);
}

static void normals_have_mean_zero_and_unit_covariance(void **state)
{
    (void)state;
    const struct {
        size_t count;
        double mean, variance, covariance; /* tolerances */
    } sizes[] = {{64, 0.02, 0.12, 0.12}, {1024, 0.002, 0.015, 0.015}};

    for (int size = 0; size < 2; size++) {
        for (uint64_t seed = 0; seed < 16; seed++) {
            struct random_key key = key_number(seed);
            struct normal_pair z[1024];
            double n = (double)sizes[size].count;
            double m0 = 0, m1 = 0, v0 = 0, v1 = 0, cov = 0;
            quasi_normal_pairs(&key, 0, sizes[size].count, z);
            for (size_t k = 0; k < sizes[size].count; k++) {
                m0 += z[k].z0 / n;
                m1 += z[k].z1 / n;
                v0 += z[k].z0 * z[k].z0 / n;
                v1 += z[k].z1 * z[k].z1 / n;
                cov += z[k].z0 * z[k].z1 / n;
            }
            assert_true(fabs(m0) < sizes[size].mean && fabs(m1) < sizes[size].mean);
            assert_true(fabs(v0 - 1.0) < sizes[size].variance);
            assert_true(fabs(v1 - 1.0) < sizes[size].variance);
            assert_true(fabs(cov) < sizes[size].covariance);
        }
    }
}

/* E cos(z0 + z1/2 + 1) = cos(1) exp(-(1 + 1/4)/2) for standard normal z0, z1. */
static double mean_of_smooth(const struct normal_pair *z, size_t count)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++)
        sum += cos(z[k].z0 + 0.5 * z[k].z1 + 1.0);
    return sum / (double)count;
}

static void mean_of_a_smooth_function_is_far_better_than_pseudo_random(void **state)
{
    (void)state;
    enum { COUNT = 256, SEEDS = 64 };
    const double truth = cos(1.0) * exp(-0.625);
    double quasi2 = 0.0, pseudo2 = 0.0, bias = 0.0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random_key key = key_number(seed);
        struct normal_pair z[COUNT];
        quasi_normal_pairs(&key, 0, COUNT, z);
        double quasi = mean_of_smooth(z, COUNT) - truth;
        for (int k = 0; k < COUNT; k++)
            z[k] = random_normal_pair(&key, (uint64_t)k);
        double pseudo = mean_of_smooth(z, COUNT) - truth;
        quasi2 += quasi * quasi / SEEDS;
        pseudo2 += pseudo * pseudo / SEEDS;
        bias += quasi / SEEDS;
    }
    print_message("rms error of a mean of %d: quasi %.2g, pseudo %.2g\n", COUNT, sqrt(quasi2),
                  sqrt(pseudo2));
    assert_true(sqrt(quasi2) < sqrt(pseudo2) / 15.0);
    /* Unbiased: the mean over the scramblings is within four standard errors. */
    assert_true(fabs(bias) < 4.0 * sqrt(quasi2 / SEEDS));
}

/* The probability that a noisy draw stops in a circle: a step function, like scores. */
static void mean_of_a_jump_is_better_than_pseudo_random(void **state)
{
    (void)state;
    enum { COUNT = 256, SEEDS = 64 };
    const double radius2 = 2.0;
    const double truth = 1.0 - exp(-radius2 / 2.0);
    double quasi2 = 0.0, pseudo2 = 0.0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random_key key = key_number(seed);
        struct normal_pair z[2][COUNT];
        int inside[2] = {0, 0};
        quasi_normal_pairs(&key, 0, COUNT, z[0]);
        for (int k = 0; k < COUNT; k++)
            z[1][k] = random_normal_pair(&key, (uint64_t)k);
        for (int kind = 0; kind < 2; kind++)
            for (int k = 0; k < COUNT; k++)
                inside[kind] +=
                    z[kind][k].z0 * z[kind][k].z0 + z[kind][k].z1 * z[kind][k].z1 < radius2;
        quasi2 += pow((double)inside[0] / COUNT - truth, 2.0) / SEEDS;
        pseudo2 += pow((double)inside[1] / COUNT - truth, 2.0) / SEEDS;
    }
    print_message("rms error of a jump: quasi %.2g, pseudo %.2g\n", sqrt(quasi2), sqrt(pseudo2));
    assert_true(sqrt(quasi2) < sqrt(pseudo2) / 2.0);
}

/* A point over many scramblings is uniform in the square: 64 cells, mean of chi square 63. */
static void each_point_is_uniform_over_the_scramblings(void **state)
{
    (void)state;
    enum { SIDE = 8, SEEDS = 6400 };
    const uint32_t samples[] = {0, 1, 5, 1000003};

    for (int s = 0; s < 4; s++) {
        int cell[SIDE * SIDE] = {0};
        double chi2 = 0.0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct random_key key = key_number(seed);
            double point[2];
            quasi_point(&key, samples[s], point);
            cell[SIDE * (int)(SIDE * point[0]) + (int)(SIDE * point[1])]++;
        }
        for (int k = 0; k < SIDE * SIDE; k++)
            chi2 += pow(cell[k] - SEEDS / (SIDE * SIDE), 2.0) / (SEEDS / (SIDE * SIDE));
        assert_true(chi2 > 63.0 - 40.0 && chi2 < 63.0 + 56.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_of_two_of_points_fills_every_box_once),
        cmocka_unit_test(points_lie_strictly_inside_the_unit_square),
        cmocka_unit_test(same_key_gives_the_same_bytes_and_another_key_another_set),
        cmocka_unit_test(normals_have_mean_zero_and_unit_covariance),
        cmocka_unit_test(mean_of_a_smooth_function_is_far_better_than_pseudo_random),
        cmocka_unit_test(mean_of_a_jump_is_better_than_pseudo_random),
        cmocka_unit_test(each_point_is_uniform_over_the_scramblings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
