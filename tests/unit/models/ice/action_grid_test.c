/* The 960 discrete shots, and the aiming rules of the sample programs. */
#include "models/ice/action_grid.h"

#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/random.h"
#include "models/ice/sample_shots.h"
#include "models/ice/throw.h"
#include "tests/unit/models/game/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const profiles[] = {"dc2", "dc3", "dc4"};
enum { PROFILES = 3 };

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g is not within %.3g of %.12g", value, tolerance, wanted);
}

static struct throw_result throw_or_fail(const struct ice_profile *ice,
                                         const struct position *before, struct shot shot)
{
    struct throw_request request = {.ice = ice, .before = before, .stone = 15, .shot = shot};
    struct throw_result result;
    assert_int_equal(throw_fast(&request, &result), THROW_OK);
    return result;
}

static void indices_and_parts_agree(void **state)
{
    (void)state;
    assert_int_equal(ACTIONS, 960);
    for (int action = 0; action < ACTIONS; action++) {
        struct action parts = action_parts(action);
        assert_in_range(parts.line, 0, ACTION_LINES - 1);
        assert_in_range(parts.weight, 0, ACTION_WEIGHTS - 1);
        assert_in_range(parts.spin, 0, ACTION_SPINS - 1);
        assert_int_equal(action_of_parts(parts), action);
    }
}

static void playable_are_all_with_spin_in_order(void **state)
{
    (void)state;
    int rank = 0;
    for (int action = 0; action < ACTIONS; action++)
        if (action_is_playable(action)) {
            assert_int_not_equal(action_parts(action).spin, ACTION_SPIN_NONE);
            assert_int_equal(action_playable_at(rank++), action);
        }
    assert_int_equal(rank, ACTIONS_PLAYABLE);
}

static void mirrored_actions_are_mirrored_shots(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct shot *shots = action_table(ice_profile_find(profiles[p]));
        for (int action = 0; action < ACTIONS; action++) {
            int other = action_mirror(action);
            struct shot mirror = shot_mirror(&shots[action]);
            assert_int_equal(action_mirror(other), action);
            assert_near(vec2_distance(mirror.velocity, shots[other].velocity), 0.0, 1e-9);
            assert_true(mirror.omega == shots[other].omega);
        }
    }
}

/* Guards and draws stop where the layout says; hits cross the tee line there. */
static void shots_go_where_the_layout_says(void **state)
{
    (void)state;
    static const double rest_m[7] = {-3.0, -2.25, -1.5, -1.0, -0.5, 0.0, 0.6};
    const struct position empty = {0};
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        int rested = 0, crossed = 0;
        const struct shot *shots = action_table(ice);
        for (int action = 0; action < ACTIONS; action++) {
            struct action parts = action_parts(action);
            struct throw_result result = throw_or_fail(ice, &empty, shots[action]);
            double x = (parts.line - 15.5) * 0.125;
            double speed = vec2_length(shots[action].velocity);
            assert_true(speed <= action_max_speed(ice) + 1e-9);
            if (parts.weight < 7) {
                if (!position_has(&result.after, 15))
                    continue; /* the path to the edge crosses the side line */
                assert_near(result.after.stone[15].x, x, 1e-4);
                assert_near(result.after.stone[15].y, SHEET_TEE_Y + rest_m[parts.weight], 1e-4);
                rested++;
            } else if (fabs(x) < 1.2) {
                /* A stone on the tee line at that place is hit on the nose. */
                struct position target = {0};
                position_put(&target, 0, (struct vec2){x, SHEET_TEE_Y});
                struct throw_result hit = throw_or_fail(ice, &target, shots[action]);
                assert_true(hit.collisions >= 1);
                assert_near(speed, action_max_speed(ice), parts.weight == 9 ? 1e-3 : HUGE_VAL);
                crossed++;
            }
        }
        assert_true(rested > 600);
        assert_int_equal(crossed, 20 * 3 * 3);
        /* Each weight is faster than the one before. */
        for (int action = 0; action + ACTION_SPINS < ACTIONS; action++)
            if (action_parts(action).weight + 1 < ACTION_WEIGHTS)
                assert_true(vec2_length(shots[action].velocity) <
                            vec2_length(shots[action + ACTION_SPINS].velocity));
    }
}

static void the_nearest_action_to_an_action_is_itself(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct shot *shots = action_table(ice);
        for (int action = 0; action < ACTIONS; action++) {
            if (!action_is_playable(action))
                continue;
            assert_int_equal(action_nearest(ice, &shots[action]), action);
            /* … and to one with a small error. */
            struct shot near = shots[action];
            near.velocity = vec2_scale(1.0005, near.velocity);
            assert_int_equal(action_nearest(ice, &near), action);
        }
    }
}

/* The published tee draws: dc2 (-+0.99074, -29.55977) in its frame, dc3 (0.1317, 2.3997). */
static void sample_draws_are_the_published_ones(void **state)
{
    (void)state;
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct shot shot = sample_dc2_draw(tee, 0.066696);
    assert_near(shot.velocity.x, 0.99074, 1e-5);
    assert_near(shot.velocity.y, 29.55977, 1e-5);

    const struct ice_profile *dc3 = ice_profile_find("dc3");
    shot = sample_fcv1_shot(dc3, tee, 0.0, dc3->spin);
    assert_near(shot.velocity.x, 0.1317, 1e-4);
    assert_near(shot.velocity.y, 2.3997, 1e-4);
}

/* The rules of thumb against the exact inverse: within centimetres for draws, a good hit for
 * hits. */
static void sample_shots_are_near_the_exact_ones(void **state)
{
    (void)state;
    const struct ice_profile *dc2 = ice_profile_find("dc2"), *dc3 = ice_profile_find("dc3");
    const struct random_key key = {.seed = 5, .purpose = RANDOM_SCENE};
    const struct position empty = {0};
    double worst = 0.0;

    for (uint64_t k = 0; k < 300; k++) {
        struct vec2 at = {2.4 * random_uniform(&key, 2 * k) - 1.2,
                          35.4 + 4.5 * random_uniform(&key, 2 * k + 1)};
        double side = k & 1 ? 1.0 : -1.0;
        struct position target = {0};
        position_put(&target, 3, at);

        struct throw_result draw =
            throw_or_fail(dc3, &empty, sample_fcv1_shot(dc3, at, 0.0, side * dc3->spin));
        worst = fmax(worst, vec2_distance(draw.after.stone[15], at));

        /* Full on the nose: equals passing through the place, up to the angle. */
        struct shot hit = sample_dc2_hit(dc2, at, 16.0, side * dc2->spin), pass;
        assert_int_equal(aim_first_touched(dc2, &target, &hit), 3);
        double run = 10.95 + SHEET_TEE_Y - at.y;
        assert_int_equal(aim_pass(dc2, at, aim_speed_to_run(dc2, run), side * dc2->spin, &pass),
                         AIM_OK);
        assert_near(atan2(hit.velocity.x, hit.velocity.y), atan2(pass.velocity.x, pass.velocity.y),
                    1e-3);
        assert_near(vec2_length(hit.velocity), vec2_length(pass.velocity), 0.05);

        hit = sample_fcv1_shot(dc3, at, 3.0, side * dc3->spin);
        assert_int_equal(aim_pass(dc3, at, 3.0, side * dc3->spin, &pass), AIM_OK);
        assert_near(atan2(hit.velocity.x, hit.velocity.y), atan2(pass.velocity.x, pass.velocity.y),
                    1e-3);
        assert_near(vec2_length(hit.velocity), vec2_length(pass.velocity), 0.01);
    }
    print_message("fcv1 sample draws: worst %.3f m off\n", worst);
    assert_true(worst < 0.05);
}

static void the_table_holds_the_shots_of_its_ice(void **state)
{
    (void)state;
    for (int p = 0; ice_profile_at(p); p++) {
        const struct ice_profile *ice = ice_profile_at(p);
        const struct shot *table = action_table(ice);
        assert_ptr_equal(action_table(ice), table);
        for (int action = 0; action < ACTIONS; action++) {
            struct shot shot = action_shot(ice, action);
            assert_memory_equal(&table[action], &shot, sizeof shot);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_and_parts_agree),
        cmocka_unit_test(playable_are_all_with_spin_in_order),
        cmocka_unit_test(mirrored_actions_are_mirrored_shots),
        cmocka_unit_test(shots_go_where_the_layout_says),
        cmocka_unit_test(the_nearest_action_to_an_action_is_itself),
        cmocka_unit_test(sample_draws_are_the_published_ones),
        cmocka_unit_test(sample_shots_are_near_the_exact_ones),
        cmocka_unit_test(the_table_holds_the_shots_of_its_ice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
