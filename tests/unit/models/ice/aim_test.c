/* Aiming inverts throwing: the thrown shot hits its aim. */
#include "models/ice/aim.h"

#include "models/ice/approach.h"
#include "models/ice/random.h"
#include "models/ice/throw.h"
#include "tests/unit/models/game/remove.h"
#include "tests/unit/models/ice/throw_or_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const profiles[] = {"dc2", "dc3", "dc4"};
enum { PROFILES = 3 };

/* cmocka's version compares float. */
static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g is not within %.3g of %.12g", value, tolerance, wanted);
}

static const struct vec2 tee = {0.0, 38.405};

/* Returns a number between low and high, the same at each run. */
static double draw_number(uint64_t index, double low, double high)
{
    struct random_key key = {.seed = 20, .stream = 0, .game = 0, .shot = 0, .purpose = 0};
    return low + (high - low) * random_uniform(&key, index);
}

static void draws_stop_on_their_target(void **state)
{
    (void)state;
    const struct position empty = {0};
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        double worst = 0.0;
        int drawn = 0;
        for (uint64_t k = 0; k < 2000; k++) {
            struct vec2 target = {draw_number(3 * k, -1.9, 1.9),
                                  draw_number(3 * k + 1, 32.3, 40.2)};
            double omega = draw_number(3 * k + 2, -1.0, 1.0) * 1.5 * ice->spin;
            struct shot shot;
            enum aim_status status = aim_draw(ice, target, omega, &shot);
            if (status == AIM_LEAVES_SHEET)
                continue; /* wide targets need a path across the side line */
            assert_int_equal(status, AIM_OK);
            struct throw_result result = throw_or_fail(ice, &empty, 5, shot);
            assert_true(position_has(&result.after, 5));
            worst = fmax(worst, vec2_distance(result.after.stone[5], target));
            drawn++;
        }
        print_message("%s: %d draws, worst error %.2g m\n", profiles[p], drawn, worst);
        assert_true(drawn > 1500);
        assert_true(worst < 1e-5);
    }
}

/* The published tee draws: dc2 (∓0.99074, 29.55977) in the shot frame, FCV1 2.40336 m/s at
 * pi/2 ∓ 0.05484. */
static void tee_draws_are_the_published_ones(void **state)
{
    (void)state;
    struct shot shot;
    const struct ice_profile *dc2 = ice_profile_find("dc2");
    assert_int_equal(aim_draw(dc2, tee, dc2->spin, &shot), AIM_OK);
    assert_near(shot.velocity.x, 0.99074, 0.005);
    assert_near(shot.velocity.y, 29.55977, 0.02);

    const struct ice_profile *dc3 = ice_profile_find("dc3");
    assert_int_equal(aim_draw(dc3, tee, dc3->spin, &shot), AIM_OK);
    assert_near(vec2_length(shot.velocity), 2.40336, 1e-4);
    assert_near(atan2(shot.velocity.y, shot.velocity.x), acos(0.0) - 0.05484, 1e-4);
}

/* Position and speed of a shot at the step nearest to the place. */
static void shots_pass_the_place_at_the_speed(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct glide_table *table = glide_table(ice->law);
        double unit = ice->law == ICE_DC2 ? 10.0 : 1.0;
        for (uint64_t k = 0; k < 500; k++) {
            struct vec2 place = {draw_number(5000 + 3 * k, -2.0, 2.0),
                                 draw_number(5001 + 3 * k, 31.0, 41.0)};
            double speed = unit * draw_number(5002 + 3 * k, 0.1, 2.5);
            double omega = k & 1 ? ice->spin : -ice->spin;
            struct shot shot;
            assert_int_equal(aim_pass(ice, place, speed, omega, &shot), AIM_OK);

            struct vec2 velocity = shot.velocity;
            struct glide glide;
            double released = glide_release(ice->law, &velocity, &omega);
            assert_true(glide_start(table, &glide, 0, ice->hack, velocity, released, omega));
            double nearest = INFINITY, there = 0.0;
            for (double sigma = glide.sigma; sigma > 0.0; sigma -= 0.125) {
                double d = vec2_distance(glide_position(table, &glide, sigma), place);
                if (d < nearest) {
                    nearest = d;
                    there = vec2_length(glide_velocity(table, &glide, sigma));
                }
            }
            /* An eighth of a step is up to 4 mm in dc2, with a speed loss of at most 0.12 %. */
            assert_true(nearest < 0.07 * ICE_STEP_S * there + 1e-6);
            assert_near(there, speed, 0.02 * unit);
        }
    }
}

/* The line of motion at contact passes the stone at the given offset. */
static void hits_meet_the_stone_at_the_offset(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct glide_table *table = glide_table(ice->law);
        double unit = ice->law == ICE_DC2 ? 10.0 : 1.0, worst = 0.0;
        for (uint64_t k = 0; k < 1000; k++) {
            struct position position = {0};
            struct vec2 target = {draw_number(9000 + 4 * k, -1.5, 1.5),
                                  draw_number(9001 + 4 * k, 33.0, 40.0)};
            position_put(&position, 4, target);
            double offset = draw_number(9002 + 4 * k, -0.28, 0.28);
            double speed = unit * draw_number(9003 + 4 * k, 0.2, 2.5);
            double omega = k & 1 ? ice->spin : -ice->spin;
            struct shot shot;
            int blocker = -2;
            enum aim_status status =
                aim_hit(ice, &position, 4, offset, speed, omega, &shot, &blocker);
            if (status == AIM_LEAVES_SHEET) {
                /* Either across the side line, or a graze too fine for any 1 ms step. */
                assert_true(fabs(offset) > 0.28 || fabs(target.x) > 0.9);
                continue;
            }
            assert_int_equal(status, AIM_OK);
            assert_int_equal(blocker, -2);

            /* Thrown, the stone touches the target (unless the touch is finer than a step) ... */
            struct throw_result result = throw_or_fail(ice, &position, 9, shot);
            assert_true(result.collisions >= 1);
            /* ... and just before, its line of motion has that offset. */
            struct vec2 velocity = shot.velocity;
            struct glide glide;
            double released = glide_release(ice->law, &velocity, &omega);
            assert_true(glide_start(table, &glide, 0, ice->hack, velocity, released, omega));
            for (int32_t step = 0; step < glide.stop_step; step++) {
                double sigma = glide_sigma_at(&glide, step);
                struct vec2 d = vec2_sub(target, glide_position(table, &glide, sigma));
                if (vec2_length(d) > 2.0 * ICE_STONE_RADIUS)
                    continue;
                struct vec2 v = glide_velocity(table, &glide, sigma);
                worst = fmax(worst, fabs(vec2_cross(v, d) / vec2_length(v) - offset));
                break;
            }
        }
        print_message("%s: worst offset error %.2g m\n", profiles[p], worst);
        assert_true(worst < 0.005);
    }
}

static void a_full_hit_sends_the_stone_straight_on(void **state)
{
    (void)state;
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct position position = {0};
    position_put(&position, 3, tee);
    struct shot shot;
    int blocker;
    assert_int_equal(aim_hit(ice, &position, 3, 0.0, 0.6, ice->spin, &shot, &blocker), AIM_OK);
    struct throw_result result = throw_or_fail(ice, &position, 6, shot);
    /* Equal masses, full restitution: the thrown stone stays at the point of impact, the other
     * moves on. */
    assert_true(position_has(&result.after, 6));
    assert_true(vec2_distance(result.after.stone[6], (struct vec2){0.0, 38.405 - 0.29}) < 0.15);
    assert_false(position_has(&result.after, 3) && vec2_distance(result.after.stone[3], tee) < 0.5);
}

static void a_guard_in_the_way_is_named(void **state)
{
    (void)state;
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct position position = {0};
    position_put(&position, 1, tee);
    struct shot shot = {{7.0, 7.0}, 7.0};
    int blocker = -2;
    assert_int_equal(aim_hit(ice, &position, 1, 0.0, 1.0, ice->spin, &shot, &blocker), AIM_OK);

    /* A stone on the path, two metres short of the target. */
    struct vec2 at = {0.0, 0.0};
    struct glide glide;
    struct vec2 velocity = shot.velocity;
    double omega = shot.omega, speed = glide_release(ice->law, &velocity, &omega);
    const struct glide_table *table = glide_table(ice->law);
    assert_true(glide_start(table, &glide, 0, ice->hack, velocity, speed, omega));
    for (int32_t step = 0; at.y < 36.4; step++)
        at = glide_position(table, &glide, glide_sigma_at(&glide, step));
    position_put(&position, 8, at);

    struct shot untouched = {{7.0, 7.0}, 7.0};
    assert_int_equal(aim_hit(ice, &position, 1, 0.0, 1.0, ice->spin, &untouched, &blocker),
                     AIM_BLOCKED);
    assert_int_equal(blocker, 8);
    assert_true(untouched.velocity.x == 7.0 && untouched.omega == 7.0);
    /* Without a check of the path the shot is found. */
    assert_int_equal(aim_hit(ice, &position, 1, 0.0, 1.0, ice->spin, &untouched, NULL), AIM_OK);
    assert_true(untouched.velocity.x == shot.velocity.x);
    assert_int_equal(aim_first_touched(ice, &position, &shot), 8);
    position_remove(&position, 8);
    assert_int_equal(aim_first_touched(ice, &position, &shot), 1);
    position_remove(&position, 1);
    assert_int_equal(aim_first_touched(ice, &position, &shot), -1);
}

static void a_failed_connection_is_explained(void **state)
{
    (void)state;
    struct shot shot = {{7.0, 7.0}, 7.0};
    int blocker;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        double w = ice->spin;
        struct position position = {0};
        position_put(&position, 2, tee);

        assert_int_equal(aim_draw(ice, (struct vec2){NAN, 38.0}, w, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_draw(ice, (struct vec2){0.0, INFINITY}, w, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_draw(ice, tee, NAN, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_draw(ice, tee, ice->max_omega + 1.0, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_draw(ice, (struct vec2){2.3, 38.0}, w, &shot), AIM_OUT_OF_PLAY);
        assert_int_equal(aim_draw(ice, (struct vec2){0.0, 41.0}, w, &shot), AIM_OUT_OF_PLAY);
        assert_int_equal(aim_draw(ice, (struct vec2){0.0, 31.0}, w, &shot), AIM_OUT_OF_PLAY);
        /* On the wrong side of the sheet for this spin the path crosses the side line. */
        assert_int_equal(aim_draw(ice, (struct vec2){-2.2, 38.0}, -w, &shot), AIM_LEAVES_SHEET);
        assert_int_equal(aim_draw(ice, (struct vec2){-2.2, 38.0}, w, &shot), AIM_OK);

        assert_int_equal(aim_pass(ice, tee, -0.1, w, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_pass(ice, tee, NAN, w, &shot), AIM_BAD_VALUE);
        assert_int_equal(aim_pass(ice, tee, ice->max_speed * 1.01, w, &shot), AIM_TOO_FAST);
        assert_int_equal(aim_pass(ice, tee, ice->max_speed * 0.999, w, &shot), AIM_TOO_FAST);
        assert_int_equal(aim_pass(ice, (struct vec2){0.0, -1.0}, 0.5, w, &shot), AIM_BEHIND);

        assert_int_equal(aim_hit(ice, &position, 2, 0.29, 1.0, w, &shot, NULL), AIM_BAD_VALUE);
        assert_int_equal(aim_hit(ice, &position, 2, NAN, 1.0, w, &shot, NULL), AIM_BAD_VALUE);
        assert_int_equal(aim_hit(ice, &position, 2, 0.0, 0.0, w, &shot, NULL), AIM_BAD_VALUE);
        assert_int_equal(aim_hit(ice, &position, 2, 0.0, 99.0, w, &shot, NULL), AIM_TOO_FAST);
        assert_int_equal(aim_hit(ice, &position, 3, 0.0, 1.0, w, &shot, NULL), AIM_NO_STONE);
        assert_int_equal(aim_hit(ice, &position, 16, 0.0, 1.0, w, &shot, NULL), AIM_NO_STONE);
        assert_int_equal(aim_hit(ice, &position, -1, 0.0, 1.0, w, &shot, &blocker), AIM_NO_STONE);
    }
}

static void a_stone_runs_as_far_as_its_weight_says(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct glide_table *table = glide_table(ice->law);
        assert_true(aim_speed_to_run(ice, 0.0) == 0.0);
        assert_true(aim_speed_to_run(ice, NAN) == 0.0);
        for (double metres = 0.01; metres < 40.0; metres *= 1.3) {
            struct glide glide;
            double speed = aim_speed_to_run(ice, metres);
            assert_true(glide_start(table, &glide, 0, tee, (struct vec2){0.0, speed}, speed, 0.0));
            assert_near(glide.path, metres, 2e-5 + 1e-5 * metres);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_stop_on_their_target),
        cmocka_unit_test(tee_draws_are_the_published_ones),
        cmocka_unit_test(shots_pass_the_place_at_the_speed),
        cmocka_unit_test(hits_meet_the_stone_at_the_offset),
        cmocka_unit_test(a_full_hit_sends_the_stone_straight_on),
        cmocka_unit_test(a_guard_in_the_way_is_named),
        cmocka_unit_test(a_failed_connection_is_explained),
        cmocka_unit_test(a_stone_runs_as_far_as_its_weight_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
