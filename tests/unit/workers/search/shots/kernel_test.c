/* Kernel sums: the incremental ones against direct sums, the density against its formula. */
#include "workers/search/shots/kernel.h"

#include "models/ice/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define assert_near(a, b, epsilon) assert_true(fabs((a) - (b)) <= (epsilon))

static const struct random_key key = {.seed = 11, .purpose = RANDOM_SCENE};

/* Returns a shot within a few centimetres a second of a draw on that ice, with either spin. */
static struct shot some_shot(const struct ice_profile *ice, uint64_t sample)
{
    struct normal_pair pair = random_normal_pair(&key, sample);
    double speed = ice->law == ICE_DC2 ? 31.0 : 2.4;
    return (struct shot){{0.003 * speed * pair.z0, speed * (1.0 + 0.003 * pair.z1)},
                         sample % 2 == 0 ? ice->spin : -ice->spin};
}

static const char *const profiles[] = {"dc2", "dc3"};

static void density_is_that_of_the_noise_in_velocity_space(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        struct noise noise = noise_default(ice, ice->noise);
        for (uint64_t k = 0; k < 200; k++) {
            struct shot a = some_shot(ice, 2 * k), b = some_shot(ice, 2 * k + 400);
            struct kernel kernel = kernel_at(&noise, a);
            struct noise_covariance c = noise_covariance_at(&noise, a);
            double dx = b.velocity.x - a.velocity.x, dy = b.velocity.y - a.velocity.y;
            double square = (c.yy * dx * dx - 2.0 * c.xy * dx * dy + c.xx * dy * dy) /
                            (c.xx * c.yy - c.xy * c.xy);
            assert_near(kernel_density(&kernel, b), exp(-0.5 * square), 1e-12);
            assert_true(kernel_density(&kernel, a) == 1.0);
        }
    }
}

/* Over executions e of a Gaussian hand in the plane the mean of exp(-r^2/2) is 1/2. */
static void executions_spread_as_the_kernel_says(void **state)
{
    enum { COUNT = 20000 };
    (void)state;
    for (int p = 0; p < 2; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        struct noise noise = noise_default(ice, ice->noise);
        struct shot a = some_shot(ice, 1);
        struct kernel kernel = kernel_at(&noise, a);
        double sum = 0.0;
        for (uint64_t k = 0; k < COUNT; k++) {
            struct shot executed = noise_apply(&noise, ice, a, random_normal_pair(&key, k));
            sum += kernel_density(&kernel, executed);
        }
        /* Its standard deviation is 0.289: five standard errors are 0.0102. */
        assert_near(sum / COUNT, 0.5, 0.0102);
    }
}

static void kernels_of_different_spins_do_not_overlap(void **state)
{
    (void)state;
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct noise noise = noise_default(ice, ice->noise);
    double spins[] = {ice->spin, 0.0, -ice->spin};

    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            struct kernel kernel = kernel_at(&noise, (struct shot){{0.0, 31.0}, spins[a]});
            double density = kernel_density(&kernel, (struct shot){{0.0, 31.0}, spins[b]});
            assert_true(density == (a == b ? 1.0 : 0.0));
        }
}

static void ellipse_has_the_density_asked_for(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        struct noise noise = noise_default(ice, ice->noise);
        struct kernel kernel = kernel_at(&noise, some_shot(ice, 3));
        for (int k = 0; k < 12; k++) {
            struct shot one = kernel_shot_on_ellipse(&kernel, 1.0, k / 12.0);
            struct shot third = kernel_shot_on_ellipse(&kernel, sqrt(2.0 * log(3.0)), k / 12.0);
            assert_near(kernel_density(&kernel, one), exp(-0.5), 1e-9);
            assert_near(kernel_density(&kernel, third), 1.0 / 3, 1e-9);
        }
    }
}

/* A perfect hand, and one that errs in one direction only. */
static void kernels_of_perfect_hands_stay_finite(void **state)
{
    (void)state;
    const struct noise hands[] = {
        {.kind = ICE_NOISE_NONE},
        {.kind = ICE_NOISE_COVARIANCE, .covariance = {0.0, 0.0, 0.01}},
        {.kind = ICE_NOISE_COVARIANCE, .covariance = {0.01, 0.01, 0.01}},
    };
    struct shot a = {{0.0, 31.0}, 1.0}, across = {{0.1, 31.0}, 1.0};

    for (int k = 0; k < 3; k++) {
        struct kernel kernel = kernel_at(&hands[k], a);
        assert_true(kernel_density(&kernel, a) == 1.0);
        assert_true(kernel_density(&kernel, across) == 0.0);
        assert_near(kernel_density(&kernel, kernel_shot_on_ellipse(&kernel, 1.0, 0.1)), exp(-0.5),
                    1e-6);
    }
}

/* Shots are added and visited in random order; afterwards each sum is recomputed directly. */
static void incremental_sums_are_the_sums(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        struct noise noise = noise_default(ice, ice->noise);
        struct kernel_set set = {0};
        double most_shared = 0.0;

        for (uint64_t k = 0; k < 600; k++) {
            if (k % 10 == 0) {
                struct kernel kernel = kernel_at(&noise, some_shot(ice, k / 10));
                double weight = kernel_set_weight(&set, &kernel);
                assert_true(kernel_set_add(&set, &kernel));
                assert_near(set.point[set.count - 1].weight, weight, 1e-12);
            }
            uint64_t bits[4];
            random_bits(&key, k, 16, bits);
            kernel_set_record(&set, (int)(bits[0] % (uint64_t)set.count),
                              2.0 * random_unit(bits[1]) - 1.0);
        }
        assert_int_equal(set.count, 60);
        for (int a = 0; a < set.count; a++) {
            double weight = 0.0, value = 0.0;
            for (int b = 0; b < set.count; b++) {
                const struct kernel_point *other = &set.point[b];
                double density = kernel_density(&set.point[a].kernel, other->kernel.centre);
                weight += density * other->visits;
                value += density * other->value_sum;
            }
            assert_near(set.point[a].weight, weight, 1e-9);
            assert_near(set.point[a].weighted_value, value, 1e-9);
            most_shared = fmax(most_shared, set.point[a].weight - set.point[a].visits);
        }
        assert_true(most_shared > 1.0); /* kernels really overlap */
        kernel_set_clear(&set);
        assert_int_equal(set.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_is_that_of_the_noise_in_velocity_space),
        cmocka_unit_test(executions_spread_as_the_kernel_says),
        cmocka_unit_test(kernels_of_different_spins_do_not_overlap),
        cmocka_unit_test(ellipse_has_the_density_asked_for),
        cmocka_unit_test(kernels_of_perfect_hands_stay_finite),
        cmocka_unit_test(incremental_sums_are_the_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
