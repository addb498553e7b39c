/* The tables of a glide against the law of motion, stepped millisecond by millisecond: a stone's
 * position, speed and remaining spin; and the three facts (F1) to (F3) that the bounds of
 * approach.h rely on. */
#include "models/ice/glide.h"

#include "models/ice/approach.h"
#include "tests/slow.h"
#include "tests/unit/models/ice/dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { GLIDES = BUILD_IS_SLOW ? 60 : 400 };

static const enum ice_law laws[] = {ICE_DC2, ICE_FCV1};

/* The largest speed that a stone can have: that of a shot, plus what spin may add in a hit. */
static const double top_speed[] = {[ICE_DC2] = 45.02, [ICE_FCV1] = 6.09};

/* A stone between two steps, moved by the formulas of both simulators in double precision. */
struct stepped {
    struct vec2 at, velocity;
    double omega;
};

static struct vec2 turned(struct vec2 v, double angle)
{
    return vec2_turn(v, (struct vec2){cos(angle), sin(angle)});
}

/* Applies friction for a part of a step: loss of speed, curl, loss of spin. */
static void rub(struct stepped *s, enum ice_law law, double fraction)
{
    double u = vec2_length(s->velocity), h = 0.001f * fraction,
           side = (s->omega > 0) - (s->omega < 0);
    if (law == ICE_DC2) {
        double f = 12.009216f * 0.001f * fraction;
        if (u > f) {
            s->velocity =
                turned(vec2_scale((u - f) / u, s->velocity), side * atan(0.066696f * f / (u - f)));
        } else {
            s->velocity = (struct vec2){0.0, 0.0};
            s->omega = 0.0;
        }
        return;
    }
    if (u > 0.0) {
        double next = u - (0.00200985f / (u + 0.06385782f) + 0.00626286f) * 9.80665f * h;
        if (fabs(s->omega) <= 1.1920929e-7)
            side = 0.0;
        if (next > 0.0)
            s->velocity =
                turned(vec2_scale(next / u, s->velocity), side * 0.00820f * pow(u, -0.8) * h);
        else
            s->velocity = (struct vec2){0.0, 0.0};
    }
    double loss = 0.025f / (u > 0.001f ? u : 0.001f) * h;
    s->omega = fabs(s->omega) <= loss ? 0.0 : s->omega - copysign(loss, s->omega);
}

static void step(struct stepped *s, enum ice_law law)
{
    s->at = vec2_add(s->at, vec2_scale(0.001f, s->velocity));
    rub(s, law, 1.0);
}

static bool is_still(const struct stepped *s)
{
    return s->velocity.x == 0.0 && s->velocity.y == 0.0;
}

/* From the top speed down to a barely moving stone. */
static double some_speed(struct dice *dice, enum ice_law law)
{
    double top = top_speed[law];
    switch (dice_below(dice, 5)) {
    case 0:
        return top;
    case 1:
        return dice_between(dice, 0.5 * top, top);
    case 2:
        return dice_between(dice, 0.0, 0.5 * top);
    default:
        return top * pow(10.0, dice_between(dice, -3.4, -0.3));
    }
}

/* Full spin, none, or so little that in FCV1 it ends on the way. */
static double some_omega(struct dice *dice, enum ice_law law)
{
    int kind = dice_below(dice, 6);
    if (kind == 0)
        return 0.0;
    if (law == ICE_DC2)
        return dice_sign(dice) * ICE_DC2_A;
    if (kind <= 2)
        return dice_sign(dice) * pow(10.0, dice_between(dice, -5.0, 0.0));
    return dice_sign(dice) * 1.57079632679489661923;
}

/* Makes a random glide, and the same stone for stepping. Returns false if it is too slow to
 * glide. */
static bool some_glide(struct dice *dice, enum ice_law law, struct glide *ret_glide,
                       struct stepped *ret_stone)
{
    double speed = some_speed(dice, law), angle = dice_between(dice, -M_PI, M_PI);
    struct stepped s = {
        .at = {dice_between(dice, -2.0, 2.0), dice_between(dice, 0.0, 40.0)},
        .velocity = {speed * cos(angle), speed * sin(angle)},
        .omega = some_omega(dice, law),
    };
    *ret_stone = s;
    return glide_start(glide_table(law), ret_glide, dice_below(dice, 10000), s.at, s.velocity,
                       vec2_length(s.velocity), s.omega);
}

/* --- position, velocity, spin --- */

struct worst {
    double place_m, velocity_mps, omega_radps;
    double spun_out_m; /* place_m of glides whose spin ends first */
    int steps;         /* difference between the two moments of rest */
    int spun_out;      /* number of glides whose spin ended first */
};

static double largest(double a, double b)
{
    return a > b ? a : b;
}

static struct worst compare_with_steps(enum ice_law law, uint64_t seed)
{
    const struct glide_table *table = glide_table(law);
    struct dice dice = dice_of_seed(seed);
    struct worst worst = {0};

    for (int n = 0; n < GLIDES; n++) {
        struct glide g;
        struct stepped s;
        if (!some_glide(&dice, law, &g, &s))
            continue;
        assert_true(g.sigma <= table->sigma_max);
        bool spins = fabs(s.omega) > 1e-6;
        int32_t now = g.start_step;
        double place_m = 0.0;
        for (; !is_still(&s); now++, step(&s, law)) {
            double sigma = glide_sigma_at(&g, now);
            struct vec2 place = glide_position(table, &g, sigma);
            struct vec2 velocity = glide_velocity(table, &g, sigma);
            place_m = largest(place_m, vec2_distance(place, s.at));
            /* A glide knows the velocity to within the fraction of a step at which the law ends. */
            if (sigma > 1.0)
                worst.velocity_mps =
                    largest(worst.velocity_mps, vec2_distance(velocity, s.velocity));
            if (sigma > 64.0) /* nearer to rest deceleration is steep and the stone creeps */
                worst.omega_radps =
                    largest(worst.omega_radps, fabs(glide_omega(table, &g, sigma) - s.omega));
        }
        place_m = largest(place_m, vec2_distance(g.rest, s.at));
        if (spins && g.straight_sigma > 1.0 && isfinite(g.straight_sigma)) {
            worst.spun_out++;
            worst.spun_out_m = largest(worst.spun_out_m, place_m);
        } else {
            worst.place_m = largest(worst.place_m, place_m);
        }
        int late = g.stop_step > now ? g.stop_step - now : now - g.stop_step;
        if (late > worst.steps)
            worst.steps = late;
    }
    print_message("%s: place %.2g m, velocity %.2g m/s, omega %.2g rad/s, rest %d steps; %d spun "
                  "out, place %.2g m\n",
                  law == ICE_DC2 ? "dc2" : "fcv1", worst.place_m, worst.velocity_mps,
                  worst.omega_radps, worst.steps, worst.spun_out, worst.spun_out_m);
    return worst;
}

static void dc2_glide_follows_the_steps(void **state)
{
    (void)state;
    struct worst worst = compare_with_steps(ICE_DC2, 1);
    assert_true(worst.place_m < 1e-5);
    assert_true(worst.velocity_mps < 1e-3);
    assert_true(worst.omega_radps == 0.0);
    assert_true(worst.steps <= 1);
}

static void fcv1_glide_follows_the_steps(void **state)
{
    (void)state;
    struct worst worst = compare_with_steps(ICE_FCV1, 2);
    assert_true(worst.place_m < 2e-4);
    assert_true(worst.spun_out_m < 1e-3); /* an error in heading, then up to 90 m straight on */
    assert_true(worst.velocity_mps < 1e-3);
    assert_true(worst.omega_radps < 1e-3);
    assert_true(worst.steps <= 1);
    assert_true(worst.spun_out > GLIDES / 20);
}

/* The path stops bending when the spin ends. */
static void fcv1_spin_ends_at_the_same_step(void **state)
{
    (void)state;
    const struct glide_table *table = glide_table(ICE_FCV1);
    struct dice dice = dice_of_seed(3);
    int ended = 0;

    for (int n = 0; n < GLIDES; n++) {
        struct stepped s = {.velocity = {dice_between(&dice, 0.05, 3.0), 0.0}};
        s.omega = dice_sign(&dice) * pow(10.0, dice_between(&dice, -4.0, -0.5));
        struct glide g;
        assert_true(glide_start(table, &g, 0, s.at, s.velocity, s.velocity.x, s.omega));
        int32_t now = 0;
        for (; s.omega != 0.0 && !is_still(&s); now++)
            step(&s, ICE_FCV1);
        if (is_still(&s)) {
            assert_true(g.straight_sigma < 2.0);
            continue;
        }
        ended++;
        assert_true(fabs(glide_sigma_at(&g, now) - g.straight_sigma) < 1.01);
        assert_true(glide_omega(table, &g, glide_sigma_at(&g, now + 1)) == 0.0);
        assert_true(now < 2 || glide_omega(table, &g, glide_sigma_at(&g, now - 2)) != 0.0);
        /* From then on the heading is constant. */
        struct vec2 v = glide_velocity(table, &g, 0.5 * glide_sigma_at(&g, now + 1));
        assert_true(fabs(vec2_cross(v, g.end_heading)) < 1e-12);
    }
    assert_true(ended > GLIDES / 3);
}

static void a_stone_without_spin_goes_straight(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(4);

    for (int n = 0; n < GLIDES; n++) {
        enum ice_law law = laws[n % 2];
        double speed = some_speed(&dice, law), angle = dice_between(&dice, -M_PI, M_PI);
        struct vec2 e = {cos(angle), sin(angle)}, from = {1.0, 30.0};
        struct glide g;
        if (!glide_start(glide_table(law), &g, 0, from, vec2_scale(speed, e), speed, 0.0))
            continue;
        for (int32_t k = 0; k <= g.stop_step; k += 1 + g.stop_step / 50) {
            double sigma = glide_sigma_at(&g, k);
            struct vec2 way = vec2_sub(glide_position(glide_table(law), &g, sigma), from);
            assert_true(fabs(vec2_cross(e, way)) < 1e-12);
            assert_true(vec2_dot(e, way) >= -1e-12 && vec2_dot(e, way) <= g.path + 1e-12);
            struct vec2 v = glide_velocity(glide_table(law), &g, sigma);
            assert_true(fabs(vec2_cross(e, v)) < 1e-12);
        }
    }
}

/* Bit for bit: x -> -x, omega -> -omega. */
static void the_mirror_image_glides_to_the_mirror_image(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(5);

    for (int n = 0; n < GLIDES; n++) {
        enum ice_law law = laws[n % 2];
        const struct glide_table *table = glide_table(law);
        struct glide g, m;
        struct stepped s;
        if (!some_glide(&dice, law, &g, &s))
            continue;
        struct vec2 from = {-s.at.x, s.at.y}, v = {-s.velocity.x, s.velocity.y};
        assert_true(glide_start(table, &m, g.start_step, from, v, vec2_length(v), -s.omega));
        assert_int_equal(m.stop_step, g.stop_step);
        for (int32_t k = g.start_step; k <= g.stop_step;
             k += 1 + (g.stop_step - g.start_step) / 50) {
            double sigma = glide_sigma_at(&g, k);
            struct vec2 a = glide_position(table, &g, sigma), b = glide_position(table, &m, sigma);
            assert_true(a.x == -b.x && a.y == b.y);
            a = glide_velocity(table, &g, sigma), b = glide_velocity(table, &m, sigma);
            assert_true(a.x == -b.x && a.y == b.y);
            assert_true(glide_omega(table, &g, sigma) == -glide_omega(table, &m, sigma));
        }
    }
}

static void a_stone_that_is_too_slow_stands_still(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        enum ice_law law = laws[which];
        struct glide g;
        struct vec2 at = {1.25, 37.5};
        assert_false(glide_start(glide_table(law), &g, 7, at, (struct vec2){0.0, 0.0}, 0.0, 0.0));
        assert_int_equal(g.stop_step, 7);
        assert_true(g.rest.x == at.x && g.rest.y == at.y && g.path == 0.0);
        assert_false(glide_start(glide_table(law), &g, 7, at, (struct vec2){1e-5, 0.0}, 1e-5, 1.0));
        assert_true(g.rest.x == at.x && g.rest.y == at.y);
    }
}

/* --- friction after a hit and at the release --- */

static void friction_is_that_of_one_step(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(6);
    double worst = 0.0;

    for (int n = 0; n < 20 * GLIDES; n++) {
        enum ice_law law = laws[n % 2];
        double speed = some_speed(&dice, law), angle = dice_between(&dice, -M_PI, M_PI);
        struct vec2 v = {speed * cos(angle), speed * sin(angle)};
        double omega = some_omega(&dice, law);
        struct stepped whole = {.velocity = v, .omega = omega}, release = whole;
        struct vec2 v1 = v, v2 = v;
        double omega1 = omega, omega2 = omega;
        double speed1 = glide_friction(law, 1.0, &v1, &omega1);
        double speed2 = glide_release(law, &v2, &omega2);
        rub(&whole, law, 1.0);
        rub(&release, law, law == ICE_DC2 ? 0.5 : 1.0);
        worst = largest(worst, vec2_distance(v1, whole.velocity));
        worst = largest(worst, vec2_distance(v2, release.velocity));
        assert_true(fabs(omega1 - whole.omega) < 1e-12 && fabs(omega2 - release.omega) < 1e-12);
        assert_true(fabs(speed1 - vec2_length(v1)) < 1e-12);
        assert_true(fabs(speed2 - vec2_length(v2)) < 1e-12);
    }
    print_message("friction: velocity %.2g m/s\n", worst);
    assert_true(worst < 1e-6);
}

/* --- the tables as used by approach.c --- */

/* The claims of approach.c about its step_slack and slack. A date that is too early only costs a
 * check. */
static void steps_of_a_path_are_hardly_ever_late(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        enum ice_law law = laws[which];
        const struct glide_table *table = glide_table(law);
        struct vec2 v = {top_speed[law], 0.0};
        struct glide g;
        assert_true(glide_start(table, &g, 0, (struct vec2){0.0, 0.0}, v, v.x, 0.0));

        double late = 0.0, late_m = 0.0, early = 0.0, early_far = 0.0;
        for (double sigma = 0.013; sigma < g.sigma; sigma += sigma < 300.0 ? 0.01 : 0.37) {
            double path = glide_path_left(table, sigma);
            double error = sigma - glide_sigma_of_path(table, path);
            double error_m = path - glide_path_left(table, sigma - error);
            late_m = largest(late_m, sigma < 200.0 ? error_m : 0.0);
            late = largest(late, sigma < 200.0 ? 0.0 : error);
            early = largest(early, -error);
            early_far = largest(early_far, sigma < 200.0 ? 0.0 : -error);
        }
        print_message("%s: steps of a path late %.2g (%.2g m in the last 200 steps), early %.2g "
                      "(%.2g before the last 200 steps)\n",
                      law == ICE_DC2 ? "dc2" : "fcv1", late, late_m, early, early_far);
        assert_true(late < 0.015);
        assert_true(late_m < 0.5 * APPROACH_SLACK);
        assert_true(early < 0.5);
        assert_true(early_far < 0.05);
        assert_true(glide_sigma_of_path(table, 0.0) == 0.0);
        assert_true(glide_sigma_of_path(table, -1.0) == 0.0);
    }
}

/* (F1) */
static void a_glide_turns_one_way_by_less_than_a_right_angle(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(7);
    double most[2] = {0.0, 0.0};

    for (int n = 0; n < GLIDES; n++) {
        enum ice_law law = laws[n % 2];
        struct glide g;
        struct stepped s;
        if (!some_glide(&dice, law, &g, &s))
            continue;
        struct vec2 before = g.heading;
        for (int32_t k = g.start_step; k < g.stop_step; k += 1 + (g.stop_step - k) / 40) {
            struct vec2 v = glide_velocity(glide_table(law), &g, glide_sigma_at(&g, k));
            double length = vec2_length(v);
            if (length == 0.0)
                continue;
            struct vec2 e = vec2_scale(1.0 / length, v);
            assert_true(vec2_cross(before, e) * (g.turn < 0.0 ? -1.0 : 1.0) > -1e-5);
            assert_true(vec2_dot(e, g.end_heading) > 0.0);
            before = e;
        }
        most[law] = largest(most[law], acos(vec2_dot(g.heading, g.end_heading)));
    }
    print_message("largest turn: dc2 %.3f rad, fcv1 %.3f rad\n", most[ICE_DC2], most[ICE_FCV1]);
    assert_true(most[ICE_DC2] < 0.7 && most[ICE_FCV1] < 0.7);
}

/* (F2) */
static void the_path_stays_in_its_triangle(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(8);
    double worst = 0.0;

    for (int n = 0; n < GLIDES; n++) {
        enum ice_law law = laws[n % 2];
        struct glide g;
        struct stepped s;
        if (!some_glide(&dice, law, &g, &s))
            continue;
        struct approach_hull hull;
        approach_hull(&g, &hull);
        for (int32_t k = g.start_step; k < g.stop_step; k++) {
            struct vec2 at = glide_position(glide_table(law), &g, glide_sigma_at(&g, k));
            struct vec2 d = vec2_sub(at, g.from), back = vec2_sub(at, g.rest);
            worst = largest(worst, -hull.side * vec2_cross(g.heading, d));
            worst = largest(worst, -hull.side * vec2_cross(g.end_heading, back));
            worst = largest(worst, hull.side * vec2_cross(hull.chord, d));
        }
    }
    print_message("furthest out of the triangle: %.2g m\n", worst);
    assert_true(worst < APPROACH_SLACK);
}

/* (F3) */
static void curvature_is_never_underestimated(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        enum ice_law law = laws[which];
        const struct glide_table *table = glide_table(law);
        for (int k = 1; k < table->root_nodes; k++)
            assert_true(table->curvature[k] < table->curvature[k - 1]);

        struct stepped s = {.velocity = {top_speed[law], 0.0}, .omega = 1e9}; /* lasts */
        struct glide g;
        assert_true(glide_start(table, &g, 0, s.at, s.velocity, top_speed[law], s.omega));
        for (int32_t k = 0; k + 1 < g.stop_step; k++) {
            struct vec2 v = s.velocity;
            double left = glide_path_left(table, glide_sigma_at(&g, k));
            step(&s, law);
            double u = vec2_length(s.velocity);
            if (u == 0.0)
                break;
            /* The turn between two steps, over the way between their middles. */
            double turn = asin(vec2_cross(v, s.velocity) / (vec2_length(v) * u));
            double curvature = turn / (0.001 * 0.5 * (vec2_length(v) + u));
            double after = glide_path_left(table, glide_sigma_at(&g, k + 1));
            assert_true(after < left);
            if (after < table->hook_path)
                break;
            assert_true(curvature <= glide_curvature(table, after));
        }
        /* approach.h: where a path may pass a stone twice, at most this much of it remains. */
        assert_true(glide_curvature(table, 1.01 * table->hook_path) * 4.0 * ICE_STONE_RADIUS <=
                    1.0);
        assert_true(table->hook_path < 0.1);
    }
}

static void the_tables_are_long_enough(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        enum ice_law law = laws[which];
        const struct glide_table *table = glide_table(law);
        assert_true(table->sigma_max * table->pieces_per_step < GLIDE_ROWS - 1);
        assert_true(table->root_nodes <= GLIDE_ROOT_NODES);
        assert_true(top_speed[law] * table->speed_scale < GLIDE_SPEED_NODES - 1);
        struct glide g;
        struct vec2 v = {0.0, top_speed[law]};
        assert_true(glide_start(table, &g, 0, (struct vec2){0.0, 0.0}, v, v.y, 0.0));
        assert_true(g.sigma < table->sigma_max);
        assert_true(sqrt(g.path) * table->root_scale < table->root_nodes - 1);
        assert_true(g.path > 0.0);
    }
}

/* The top speeds of these tests: all the energy of the fastest shot in one stone's motion. */
static void no_stone_is_faster_than_the_tables(void **state)
{
    (void)state;
    const struct ice_profile *ice;
    for (int k = 0; (ice = ice_profile_at(k)); k++) {
        assert_true(ice->top_speed <= top_speed[ice->law]);
        for (int step = 0; step <= 60; step++) {
            struct shot shot = {{0.0, ice->max_speed * step / 60.0}, 2.0 * ice->max_omega};
            double omega, speed = shot.velocity.y;
            assert_int_equal(ice_shot_check(ice, &shot, &omega), ICE_SHOT_TURNS_TOO_FAST);
            shot.omega = omega;
            assert_int_equal(ice_shot_check(ice, &shot, &omega), ICE_SHOT_GOOD);
            omega = ice->law == ICE_DC2 ? ICE_DC2_A : omega;
            double spin = ICE_STONE_RADIUS * ICE_STONE_RADIUS / 2.0 * omega * omega;
            assert_true(sqrt(speed * speed + spin) < top_speed[ice->law] + 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc2_glide_follows_the_steps),
        cmocka_unit_test(fcv1_glide_follows_the_steps),
        cmocka_unit_test(fcv1_spin_ends_at_the_same_step),
        cmocka_unit_test(a_stone_without_spin_goes_straight),
        cmocka_unit_test(the_mirror_image_glides_to_the_mirror_image),
        cmocka_unit_test(a_stone_that_is_too_slow_stands_still),
        cmocka_unit_test(friction_is_that_of_one_step),
        cmocka_unit_test(steps_of_a_path_are_hardly_ever_late),
        cmocka_unit_test(a_glide_turns_one_way_by_less_than_a_right_angle),
        cmocka_unit_test(the_path_stays_in_its_triangle),
        cmocka_unit_test(curvature_is_never_underestimated),
        cmocka_unit_test(the_tables_are_long_enough),
        cmocka_unit_test(no_stone_is_faster_than_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
