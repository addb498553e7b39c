/* Execution noise against measurements of the official players. */
#include "models/ice/noise.h"

#include "models/game/sheet.h"
#include "models/ice/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct random_key key = {.seed = 4, .purpose = RANDOM_EXECUTION};

static const struct ice_profile *profile(const char *name)
{
    const struct ice_profile *ice = ice_profile_find(name);
    assert_non_null(ice);
    return ice;
}

static struct noise own_noise(const struct ice_profile *ice)
{
    struct noise noise = noise_default(ice, ice->noise);
    assert_int_equal(noise_check(&noise), NOISE_OK);
    return noise;
}

static struct shot dc2_tee_draw(double omega)
{
    return (struct shot){noise_gat_draw((struct vec2){SHEET_TEE_X, SHEET_TEE_Y}, omega), omega};
}

static struct shot fcv1_tee_draw(double spin)
{
    double angle = -spin * 0.05484;
    return (struct shot){{-2.40336 * sin(angle), 2.40336 * cos(angle)}, spin * acos(0.0)};
}

struct spread {
    struct vec2 mean;
    struct noise_covariance covariance;
};

/* Returns mean and covariance of the velocity error over 200000 throws. */
static struct spread spread_of(const struct noise *noise, const struct ice_profile *ice,
                               struct shot shot)
{
    enum { COUNT = 200000 };
    const double n = COUNT;
    struct spread s = {0};

    for (uint64_t k = 0; k < COUNT; k++) {
        struct shot noisy = noise_apply(noise, ice, shot, random_normal_pair(&key, k));
        struct vec2 error = vec2_sub(noisy.velocity, shot.velocity);
        s.mean = vec2_add(s.mean, vec2_scale(1.0 / n, error));
        s.covariance.xx += error.x * error.x / n;
        s.covariance.xy += error.x * error.y / n;
        s.covariance.yy += error.y * error.y / n;
    }
    s.covariance.xx -= s.mean.x * s.mean.x;
    s.covariance.xy -= s.mean.x * s.mean.y;
    s.covariance.yy -= s.mean.y * s.mean.y;
    return s;
}

static double correlation(const struct noise_covariance *c)
{
    return c->xy / sqrt(c->xx * c->yy);
}

/* Returns where a lone dc2 stone stops by the continuous law: a logarithmic spiral, in complex
 * numbers hack + (v0 |v0| / F) / (2 - i s A). */
static struct vec2 dc2_stop(struct shot shot)
{
    double curl = (shot.omega > 0.0 ? 1.0 : -1.0) * ICE_DC2_A;
    struct vec2 straight =
        vec2_scale(vec2_length(shot.velocity) / ICE_DC2_DECELERATION, shot.velocity);
    struct vec2 spiral = vec2_scale(1.0 / (4.0 + curl * curl), (struct vec2){2.0, curl});
    return vec2_add((struct vec2){0.0, SHEET_TEE_Y - 36.4}, vec2_turn(straight, spiral));
}

/* Returns where a lone FCV1 stone stops: its law of motion in steps of 1 ms. */
static struct vec2 fcv1_stop(struct shot shot)
{
    struct vec2 at = {0.0, 0.0}, heading = shot.velocity;
    double u = vec2_length(heading), omega = fabs(shot.omega);

    heading = vec2_scale(1.0 / u, heading);
    while (u > ICE_FCV1_EPSILON) {
        double yaw = omega > 0.0 ? copysign(ICE_FCV1_YAW, shot.omega) * pow(u, -0.8) : 0.0;
        omega -= ICE_FCV1_SPIN_LOSS / fmax(u, ICE_FCV1_SPIN_MIN_SPEED) * ICE_STEP_S;
        u -= (ICE_FCV1_A / (u + ICE_FCV1_B) + ICE_FCV1_C) * ICE_FCV1_G * ICE_STEP_S;
        heading = vec2_turn(heading, (struct vec2){cos(yaw * ICE_STEP_S), sin(yaw * ICE_STEP_S)});
        at = vec2_add(at, vec2_scale(u > 0.0 ? u * ICE_STEP_S : 0.0, heading));
    }
    return at;
}

/* Returns standard deviations of the stopping point: the velocity covariance propagated through the
 * derivative of `stop`, from differences of 2 mm/s. */
static struct vec2 stop_spread(struct vec2 (*stop)(struct shot), struct shot shot,
                               struct noise_covariance c)
{
    const double h = 1e-3;
    struct vec2 d[2];

    for (int k = 0; k < 2; k++) {
        struct shot more = shot, less = shot;
        struct vec2 step = k ? (struct vec2){0.0, h} : (struct vec2){h, 0.0};
        more.velocity = vec2_add(more.velocity, step);
        less.velocity = vec2_sub(less.velocity, step);
        d[k] = vec2_scale(0.5 / h, vec2_sub(stop(more), stop(less)));
    }
    return (struct vec2){
        sqrt(d[0].x * d[0].x * c.xx + 2.0 * d[0].x * d[1].x * c.xy + d[1].x * d[1].x * c.yy),
        sqrt(d[0].y * d[0].y * c.xx + 2.0 * d[0].y * d[1].y * c.xy + d[1].y * d[1].y * c.yy)};
}

/* In that simulator's frame (-0.99074, -29.55977) for spin 0 and (+0.99074, …) for spin 1. */
static void gat_draw_to_the_tee_is_the_official_one(void **state)
{
    (void)state;
    struct shot spin0 = dc2_tee_draw(ICE_DC2_A), spin1 = dc2_tee_draw(-ICE_DC2_A);

    assert_true(fabs(spin0.velocity.x - 0.99074) < 5e-6);
    assert_true(fabs(spin0.velocity.y - 29.55977) < 5e-6);
    assert_true(fabs(spin1.velocity.x + 0.99074) < 5e-6);
    assert_true(fabs(spin1.velocity.y - 29.55977) < 5e-6);
    /* The rule of thumb is accurate to centimetres. */
    assert_true(vec2_distance(dc2_stop(spin0), (struct vec2){SHEET_TEE_X, SHEET_TEE_Y}) < 0.05);
}

/* The published formula, in the frame of Digital Curling 2: target (x, y), spin 0 or 1. */
static struct vec2 published_draw(struct vec2 target, int spin)
{
    double x = target.x, y = target.y;
    struct vec2 aim = spin == 0
                          ? (struct vec2){x - 1.22 + 0.0335 * (y - 4.88), y - 0.0335 * (x - 2.375)}
                          : (struct vec2){x + 1.22 - 0.0335 * (y - 4.88), y + 0.0335 * (x - 2.375)};
    struct vec2 way = vec2_sub(aim, (struct vec2){2.375, 41.28});
    double distance = vec2_length(way);
    return vec2_scale(sqrt(2.0 * 12.009216 * distance) / distance, way);
}

static void gat_noise_is_the_official_formula_turned_into_the_shot_frame(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise noise = own_noise(ice);
    struct vec2 tee = {2.375, 4.88};

    for (int spin = 0; spin < 2; spin++) {
        for (uint64_t k = 0; k < 100; k++) {
            struct normal_pair z = random_normal_pair(&key, k);
            struct shot shot = {{1.5, 33.0}, spin == 0 ? ICE_DC2_A : -ICE_DC2_A};
            struct vec2 missed = {tee.x + 0.0725 * z.z0, tee.y + 0.29 * z.z1};
            struct vec2 error = vec2_sub(published_draw(tee, spin), published_draw(missed, spin));
            struct vec2 official = vec2_add((struct vec2){-1.5, -33.0}, error);
            struct shot noisy = noise_apply(&noise, ice, shot, z);
            assert_true(vec2_distance(noisy.velocity, vec2_scale(-1.0, official)) < 1e-12);
            assert_true(noisy.omega == shot.omega);
        }
    }
}

/* The error is largest along the shot, and the shot is aimed against its curl: hence the
 * correlation, 0.0335 (0.145^2 - 0.0725^2) / (0.145 0.0725) = 0.05 in magnitude. Stopping points
 * spread by (0.0728, 0.2891) m over 20000 throws of the reference engine. */
static void gat_noise_has_the_measured_spread(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise noise = own_noise(ice);

    for (int spin = 0; spin < 2; spin++) {
        struct shot shot = dc2_tee_draw(spin == 0 ? ICE_DC2_A : -ICE_DC2_A);
        struct spread s = spread_of(&noise, ice, shot);
        struct vec2 stop = stop_spread(dc2_stop, shot, s.covariance);
        print_message("spin %d: velocity sd %.4f %.4f correlation %+.4f, stop sd %.4f %.4f\n", spin,
                      sqrt(s.covariance.xx), sqrt(s.covariance.yy), correlation(&s.covariance),
                      stop.x, stop.y);
        assert_true(fabs(sqrt(s.covariance.xx) - 0.059) < 0.0005);
        assert_true(fabs(sqrt(s.covariance.yy) - 0.118) < 0.0005);
        assert_true(fabs(correlation(&s.covariance) - (spin == 0 ? 0.05 : -0.05)) < 0.007);
        assert_true(fabs(stop.x - 0.0728) < 0.001);
        assert_true(fabs(stop.y - 0.2891) < 0.003);
    }
}

static void gat_noise_of_hits_and_draws_is_equal(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise noise = own_noise(ice);
    struct shot draw = dc2_tee_draw(ICE_DC2_A), hit = {{0.3, 38.0}, ICE_DC2_A};

    for (uint64_t k = 0; k < 100; k++) {
        struct normal_pair z = random_normal_pair(&key, k);
        struct vec2 a = vec2_sub(noise_apply(&noise, ice, draw, z).velocity, draw.velocity);
        struct vec2 b = vec2_sub(noise_apply(&noise, ice, hit, z).velocity, hit.velocity);
        assert_true(vec2_distance(a, b) < 1e-13);
    }
}

static void older_gat_rule_is_a_setting(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise noise = own_noise(ice), old = noise;
    struct shot shot = dc2_tee_draw(ICE_DC2_A);

    old.gat_stddev_x_m = old.gat_stddev_y_m = NOISE_GAT_OLD_STDDEV_M;
    assert_int_equal(noise_check(&old), NOISE_OK);
    struct noise_covariance now = spread_of(&noise, ice, shot).covariance;
    struct noise_covariance then = spread_of(&old, ice, shot).covariance;
    assert_true(fabs(sqrt(then.xx / now.xx) - 2.0) < 0.01);
    assert_true(fabs(sqrt(then.yy / now.yy) - 0.5) < 0.01);
}

static void normal_dist_has_the_stated_spread_in_speed_and_angle(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    struct shot shot = {{-0.4, 3.1}, 1.5};
    double speed = vec2_length(shot.velocity);
    double mean_s = 0, mean_a = 0, var_s = 0, var_a = 0, cov = 0;

    for (uint64_t k = 0; k < COUNT; k++) {
        struct shot noisy = noise_apply(&noise, ice, shot, random_normal_pair(&key, k));
        double ds = vec2_length(noisy.velocity) - speed;
        double da = atan2(vec2_cross(shot.velocity, noisy.velocity),
                          vec2_dot(shot.velocity, noisy.velocity));
        mean_s += ds / COUNT;
        mean_a += da / COUNT;
        var_s += ds * ds / COUNT;
        var_a += da * da / COUNT;
        cov += ds * da / COUNT;
        assert_true(noisy.omega == 1.5);
    }
    assert_true(fabs(mean_s) < 4.0 * 0.0076 / sqrt(COUNT));
    assert_true(fabs(mean_a) < 4.0 * 0.0018 / sqrt(COUNT));
    assert_true(fabs(sqrt(var_s) / 0.0076 - 1.0) < 0.007);
    assert_true(fabs(sqrt(var_a) / 0.0018 - 1.0) < 0.007);
    assert_true(fabs(cov) / (0.0076 * 0.0018) < 4.0 / sqrt(COUNT));
}

/* (0.0696, 0.2651) m over 4000 throws of the reference engine. */
static void normal_dist_spreads_a_tee_draw_as_measured(void **state)
{
    (void)state;
    struct noise noise = own_noise(profile("dc3"));
    struct shot shot = fcv1_tee_draw(1.0);
    struct vec2 stop = stop_spread(fcv1_stop, shot, noise_covariance_at(&noise, shot));

    assert_true(vec2_distance(fcv1_stop(shot), (struct vec2){SHEET_TEE_X, SHEET_TEE_Y}) < 0.02);
    print_message("stop sd %.4f %.4f\n", stop.x, stop.y);
    assert_true(fabs(stop.x - 0.069) < 0.001);
    assert_true(fabs(stop.y - 0.265) < 0.004);
}

/* Verified on the official server: maximum 2.0, no noise, (0.3, 4) -> (0.149580, 1.994399). */
static void normal_dist_limits_the_speed_before_the_noise(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    struct shot fast = {{0.3, 4.0}, 1.5};

    noise.max_speed_mps = 2.0;
    noise.stddev_speed_mps = noise.stddev_angle_rad = 0.0;
    struct shot limited = noise_apply(&noise, ice, fast, (struct normal_pair){1.0, 1.0});
    assert_true(fabs(limited.velocity.x - 0.149580) < 1e-6);
    assert_true(fabs(limited.velocity.y - 1.994399) < 1e-6);

    noise = own_noise(ice);
    struct shot noisy = noise_apply(&noise, ice, fast, (struct normal_pair){0.0, 2.0});
    assert_true(fabs(vec2_length(noisy.velocity) - (4.0 + 2.0 * 0.0076)) < 1e-12);
}

static void dc4_player_brings_omega_into_its_range_and_others_do_not(void **state)
{
    (void)state;
    const double pi = 2.0 * acos(0.0);
    const struct {
        double omega, dc4;
    } cases[] = {{0.0, pi / 6}, {-0.0, pi / 6}, {0.1, pi / 6},   {-0.1, -pi / 6}, {1.0, 1.0},
                 {-1.0, -1.0},  {3.0, pi / 2},  {-9.0, -pi / 2}, {pi / 6, pi / 6}};
    struct noise dc4 = own_noise(profile("dc4")), dc3 = own_noise(profile("dc3"));

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct shot shot = {{0.0, 2.4}, cases[k].omega};
        struct normal_pair z = {0.0, 0.0};
        assert_true(fabs(noise_apply(&dc4, profile("dc4"), shot, z).omega - cases[k].dc4) < 1e-15);
        assert_true(noise_apply(&dc3, profile("dc3"), shot, z).omega == shot.omega);
    }
}

/* z0 > 0 errs to the right and z1 > 0 long in every profile; the mirror image has the mirrored
 * error. */
static void errors_point_the_same_way_in_every_kind(void **state)
{
    (void)state;
    for (int p = 0; ice_profile_at(p); p++) {
        const struct ice_profile *ice = ice_profile_at(p);
        struct noise noise = own_noise(ice);
        struct shot shot = ice->law == ICE_DC2 ? dc2_tee_draw(ice->spin) : fcv1_tee_draw(1.0);
        struct shot mirror = {{-shot.velocity.x, shot.velocity.y}, -shot.omega};
        struct shot right = noise_apply(&noise, ice, shot, (struct normal_pair){1.0, 0.0});
        struct shot longer = noise_apply(&noise, ice, shot, (struct normal_pair){0.0, 1.0});
        struct shot both = noise_apply(&noise, ice, shot, (struct normal_pair){0.7, -1.3});
        struct shot image = noise_apply(&noise, ice, mirror, (struct normal_pair){-0.7, -1.3});

        assert_true(vec2_cross(shot.velocity, right.velocity) < 0.0);
        assert_true(vec2_dot(shot.velocity, vec2_sub(longer.velocity, shot.velocity)) > 0.0);
        assert_true(fabs(both.velocity.x + image.velocity.x) < 1e-12);
        assert_true(fabs(both.velocity.y - image.velocity.y) < 1e-12);
    }
}

static void zero_noise_leaves_the_shot_unchanged(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc4");
    struct noise noise = noise_default(ice, ICE_NOISE_NONE);
    struct shot shot = {{0.2, 5.0}, 0.0};
    struct shot same = noise_apply(&noise, ice, shot, (struct normal_pair){3.0, -3.0});
    struct noise_covariance c = noise_covariance_at(&noise, shot);

    assert_int_equal(noise_check(&noise), NOISE_OK);
    assert_memory_equal(&same, &shot, sizeof shot);
    assert_true(c.xx == 0.0 && c.xy == 0.0 && c.yy == 0.0);
}

static void any_covariance_is_reproduced(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    const struct noise_covariance wanted[] = {
        {4e-5, -3e-5, 9e-5}, {0.0, 0.0, 1e-4}, {1e-4, 0.0, 0.0}, {1e-4, 2e-4, 4e-4}};

    for (int k = 0; k < 4; k++) {
        struct noise noise = noise_default(ice, ICE_NOISE_COVARIANCE);
        struct shot shot = {{0.1, 2.4}, 1.5};
        double tolerance = 0.01 * (wanted[k].xx + wanted[k].yy);

        noise.covariance = wanted[k];
        assert_int_equal(noise_check(&noise), NOISE_OK);
        struct noise_covariance met = spread_of(&noise, ice, shot).covariance;
        assert_true(fabs(met.xx - wanted[k].xx) < tolerance);
        assert_true(fabs(met.xy - wanted[k].xy) < tolerance);
        assert_true(fabs(met.yy - wanted[k].yy) < tolerance);
        met = noise_covariance_at(&noise, shot);
        assert_memory_equal(&met, &wanted[k], sizeof met);
    }
}

static void predicted_covariance_is_the_one_met(void **state)
{
    (void)state;
    for (int p = 0; ice_profile_at(p); p++) {
        const struct ice_profile *ice = ice_profile_at(p);
        struct noise noise = own_noise(ice);
        for (int side = -1; side <= 1; side += 2) {
            struct shot shot =
                ice->law == ICE_DC2 ? dc2_tee_draw(side * ice->spin) : fcv1_tee_draw(side);
            struct noise_covariance met = spread_of(&noise, ice, shot).covariance;
            struct noise_covariance told = noise_covariance_at(&noise, shot);
            assert_true(fabs(met.xx / told.xx - 1.0) < 0.015);
            assert_true(fabs(met.yy / told.yy - 1.0) < 0.015);
            assert_true(fabs(correlation(&met) - correlation(&told)) < 0.007);
        }
    }
}

static void noise_never_makes_a_shot_that_the_engines_refuse(void **state)
{
    (void)state;
    for (int p = 0; ice_profile_at(p); p++) {
        const struct ice_profile *ice = ice_profile_at(p);
        for (int kind = ICE_NOISE_GAT; kind <= ICE_NOISE_COVARIANCE; kind++) {
            struct noise noise = noise_default(ice, (enum ice_noise)kind);
            noise.max_speed_mps = HUGE_VAL;
            noise.covariance = (struct noise_covariance){1.0, 0.0, 1.0};
            for (uint64_t k = 0; k < 2000; k++) {
                struct shot shot = {{0.6 * ice->max_speed, 0.8 * ice->max_speed}, ice->spin};
                struct shot noisy = noise_apply(&noise, ice, shot, random_normal_pair(&key, k));
                assert_true(vec2_length(noisy.velocity) <= ice->max_speed);
            }
        }
    }
}

static void a_shot_that_was_bad_stays_bad(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise noise = own_noise(ice);
    struct shot wild = {{0.0, 2.0 * ice->max_speed}, ICE_DC2_A};
    struct shot broken = {{(double)NAN, 30.0}, ICE_DC2_A};
    struct normal_pair z = {0.5, -0.5};

    assert_true(vec2_length(noise_apply(&noise, ice, wild, z).velocity) > ice->max_speed);
    assert_true(isnan(noise_apply(&noise, ice, broken, z).velocity.x));
    ice = profile("dc4");
    noise = own_noise(ice);
    assert_true(isnan(noise_apply(&noise, ice, broken, z).velocity.x));
    broken = (struct shot){{0.0, 2.4}, (double)NAN};
    assert_true(isnan(noise_apply(&noise, ice, broken, z).omega));
    broken = (struct shot){{0.0, HUGE_VAL}, 1.0};
    assert_true(!isfinite(noise_apply(&noise, ice, broken, z).velocity.y));
}

static void a_barely_pushed_stone_never_goes_backwards(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    struct shot push = {{0.0, 0.01}, 1.5}, none = {{0.0, 0.0}, 1.5};
    struct normal_pair back = {0.0, -3.0}, on = {0.0, 3.0};

    assert_true(vec2_length(noise_apply(&noise, ice, push, back).velocity) == 0.0);
    assert_true(noise_apply(&noise, ice, none, on).velocity.y > 0.0);
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    const double nan = (double)NAN;
    struct noise gat = noise_default(ice, ICE_NOISE_GAT);
    struct noise dist = noise_default(ice, ICE_NOISE_NORMAL_DIST);
    struct noise cov = noise_default(ice, ICE_NOISE_COVARIANCE);
    struct noise n;

    n = gat, n.kind = (enum ice_noise)9;
    assert_int_equal(noise_check(&n), NOISE_BAD_KIND);
    n = gat, n.gat_stddev_x_m = -0.1;
    assert_int_equal(noise_check(&n), NOISE_BAD_GAT_STDDEV_X);
    n = gat, n.gat_stddev_y_m = nan;
    assert_int_equal(noise_check(&n), NOISE_BAD_GAT_STDDEV_Y);
    n = dist, n.stddev_speed_mps = HUGE_VAL;
    assert_int_equal(noise_check(&n), NOISE_BAD_STDDEV_SPEED);
    n = dist, n.stddev_angle_rad = -1.0;
    assert_int_equal(noise_check(&n), NOISE_BAD_STDDEV_ANGLE);
    n = dist, n.max_speed_mps = nan;
    assert_int_equal(noise_check(&n), NOISE_BAD_MAX_SPEED);
    n = dist, n.max_speed_mps = HUGE_VAL;
    assert_int_equal(noise_check(&n), NOISE_OK);
    n = dist, n.min_omega_radps = 2.0, n.max_omega_radps = 1.0;
    assert_int_equal(noise_check(&n), NOISE_BAD_OMEGA_RANGE);
    n = dist, n.max_omega_radps = nan;
    assert_int_equal(noise_check(&n), NOISE_BAD_OMEGA_RANGE);
    n = cov, n.covariance = (struct noise_covariance){1e-4, 1.1e-4, 1e-4};
    assert_int_equal(noise_check(&n), NOISE_BAD_COVARIANCE);
    n = cov, n.covariance = (struct noise_covariance){-1e-4, 0.0, -1e-4};
    assert_int_equal(noise_check(&n), NOISE_BAD_COVARIANCE);
    n = cov, n.covariance = (struct noise_covariance){1e-4, nan, 1e-4};
    assert_int_equal(noise_check(&n), NOISE_BAD_COVARIANCE);
    /* Settings of another kind are ignored. */
    n = gat, n.stddev_speed_mps = nan;
    assert_int_equal(noise_check(&n), NOISE_OK);
}

static void every_status_has_its_own_words(void **state)
{
    (void)state;
    for (int k = NOISE_OK; k <= NOISE_BAD_COVARIANCE; k++)
        for (int other = NOISE_OK; other < k; other++)
            assert_string_not_equal(noise_status_text((enum noise_status)k),
                                    noise_status_text((enum noise_status)other));
}

static void errors_are_found_again(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3", "dc4"};

    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = profile(names[k]);
        const struct noise noise = own_noise(ice);
        bool is_gat = noise.kind == ICE_NOISE_GAT;
        for (uint64_t sample = 0; sample < 500; sample++) {
            double spin = sample % 2 ? 1.0 : -1.0;
            struct shot shot = is_gat ? dc2_tee_draw(spin * ice->spin) : fcv1_tee_draw(spin);
            struct normal_pair pair = random_normal_pair(&key, sample);
            double errors[NOISE_ERRORS];
            assert_true(noise_errors(&noise, shot, noise_apply(&noise, ice, shot, pair), errors));
            /* In the order of the table: gat across and along; normal_dist speed and angle. */
            double first =
                is_gat ? noise.gat_stddev_x_m * pair.z0 : noise.stddev_speed_mps * pair.z1;
            double second =
                is_gat ? noise.gat_stddev_y_m * pair.z1 : -noise.stddev_angle_rad * pair.z0;
            assert_true(fabs(errors[0] - first) < 1e-9);
            assert_true(fabs(errors[1] - second) < 1e-9);
        }
    }
    /* A hand without a speed has no angle; a hand without errors none to find. */
    double errors[NOISE_ERRORS];
    const struct ice_profile *dc3 = profile("dc3");
    const struct noise noise = own_noise(dc3), none = noise_default(dc3, ICE_NOISE_NONE);
    assert_false(noise_errors(&noise, fcv1_tee_draw(1.0), (struct shot){{0.0, 0.0}, 1.0}, errors));
    assert_false(noise_errors(&none, fcv1_tee_draw(1.0), fcv1_tee_draw(1.0), errors));
}

/* ---- hands of people ---- */

static void few_degrees_of_freedom_are_students_t(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    const struct shot draw = fcv1_tee_draw(1.0);
    int beyond[2] = {0, 0}, both = 0;

    noise.degrees_of_freedom_count = 4.0;
    for (uint64_t k = 0; k < COUNT; k++) {
        double errors[NOISE_ERRORS];
        struct shot thrown = noise_apply(&noise, ice, draw, random_normal_pair(&key, k));
        assert_true(noise_errors(&noise, draw, thrown, errors));
        bool speed = fabs(errors[0]) > 3.0 * noise.stddev_speed_mps;
        bool angle = fabs(errors[1]) > 3.0 * noise.stddev_angle_rad;
        beyond[0] += speed;
        beyond[1] += angle;
        both += speed && angle;
    }
    /* P(|t| > 3) with four degrees of freedom is .039942; normal: .0027. */
    for (int k = 0; k < 2; k++)
        assert_true(fabs((double)beyond[k] / COUNT - 0.039942) < 0.004);
    /* One denominator: .0083 both, by numerical integration; apart it would be .0016. */
    assert_true((double)both / COUNT > 0.006);
}

static void many_degrees_of_freedom_are_nearly_normal(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc2");
    struct noise normal = own_noise(ice), noise = normal;
    const struct shot draw = dc2_tee_draw(1.0);

    noise.degrees_of_freedom_count = 1000.0;
    for (uint64_t k = 0; k < 1000; k++) {
        struct normal_pair z = random_normal_pair(&key, k);
        struct shot a = noise_apply(&normal, ice, draw, z), b = noise_apply(&noise, ice, draw, z);
        assert_true(vec2_length(vec2_sub(a.velocity, b.velocity)) < 0.01);
    }
}

static void hits_err_by_the_factor_and_draws_do_not(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3", "dc4"};

    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = profile(names[k]);
        const struct noise normal = own_noise(ice);
        struct noise noise = normal;
        noise.hit_factor_ratio = 2.0;
        for (double weight = -0.5; weight < 1.6; weight += 0.5) {
            double speed = ice->draw_speed + weight * (ice->hit_speed - ice->draw_speed);
            double factor = 1.0 + fmin(fmax(weight, 0.0), 1.0), one[2], two[2];
            struct shot shot = {{0.0, speed}, ice->spin};
            assert_true(fabs(noise_weight(&noise, shot) - (factor - 1.0)) < 1e-9);
            for (uint64_t sample = 0; sample < 20; sample++) {
                struct normal_pair z = random_normal_pair(&key, sample);
                struct normal_pair more = {factor * z.z0, factor * z.z1};
                noise_errors(&noise, shot, noise_apply(&normal, ice, shot, more), one);
                noise_errors(&noise, shot, noise_apply(&noise, ice, shot, z), two);
                assert_true(fabs(one[0] - two[0]) < 1e-9 && fabs(one[1] - two[1]) < 1e-9);
            }
        }
    }
}

static void release_errs_to_the_side_of_the_curl(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    const struct normal_pair long_one = {0.0, 1e-9};

    noise.release_deviations = 0.5;
    for (int spin = -1; spin <= 1; spin += 2) {
        const struct shot draw = fcv1_tee_draw(spin);
        struct vec2 meant = fcv1_stop(draw);
        struct vec2 met = fcv1_stop(noise_apply(&noise, ice, draw, long_one));
        /* omega > 0 curls to the left, half a deviation of .069 m at the tee. */
        assert_true(fabs((met.x - meant.x) * spin + 0.5 * 0.069) < 0.001);
        /* Without an error there is none of people. */
        struct shot same = noise_apply(&noise, ice, draw, (struct normal_pair){0.0, 0.0});
        assert_true(vec2_length(vec2_sub(same.velocity, draw.velocity)) < 1e-12);
    }
}

static void the_spin_errs_by_its_deviation_and_keeps_its_side(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    const struct ice_profile *ice = profile("dc3");
    struct noise noise = own_noise(ice);
    double sum = 0.0, square = 0.0, with_speed = 0.0;

    noise.stddev_spin_share = 0.2;
    for (uint64_t k = 0; k < COUNT; k++) {
        struct normal_pair z = random_normal_pair(&key, k);
        const struct shot draw = fcv1_tee_draw(-1.0);
        double error = noise_apply(&noise, ice, draw, z).omega / draw.omega - 1.0;
        assert_true(error >= -0.95 - 1e-12);
        sum += error / COUNT;
        square += error * error / COUNT;
        with_speed += error * z.z1 / COUNT;
    }
    assert_true(fabs(sum) < 0.004 && fabs(sqrt(square) - 0.2) < 0.003);
    assert_true(fabs(with_speed) < 0.004);
    noise.stddev_spin_share = 1.0;
    for (uint64_t k = 0; k < 1000; k++) {
        struct shot fast = {{0.0, 2.4}, 0.9 * ice->max_omega};
        double omega = noise_apply(&noise, ice, fast, random_normal_pair(&key, k)).omega;
        assert_true(omega > 0.0 && omega <= ice->max_omega);
    }
}

static struct noise person(const struct ice_profile *ice)
{
    struct noise noise = own_noise(ice);

    noise.degrees_of_freedom_count = 10.0;
    noise.hit_factor_ratio = 1.5;
    noise.release_deviations = -0.4;
    noise.stddev_spin_share = 0.1;
    assert_true(noise_is_of_people(&noise));
    assert_int_equal(noise_check(&noise), NOISE_OK);
    return noise;
}

static void the_mirror_image_errs_to_the_mirror_image(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3", "dc4"};

    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = profile(names[k]);
        const struct noise noise = person(ice);
        for (uint64_t sample = 0; sample < 1000; sample++) {
            struct normal_pair z = random_normal_pair(&key, sample);
            struct shot shot = {{0.01 * ice->draw_speed, 1.1 * ice->draw_speed}, ice->spin};
            struct shot mirror = {{-shot.velocity.x, shot.velocity.y}, -shot.omega};
            struct shot a = noise_apply(&noise, ice, shot, z);
            struct shot b = noise_apply(&noise, ice, mirror, (struct normal_pair){-z.z0, z.z1});
            assert_true(a.velocity.x == -b.velocity.x && a.velocity.y == b.velocity.y);
            assert_true(a.omega == -b.omega);
        }
    }
}

static void moments_of_people_are_the_ones_met(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3"};

    for (int k = 0; k < 2; k++) {
        const struct ice_profile *ice = profile(names[k]);
        const struct noise noise = person(ice);
        struct shot shot = k ? fcv1_tee_draw(1.0) : dc2_tee_draw(1.0);
        shot.velocity = vec2_scale(1.15, shot.velocity);
        struct spread met = spread_of(&noise, ice, shot);
        struct noise_covariance told = noise_covariance_at(&noise, shot);
        assert_true(fabs((met.covariance.xx + met.mean.x * met.mean.x) / told.xx - 1.0) < 0.03);
        assert_true(fabs((met.covariance.yy + met.mean.y * met.mean.y) / told.yy - 1.0) < 0.03);
    }
}

static void rare_misses_do_not_blow_up_the_moments(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    const struct shot draw = fcv1_tee_draw(1.0);
    struct noise noise = own_noise(ice);
    struct noise_covariance normal = noise_covariance_at(&noise, draw);

    noise.degrees_of_freedom_count = 2.5;
    assert_true(fabs(noise_covariance_at(&noise, draw).yy / normal.yy - 3.0) < 1e-9);
}

static void settings_without_effect_change_no_byte(void **state)
{
    (void)state;
    for (int p = 0; ice_profile_at(p); p++) {
        const struct ice_profile *ice = ice_profile_at(p);
        struct noise noise = own_noise(ice);
        assert_false(noise_is_of_people(&noise));
        /* Of a kind that has none. */
        noise.kind = ICE_NOISE_NONE;
        noise.degrees_of_freedom_count = 3.0;
        assert_false(noise_is_of_people(&noise));
    }
}

static void bad_settings_of_people_are_named(void **state)
{
    (void)state;
    const struct ice_profile *ice = profile("dc3");
    const struct noise good = person(ice);
    const double bad[] = {(double)NAN, -4.0, 1e9};
    struct noise n;

    for (int k = 0; k < 3; k++) {
        n = good, n.degrees_of_freedom_count = bad[k];
        assert_int_equal(noise_check(&n), NOISE_BAD_DEGREES_OF_FREEDOM);
        n = good, n.hit_factor_ratio = bad[k];
        assert_int_equal(noise_check(&n), NOISE_BAD_HIT_FACTOR);
        n = good, n.release_deviations = bad[k];
        assert_int_equal(noise_check(&n), NOISE_BAD_RELEASE);
        n = good, n.stddev_spin_share = bad[k];
        assert_int_equal(noise_check(&n), NOISE_BAD_STDDEV_SPIN);
    }
    n = good, n.degrees_of_freedom_count = HUGE_VAL;
    assert_int_equal(noise_check(&n), NOISE_OK);
    n = good, n.degrees_of_freedom_count = 2.4;
    assert_int_equal(noise_check(&n), NOISE_BAD_DEGREES_OF_FREEDOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gat_draw_to_the_tee_is_the_official_one),
        cmocka_unit_test(gat_noise_is_the_official_formula_turned_into_the_shot_frame),
        cmocka_unit_test(gat_noise_has_the_measured_spread),
        cmocka_unit_test(gat_noise_of_hits_and_draws_is_equal),
        cmocka_unit_test(older_gat_rule_is_a_setting),
        cmocka_unit_test(normal_dist_has_the_stated_spread_in_speed_and_angle),
        cmocka_unit_test(normal_dist_spreads_a_tee_draw_as_measured),
        cmocka_unit_test(normal_dist_limits_the_speed_before_the_noise),
        cmocka_unit_test(dc4_player_brings_omega_into_its_range_and_others_do_not),
        cmocka_unit_test(errors_point_the_same_way_in_every_kind),
        cmocka_unit_test(zero_noise_leaves_the_shot_unchanged),
        cmocka_unit_test(any_covariance_is_reproduced),
        cmocka_unit_test(predicted_covariance_is_the_one_met),
        cmocka_unit_test(noise_never_makes_a_shot_that_the_engines_refuse),
        cmocka_unit_test(a_shot_that_was_bad_stays_bad),
        cmocka_unit_test(a_barely_pushed_stone_never_goes_backwards),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(every_status_has_its_own_words),
        cmocka_unit_test(errors_are_found_again),
        cmocka_unit_test(few_degrees_of_freedom_are_students_t),
        cmocka_unit_test(many_degrees_of_freedom_are_nearly_normal),
        cmocka_unit_test(hits_err_by_the_factor_and_draws_do_not),
        cmocka_unit_test(release_errs_to_the_side_of_the_curl),
        cmocka_unit_test(the_spin_errs_by_its_deviation_and_keeps_its_side),
        cmocka_unit_test(the_mirror_image_errs_to_the_mirror_image),
        cmocka_unit_test(moments_of_people_are_the_ones_met),
        cmocka_unit_test(rare_misses_do_not_blow_up_the_moments),
        cmocka_unit_test(settings_without_effect_change_no_byte),
        cmocka_unit_test(bad_settings_of_people_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
