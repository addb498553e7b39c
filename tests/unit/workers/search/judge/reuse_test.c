/* Executions shared among neighbours: the sums against sums written out, the mean against the
 * truth, and when there is none. */
#include "workers/search/judge/reuse.h"

#include "models/ice/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHOTS = 24 };

static const struct random_key key = {.seed = 5, .purpose = RANDOM_SCENE};

/* A bunch of shots about one error of the hand apart, all of one spin, thrown a few times each. */
struct bunch {
    const struct ice_profile *ice;
    struct noise noise;
    struct shot shot[SHOTS];
    int thrown[SHOTS];
    struct shot executed[SHOTS][REUSE_KEPT];
    struct reuse *reuse;
};

/* What an execution is worth: a wave over the hand's errors, and a step as a stone that is hit or
 * missed makes one. */
static double worth(const struct bunch *bunch, struct shot shot)
{
    struct noise_covariance c = noise_covariance_at(&bunch->noise, bunch->shot[0]);
    double x = (shot.velocity.x - bunch->shot[0].velocity.x) / sqrt(c.xx);
    double y = (shot.velocity.y - bunch->shot[0].velocity.y) / sqrt(c.yy);

    return sin(x + 0.5 * y) + (y > 0.3 ? 1.0 : 0.0);
}

static struct shot execute(const struct bunch *bunch, int k, uint64_t sample)
{
    return noise_apply(&bunch->noise, bunch->ice, bunch->shot[k],
                       random_normal_pair(&key, 1000000 * (uint64_t)(k + 1) + sample));
}

static void note(const struct bunch *bunch, int k, struct shot executed)
{
    reuse_note(bunch->reuse, k, &bunch->noise, bunch->ice, bunch->shot[k], executed,
               worth(bunch, executed));
}

static void weigh(const struct bunch *bunch)
{
    for (int k = 0; k < SHOTS; k++)
        reuse_weigh(bunch->reuse, k);
}

static struct bunch make_bunch(const char *profile, int shots)
{
    struct bunch bunch = {.ice = ice_profile_find(profile), .reuse = reuse_new(SHOTS)};
    assert_non_null(bunch.reuse);
    bunch.noise = noise_default(bunch.ice, bunch.ice->noise);
    double speed = bunch.ice->law == ICE_DC2 ? 31.0 : 2.4;
    for (int k = 0; k < shots; k++) {
        bunch.shot[k] = (struct shot){{0.01 * speed, speed}, bunch.ice->spin};
        if (k > 0)
            bunch.shot[k] = noise_apply(&bunch.noise, bunch.ice, bunch.shot[0],
                                        random_normal_pair(&key, (uint64_t)k));
        bunch.thrown[k] = 2 + k % 3;
        for (int i = 0; i < bunch.thrown[k]; i++) {
            bunch.executed[k][i] = execute(&bunch, k, (uint64_t)i);
            note(&bunch, k, bunch.executed[k][i]);
        }
    }
    weigh(&bunch);
    return bunch;
}

static double normal_density(const struct bunch *bunch, struct shot mean, struct shot at)
{
    struct noise_covariance c = noise_covariance_at(&bunch->noise, mean);
    double determinant = c.xx * c.yy - c.xy * c.xy;
    double dx = at.velocity.x - mean.velocity.x, dy = at.velocity.y - mean.velocity.y;
    double square = (c.yy * dx * dx - 2.0 * c.xy * dx * dy + c.xx * dy * dy) / determinant;
    return exp(-0.5 * square) / sqrt(determinant);
}

static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    static const char *const profiles[] = {"dc2", "dc3"};
    for (int p = 0; p < 2; p++) {
        struct bunch bunch = make_bunch(profiles[p], SHOTS);
        for (int b = 0; b < SHOTS; b++) {
            double sum = 0.0, squares = 0.0, mean = 0.0, variance = 0.0;
            for (int pass = 0; pass < 2; pass++)
                for (int a = 0; a < SHOTS; a++)
                    for (int i = 0; i < bunch.thrown[a]; i++) {
                        struct shot x = bunch.executed[a][i];
                        double expected = 0.0;
                        for (int c = 0; c < SHOTS; c++)
                            expected += bunch.thrown[c] * normal_density(&bunch, bunch.shot[c], x);
                        double w = normal_density(&bunch, bunch.shot[b], x) / expected;
                        double off = worth(&bunch, x) - (pass == 0 ? 0.0 : mean / sum);
                        if (pass == 0) {
                            sum += w;
                            squares += w * w;
                            mean += w * off;
                        } else {
                            variance += w * off * off;
                        }
                    }
            double effective = sum * sum / squares, found, error;
            bool is_found = reuse_mean(bunch.reuse, b, bunch.thrown[b], &found, &error);
            assert_int_equal(is_found, effective >= REUSE_LEAST_EFFECTIVE);
            if (!is_found)
                continue;
            assert_true(fabs(found - mean / sum) < 1e-6);
            assert_true(fabs(error - sqrt(variance / sum / (effective - 1.0))) < 1e-6);
        }
        double found, error;
        assert_true(
            reuse_mean(bunch.reuse, 0, bunch.thrown[0], &found, &error)); /* in the middle */
        reuse_free(bunch.reuse);
    }
}

/* Against the mean of many executions: nearer than that of its own few, and as far as it says. */
static void it_comes_nearer_to_the_truth(void **state)
{
    enum { MANY = 20000 };
    (void)state;
    struct bunch bunch = make_bunch("dc2", SHOTS);
    double own_square = 0.0, shared_square = 0.0, in_errors = 0.0;
    int found = 0;
    for (int k = 0; k < SHOTS; k++) {
        double mean, error, truth = 0.0, own = 0.0;
        if (!reuse_mean(bunch.reuse, k, bunch.thrown[k], &mean, &error))
            continue;
        for (uint64_t i = 0; i < MANY; i++)
            truth += worth(&bunch, execute(&bunch, k, 500000 + i)) / MANY;
        for (int i = 0; i < bunch.thrown[k]; i++)
            own += worth(&bunch, bunch.executed[k][i]) / bunch.thrown[k];
        own_square += (own - truth) * (own - truth);
        shared_square += (mean - truth) * (mean - truth);
        in_errors += (mean - truth) * (mean - truth) / (error * error);
        found++;
    }
    assert_true(found > SHOTS / 2);
    assert_true(shared_square < 0.4 * own_square);
    assert_true(in_errors < 3.0 * found);
    reuse_free(bunch.reuse);
}

static void strangers_say_nothing(void **state)
{
    (void)state;
    double mean, error;

    /* Nobody else. */
    struct bunch bunch = make_bunch("dc2", 1);
    assert_false(reuse_mean(bunch.reuse, 0, 2, &mean, &error));
    /* Many throws of others, with the other spin, more of the same one, or far away. */
    for (int k = 1; k < SHOTS; k++) {
        bunch.shot[k] = bunch.shot[0];
        if (k % 3 == 0)
            bunch.shot[k].omega *= -1.0;
        else if (k % 3 == 1)
            bunch.shot[k].omega *= 1.1;
        else
            bunch.shot[k].velocity.y *= 1.2;
        for (int i = 0; i < REUSE_KEPT; i++)
            note(&bunch, k, execute(&bunch, k, (uint64_t)i));
    }
    weigh(&bunch);
    assert_false(reuse_mean(bunch.reuse, 0, 2, &mean, &error));
    assert_true(reuse_mean(bunch.reuse, 1, 2, &mean, &error));
    reuse_free(bunch.reuse);
}

static void who_has_thrown_more_needs_no_others(void **state)
{
    (void)state;
    double mean, error;
    struct bunch bunch = make_bunch("dc2", SHOTS);

    assert_true(reuse_mean(bunch.reuse, 0, 2, &mean, &error));
    assert_false(reuse_mean(bunch.reuse, 0, 1000, &mean, &error));
    /* Beyond REUSE_KEPT nothing is kept. */
    for (int i = 0; i < 2 * REUSE_KEPT; i++)
        note(&bunch, 0, execute(&bunch, 0, 50 + (uint64_t)i));
    weigh(&bunch);
    assert_true(reuse_mean(bunch.reuse, 0, REUSE_KEPT, &mean, &error));
    reuse_note(bunch.reuse, 0, &bunch.noise, bunch.ice, bunch.shot[0], bunch.shot[0], 1e9);
    weigh(&bunch);
    double same, same_error;
    assert_true(reuse_mean(bunch.reuse, 0, REUSE_KEPT, &same, &same_error));
    assert_true(same == mean && same_error == error);
    reuse_clear(bunch.reuse);
    weigh(&bunch);
    assert_false(reuse_mean(bunch.reuse, 0, 1, &mean, &error));
    reuse_free(bunch.reuse);
}

/* A hand without errors throws the same each time; nothing is divided by nothing. */
static void a_hand_without_errors(void **state)
{
    (void)state;
    struct bunch bunch = make_bunch("dc2", 1);
    double mean, error;

    bunch.noise.kind = ICE_NOISE_NONE;
    reuse_clear(bunch.reuse);
    for (int i = 0; i < REUSE_KEPT; i++)
        reuse_note(bunch.reuse, 0, &bunch.noise, bunch.ice, bunch.shot[0], bunch.shot[0], 0.7);
    weigh(&bunch);
    assert_true(reuse_mean(bunch.reuse, 0, REUSE_KEPT, &mean, &error));
    assert_true(fabs(mean - 0.7) < 1e-12 && error < 1e-6);
    reuse_free(bunch.reuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(it_comes_nearer_to_the_truth),
        cmocka_unit_test(strangers_say_nothing),
        cmocka_unit_test(who_has_thrown_more_needs_no_others),
        cmocka_unit_test(a_hand_without_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
