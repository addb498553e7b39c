/* One step of touching stones: the textbook cases, the conserved quantities, and the shortcut for
 * a single contact against the iterated solver. */
#include "models/ice/contact.h"

#include "tests/unit/models/ice/dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double touch_m = 2.0 * ICE_STONE_RADIUS;

static const struct ice_profile *dc2(void)
{
    return ice_profile_find("dc2");
}

static const struct ice_profile *fcv1(void)
{
    return ice_profile_find("dc3");
}

/* Energy per unit of mass: v^2 / 2 + (r^2 / 2) omega^2 / 2. */
static double energy(const struct contact_bodies *bodies, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += 0.5 * vec2_dot(bodies->velocity[k], bodies->velocity[k]) +
               0.25 * ICE_STONE_RADIUS * ICE_STONE_RADIUS * bodies->omega[k] * bodies->omega[k];
    return sum;
}

static struct vec2 momentum(const struct contact_bodies *bodies, int count)
{
    struct vec2 sum = {0.0, 0.0};
    for (int k = 0; k < count; k++)
        sum = vec2_add(sum, bodies->velocity[k]);
    return sum;
}

/* Stone 0 at the origin running along +y into stone 1, which rests `offset` to the right. */
static struct contact_bodies hit(double speed, double offset)
{
    struct contact_bodies bodies;
    memset(&bodies, 0, sizeof bodies);
    bodies.velocity[0] = (struct vec2){0.0, speed};
    bodies.at[1] = (struct vec2){offset, sqrt(touch_m * touch_m - offset * offset)};
    return bodies;
}

static void solve_one(const struct ice_profile *ice, struct contact_bodies *bodies)
{
    struct contact contact = {.a = 0, .b = 1};
    contact_step(ice, &contact, 1, bodies);
}

static void a_full_hit_hands_over_the_speed(void **state)
{
    (void)state;
    const struct ice_profile *ices[] = {dc2(), fcv1()};
    for (int k = 0; k < 2; k++) {
        struct contact_bodies bodies = hit(2.0, 0.0);
        solve_one(ices[k], &bodies);
        assert_true(fabs(bodies.velocity[0].y) < 1e-12);
        assert_true(fabs(bodies.velocity[1].y - 2.0) < 1e-12);
        assert_true(bodies.velocity[0].x == 0.0 && bodies.velocity[1].x == 0.0);
        assert_true(bodies.omega[0] == 0.0 && bodies.omega[1] == 0.0);
        /* Impulses come first, then the motion of the step: the hit stone has moved. */
        assert_true(fabs(bodies.at[0].y) < 1e-12);
        assert_true(fabs(bodies.at[1].y - (touch_m + 2.0 * ICE_STEP_S)) < 1e-12);
    }
}

/* Half a radius off the centre line: a quarter of the normal lies across. */
static void a_glancing_hit_in_fcv1_sticks_and_spins_both(void **state)
{
    (void)state;
    struct contact_bodies bodies = hit(1.0, 0.5 * ICE_STONE_RADIUS);
    double across = 0.25, along = sqrt(1.0 - across * across); /* the normal's components */

    solve_one(fcv1(), &bodies);
    /* Elastic along the normal; surfaces pass at v_t = across. Sticking takes an impulse of v_t / 6
     * (1/2 for two bodies, 1/3 for their rotation), less than 0.2 v_n: so they stick. */
    double normal = along, tangent = across / 6.0;
    assert_true(tangent < 0.2 * normal);
    struct vec2 v1 = {normal * across - tangent * along, normal * along + tangent * across};
    assert_true(vec2_distance(bodies.velocity[1], v1) < 1e-12);
    assert_true(fabs(bodies.velocity[0].x + v1.x) < 1e-12);
    assert_true(fabs(bodies.velocity[0].y + v1.y - 1.0) < 1e-12);
    /* The thrown stone's front is held back on its right: it turns clockwise; both turn the same
     * way. */
    double spin = tangent * 2.0 / ICE_STONE_RADIUS;
    assert_true(fabs(fabs(bodies.omega[0]) - spin) < 1e-9);
    assert_true(bodies.omega[0] == bodies.omega[1]);
}

/* A near miss: friction is limited to 0.2 of the normal impulse. */
static void a_thin_hit_in_fcv1_slides(void **state)
{
    (void)state;
    struct contact_bodies bodies = hit(1.0, 1.9 * ICE_STONE_RADIUS);
    double across = 0.95, along = sqrt(1.0 - across * across);

    solve_one(fcv1(), &bodies);
    double tangent = 0.2 * along;
    assert_true(tangent < across / 6.0);
    assert_true(fabs(fabs(bodies.omega[1]) - tangent * 2.0 / ICE_STONE_RADIUS) < 1e-9);
    struct vec2 v1 = {along * across - tangent * along, along * along + tangent * across};
    assert_true(vec2_distance(bodies.velocity[1], v1) < 1e-12);
}

static void dc2_bounces_only_above_one_metre_a_second(void **state)
{
    (void)state;
    struct contact_bodies slow = hit(0.999, 0.0), fast = hit(1.001, 0.0);

    solve_one(dc2(), &slow);
    assert_true(fabs(slow.velocity[0].y - 0.4995) < 1e-12); /* they move on together */
    assert_true(fabs(slow.velocity[1].y - 0.4995) < 1e-12);
    solve_one(dc2(), &fast);
    assert_true(fabs(fast.velocity[0].y) < 1e-12);
    assert_true(fabs(fast.velocity[1].y - 1.001) < 1e-12);

    /* FCV1 has no such threshold. */
    struct contact_bodies creep = hit(0.01, 0.0);
    solve_one(fcv1(), &creep);
    assert_true(fabs(creep.velocity[1].y - 0.01) < 1e-12);
}

static void stones_that_part_are_left_alone(void **state)
{
    (void)state;
    struct contact_bodies bodies = hit(-1.0, 0.05), before = bodies;
    solve_one(fcv1(), &bodies);
    assert_memory_equal(bodies.velocity, before.velocity, sizeof bodies.velocity);
    assert_memory_equal(bodies.omega, before.omega, sizeof bodies.omega);
    assert_true(bodies.at[0].y == -ICE_STEP_S && bodies.at[1].y == before.at[1].y);
}

static void stones_that_rest_against_each_other_stay(void **state)
{
    (void)state;
    struct contact_bodies bodies = hit(0.0, 0.1), before = bodies;
    solve_one(dc2(), &bodies);
    assert_memory_equal(&bodies, &before, sizeof bodies);
}

/* Three in a row: the last one flies off, the others stay, as in Newton's cradle. The solver
 * iterates over the contacts; the remainder is small. */
static void a_newtons_cradle_passes_the_speed_on(void **state)
{
    (void)state;
    const struct ice_profile *ices[] = {dc2(), fcv1()};
    for (int k = 0; k < 2; k++) {
        struct contact_bodies bodies = hit(2.0, 0.0);
        bodies.at[2] = (struct vec2){0.0, 2.0 * touch_m};
        struct contact contacts[] = {{.a = 1, .b = 2}, {.a = 0, .b = 1}};

        for (int step = 0; step < 3; step++) { /* on this grid the impulse passes one contact per
                                                * step */
            contact_step(ices[k], contacts, 2, &bodies);
            for (int i = 0; i < 2; i++)
                contacts[i].normal = contacts[i].tangent = 0.0;
        }
        assert_true(bodies.velocity[2].y > 0.9 * bodies.velocity[1].y);
        struct vec2 total = momentum(&bodies, 3);
        assert_true(fabs(total.y - 2.0) < 1e-9);
        for (int i = 0; i < 3; i++)
            assert_true(bodies.velocity[i].x == 0.0 && bodies.omega[i] == 0.0);
    }
}

static struct contact_bodies some_pair(struct dice *dice, double overlap)
{
    struct contact_bodies bodies;
    memset(&bodies, 0, sizeof bodies);
    double angle = dice_between(dice, -M_PI, M_PI);
    for (int k = 0; k < 2; k++) {
        bodies.velocity[k] =
            (struct vec2){dice_between(dice, -3.0, 3.0), dice_between(dice, -3.0, 3.0)};
        bodies.omega[k] = dice_between(dice, -2.0, 2.0);
    }
    bodies.at[0] = (struct vec2){dice_between(dice, -2.0, 2.0), dice_between(dice, 30.0, 40.0)};
    bodies.at[1] = vec2_add(bodies.at[0],
                            vec2_scale(touch_m - overlap, (struct vec2){cos(angle), sin(angle)}));
    return bodies;
}

static void a_hit_keeps_the_momentum_and_never_gains_energy(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(1);
    double lost_most = 0.0;

    for (int n = 0; n < 20000; n++) {
        const struct ice_profile *ice = n % 2 ? dc2() : fcv1();
        struct contact_bodies bodies = some_pair(&dice, 0.003), before = bodies;
        solve_one(ice, &bodies);
        struct vec2 change = vec2_sub(momentum(&bodies, 2), momentum(&before, 2));
        assert_true(vec2_length(change) < 1e-12);
        double had = energy(&before, 2), has = energy(&bodies, 2);
        assert_true(has <= had + 1e-12);
        if (had - has > lost_most)
            lost_most = had - has;
        /* Angular momentum about the origin, using the positions before the step. */
        double turning = 0.0;
        for (int k = 0; k < 2; k++) {
            double spin = 0.5 * ICE_STONE_RADIUS * ICE_STONE_RADIUS;
            turning += vec2_cross(before.at[k], vec2_sub(bodies.velocity[k], before.velocity[k])) +
                       spin * (bodies.omega[k] - before.omega[k]);
        }
        assert_true(fabs(turning) < 1e-9);
    }
    assert_true(lost_most > 0.1); /* friction and inelastic hits occurred */
}

/* Two distant pairs are solved together by iteration; each must end as it does alone. */
static void the_shortcut_for_one_contact_is_what_the_iterations_lead_to(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(2);

    for (int n = 0; n < 20000; n++) {
        const struct ice_profile *ice = n % 2 ? dc2() : fcv1();
        double overlap = dice_between(&dice, 0.0, 0.04);
        struct contact_bodies alone = some_pair(&dice, overlap), both = alone;
        for (int k = 0; k < 2; k++) {
            both.at[2 + k] = vec2_add(alone.at[k], (struct vec2){0.0, -20.0});
            both.velocity[2 + k] = alone.velocity[k];
            both.omega[2 + k] = alone.omega[k];
        }
        struct contact contacts[] = {{.a = 2, .b = 3}, {.a = 0, .b = 1}};
        struct contact one = {.a = 0, .b = 1};
        contact_step(ice, &one, 1, &alone);
        contact_step(ice, contacts, 2, &both);
        for (int k = 0; k < 2; k++) {
            assert_true(vec2_distance(alone.velocity[k], both.velocity[k]) < 1e-12);
            assert_true(vec2_distance(alone.at[k], both.at[k]) < 1e-12);
            assert_true(fabs(alone.omega[k] - both.omega[k]) < 1e-10);
        }
        assert_true(fabs(one.normal - contacts[1].normal) < 1e-12);
        assert_true(fabs(one.tangent - contacts[1].tangent) < 1e-12);
    }
}

static void overlapping_stones_are_pushed_apart_to_the_slop(void **state)
{
    (void)state;
    const struct ice_profile *ices[] = {dc2(), fcv1()};
    for (int k = 0; k < 2; k++) {
        struct contact_bodies bodies;
        memset(&bodies, 0, sizeof bodies);
        bodies.at[1] = (struct vec2){touch_m - 0.03, 0.0};
        double before = 0.03, overlap = before;
        for (int step = 0; step < 200; step++) {
            solve_one(ices[k], &bodies);
            overlap = touch_m - vec2_distance(bodies.at[0], bodies.at[1]);
            assert_true(overlap <= before);
            before = overlap;
        }
        assert_true(overlap > 0.0049 && overlap < 0.0051);
        /* Both are pushed equally. */
        assert_true(fabs(bodies.at[0].x + bodies.at[1].x - (touch_m - 0.03)) < 1e-12);
    }
}

static void two_centres_in_one_place_come_out_finite(void **state)
{
    (void)state;
    struct contact_bodies bodies;
    memset(&bodies, 0, sizeof bodies);
    bodies.velocity[0] = (struct vec2){0.5, 1.5};
    bodies.omega[1] = 1.0;
    solve_one(dc2(), &bodies);
    for (int k = 0; k < 2; k++) {
        assert_true(isfinite(bodies.at[k].x) && isfinite(bodies.at[k].y));
        assert_true(isfinite(bodies.velocity[k].x) && isfinite(bodies.velocity[k].y));
        assert_true(isfinite(bodies.omega[k]));
    }
}

/* Only stones named by a contact change. */
static void other_stones_are_left_alone(void **state)
{
    (void)state;
    struct contact_bodies bodies = hit(2.0, 0.1);
    memset(&bodies.at[2], 0xA5, sizeof bodies.at - 2 * sizeof bodies.at[0]);
    struct contact_bodies before = bodies;
    solve_one(fcv1(), &bodies);
    assert_memory_equal(&bodies.at[2], &before.at[2], sizeof bodies.at - 2 * sizeof bodies.at[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_hit_hands_over_the_speed),
        cmocka_unit_test(a_glancing_hit_in_fcv1_sticks_and_spins_both),
        cmocka_unit_test(a_thin_hit_in_fcv1_slides),
        cmocka_unit_test(dc2_bounces_only_above_one_metre_a_second),
        cmocka_unit_test(stones_that_part_are_left_alone),
        cmocka_unit_test(stones_that_rest_against_each_other_stay),
        cmocka_unit_test(a_newtons_cradle_passes_the_speed_on),
        cmocka_unit_test(a_hit_keeps_the_momentum_and_never_gains_energy),
        cmocka_unit_test(the_shortcut_for_one_contact_is_what_the_iterations_lead_to),
        cmocka_unit_test(overlapping_stones_are_pushed_apart_to_the_slop),
        cmocka_unit_test(two_centres_in_one_place_come_out_finite),
        cmocka_unit_test(other_stones_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
