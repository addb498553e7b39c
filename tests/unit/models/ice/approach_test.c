/* The bounds of the fast engine against brute force: every configuration is stepped millisecond by
 * millisecond, and no bound may name a step later than the first at which the stones touch or the
 * stone is out. Configurations are built to graze: a stone lies 2r (give or take very little) from
 * a point of a path, or a wall passes through one. */
#include "models/ice/approach.h"

#include "tests/slow.h"
#include "tests/unit/models/ice/dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THOROUGH = BUILD_IS_SLOW ? 1 : 2 };

enum { STEPS_MAX = 90000, LOOKS_MAX = STEPS_MAX };

static const double touch_m = 2.0 * ICE_STONE_RADIUS;

/* A glide with all its positions: at[k] is k steps after start_step. */
struct walked {
    struct glide glide;
    int32_t steps; /* from start to rest */
    struct vec2 *at;
};

static struct walked walker_a, walker_b;

static int set_up(void **state)
{
    (void)state;
    walker_a.at = malloc(STEPS_MAX * sizeof *walker_a.at);
    walker_b.at = malloc(STEPS_MAX * sizeof *walker_b.at);
    return walker_a.at && walker_b.at ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(walker_a.at);
    free(walker_b.at);
    return 0;
}

static struct vec2 unit(double angle)
{
    return (struct vec2){cos(angle), sin(angle)};
}

/* Returns the position at a step of the game, before, during and after the glide. */
static struct vec2 walked_at(const struct walked *w, int32_t step)
{
    int32_t k = step - w->glide.start_step;
    return k < w->steps ? w->at[k] : w->glide.rest;
}

/* Returns the same position as the engine computes it, bit for bit: move() rounds. */
static struct vec2 exact_at(const struct glide_table *table, const struct walked *w, int32_t step)
{
    const struct glide *g = &w->glide;
    return step < g->stop_step ? glide_position(table, g, glide_sigma_at(g, step)) : g->rest;
}

/* Returns false if the stone is too slow to glide. */
static bool walk(struct walked *w, const struct glide_table *table, int32_t step, struct vec2 from,
                 struct vec2 velocity, double omega)
{
    struct glide *g = &w->glide;
    if (!glide_start(table, g, step, from, velocity, vec2_length(velocity), omega))
        return false;
    w->steps = g->stop_step - step;
    assert_true(w->steps < STEPS_MAX);
    for (int32_t k = 0; k < w->steps; k++) {
        struct vec2 unused;
        glide_state(table, g, step + k, glide_sigma_at(g, step + k), &w->at[k], &unused);
    }
    return true;
}

/* Moves the same glide to another place. */
static void move(struct walked *w, struct vec2 by)
{
    struct glide *g = &w->glide;
    g->from = vec2_add(g->from, by);
    g->anchor = vec2_add(g->anchor, by);
    g->rest = vec2_add(g->rest, by);
    for (int32_t k = 0; k < w->steps; k++)
        w->at[k] = vec2_add(w->at[k], by);
}

/* Speeds of all sizes: maximal, typical, and those of the last centimetres. */
static double some_speed(struct dice *dice, enum ice_law law)
{
    double top = law == ICE_DC2 ? 45.5 : 6.05;
    switch (dice_below(dice, 4)) {
    case 0:
        return dice_between(dice, 0.5 * top, top);
    case 1:
        return top * dice_between(dice, 0.0, 0.5);
    default:
        return top * pow(10.0, dice_between(dice, -3.5, -0.3));
    }
}

/* Full spin, no spin, and in FCV1 spins that end before the motion. */
static double some_omega(struct dice *dice, enum ice_law law)
{
    if (dice_below(dice, 8) == 0)
        return 0.0;
    if (law == ICE_DC2)
        return dice_sign(dice) * ICE_DC2_A;
    if (dice_below(dice, 2))
        return dice_sign(dice) * 1.5707963;
    return dice_sign(dice) * pow(10.0, dice_between(dice, -4.0, 0.5));
}

/* Distance from a touch: mostly tiny. */
static double some_miss(struct dice *dice)
{
    if (dice_below(dice, 10) == 0)
        return dice_between(dice, -0.1, 1.0);
    return dice_sign(dice) * pow(10.0, dice_between(dice, -9.0, -1.0));
}

/* A step of the walk: any step, or one of the last, where the path hooks. */
static int32_t some_step(struct dice *dice, int32_t steps)
{
    if (dice_below(dice, 2))
        return dice_below(dice, steps + 1);
    int32_t back = (int32_t)((double)steps * pow(10.0, dice_between(dice, -4.0, 0.0)));
    return steps - back;
}

/* A place near the sheet, so that the float32 of approach_filter() is as precise as in play. */
static struct vec2 some_place(struct dice *dice)
{
    return (struct vec2){dice_between(dice, -2.3, 2.3), dice_between(dice, 0.0, 42.0)};
}

/* Overlap of two stones as a difference of squared distances, m^2. */
static double overlap_m2(struct vec2 a, struct vec2 b)
{
    struct vec2 d = vec2_sub(b, a);
    return touch_m * touch_m - vec2_dot(d, d);
}

/* The tables know to some 1e-8 m how long two stones run side by side and how near a wall one
 * stops. */
static const double negligible_m = 1e-7;

/* Overlaps between -in_doubt and in_doubt are recomputed with exact_at(). */
static const double in_doubt = 1e-10;

struct tally {
    long cases, touches, looks, late;
    double deepest_m; /* overlap at the worst step that was skipped */
};

static void print_tally(const char *what, enum ice_law law, const struct tally *tally)
{
    print_message("%s %s: %ld cases, %ld touch, %ld looks, %ld late (deepest %.3g m)\n",
                  law == ICE_DC2 ? "dc2" : "fcv1", what, tally->cases, tally->touches, tally->looks,
                  tally->late, tally->deepest_m);
}

static void print_glide(const char *name, const struct glide *g)
{
    print_error("  %s: step %d..%d from (%.17g, %.17g) v (%.17g, %.17g) omega %.17g\n", name,
                g->start_step, g->stop_step, g->from.x, g->from.y, g->velocity.x, g->velocity.y,
                g->omega);
}

/* --- a gliding stone and a resting one --- */

static bool touches_at_rest(const struct glide_table *table, const struct walked *w, struct vec2 at,
                            int32_t step)
{
    double overlap = overlap_m2(walked_at(w, step), at);
    if (fabs(overlap) < in_doubt)
        overlap = overlap_m2(exact_at(table, w, step), at);
    return overlap >= 0.0;
}

static int32_t first_touch_at_rest(const struct glide_table *table, const struct walked *w,
                                   struct vec2 at)
{
    for (int32_t step = w->glide.start_step; step < w->glide.stop_step; step++)
        if (touches_at_rest(table, w, at, step))
            return step;
    return APPROACH_NEVER;
}

static void late(struct tally *tally, const char *bound, const struct walked *w, struct vec2 at,
                 int32_t look, int32_t date, int32_t first)
{
    double deepest = 0.0;
    for (int32_t step = first; step <= w->glide.stop_step && step < date; step++) {
        double depth = touch_m - vec2_distance(walked_at(w, step), at);
        if (depth > deepest)
            deepest = depth;
    }
    if (tally->late++ < 5 || deepest > 2.0 * tally->deepest_m) {
        print_error("%s late: look at %d says %d, touch at %d, overlap %.3g m\n", bound, look, date,
                    first, deepest);
        print_glide("glide", &w->glide);
        print_error("  at rest (%.17g, %.17g)\n", at.x, at.y);
    }
    if (deepest > tally->deepest_m)
        tally->deepest_m = deepest;
}

static void check_resting(const struct glide_table *table, struct dice *dice,
                          const struct walked *w, struct vec2 at, struct tally *tally)
{
    const struct glide *g = &w->glide;
    int32_t first = first_touch_at_rest(table, w, at);
    struct approach_hull hull;
    struct approach_places places = {0};

    tally->cases++;
    tally->touches += first != APPROACH_NEVER;
    approach_hull(g, &hull);
    int place = dice_below(dice, POSITION_STONES);
    approach_place(&places, place, at);
    bool possible = approach_filter(g, &hull, &places) >> place & 1;
    if (first != APPROACH_NEVER && !possible)
        late(tally, "approach_filter", w, at, g->start_step, APPROACH_NEVER, first);

    int32_t date = approach_soonest(table, g, at);
    tally->looks++;
    if (first > g->start_step && date > first)
        late(tally, "approach_soonest", w, at, g->start_step, date, first);

    /* The chain of checks that the engine makes, and some extra ones. */
    int32_t look = g->start_step;
    for (int looks = 0; look < g->stop_step; looks++) {
        assert_true(looks < LOOKS_MAX);
        tally->looks++;
        date = approach_resting(table, g, look, at);
        if (date == APPROACH_TOUCH) {
            assert_int_equal(look, first);
            break;
        }
        if (date > first)
            late(tally, "approach_resting", w, at, look, date, first);
        if (date == APPROACH_NEVER || date > first)
            break;
        assert_true(date > look);
        look = date;
    }
    int32_t end = first < g->stop_step ? first : g->stop_step;
    for (int k = 0; k < 3 && end > g->start_step; k++) {
        look = g->start_step + dice_below(dice, end - g->start_step);
        date = approach_resting(table, g, look, at);
        tally->looks++;
        assert_int_not_equal(date, APPROACH_TOUCH);
        if (date > first)
            late(tally, "approach_resting (anywhere)", w, at, look, date, first);
    }
}

static void no_touch_of_a_resting_stone_is_skipped(enum ice_law law, uint64_t seed)
{
    const struct glide_table *table = glide_table(law);
    struct dice dice = dice_of_seed(seed);
    struct tally tally = {0};

    for (int n = 0; n < 250 * THOROUGH; n++) {
        struct walked *w = &walker_a;
        double speed = some_speed(&dice, law);
        struct vec2 heading = unit(dice_between(&dice, -M_PI, M_PI));
        if (dice_below(&dice, 2)) /* up the sheet */
            heading = unit(M_PI_2 + dice_between(&dice, -0.1, 0.1));
        double omega = some_omega(&dice, law);
        struct vec2 place = some_place(&dice);
        if (!walk(w, table, dice_below(&dice, 1000), place, vec2_scale(speed, heading), omega))
            continue;
        for (int k = 0; k < 80; k++) {
            int32_t step = w->glide.start_step + some_step(&dice, w->steps);
            struct vec2 from = walked_at(w, step);
            double far = touch_m + some_miss(&dice);
            struct vec2 side = unit(dice_between(&dice, -M_PI, M_PI));
            if (dice_below(&dice, 2)) { /* square to the path: the stone merely passes */
                struct vec2 v = glide_velocity(table, &w->glide, glide_sigma_at(&w->glide, step));
                double length = vec2_length(v);
                if (length > 0.0)
                    side = (struct vec2){-v.y / length, v.x / length};
                far *= dice_sign(&dice);
            }
            check_resting(table, &dice, w, vec2_add(from, vec2_scale(far, side)), &tally);
        }
    }
    print_tally("gliding and resting", law, &tally);
    assert_true(tally.touches > tally.cases / 10 && tally.touches < tally.cases);
    assert_int_equal(tally.late, 0);
}

static void dc2_no_touch_of_a_resting_stone_is_skipped(void **state)
{
    (void)state;
    no_touch_of_a_resting_stone_is_skipped(ICE_DC2, 1);
}

static void fcv1_no_touch_of_a_resting_stone_is_skipped(void **state)
{
    (void)state;
    no_touch_of_a_resting_stone_is_skipped(ICE_FCV1, 2);
}

/* --- two gliding stones --- */

/* The engine's query about a pair; both are moving or have stopped. */
static int32_t look_at_pair(const struct glide_table *table, const struct walked *a,
                            const struct walked *b, int32_t step)
{
    bool a_moves = step < a->glide.stop_step, b_moves = step < b->glide.stop_step;
    if (a_moves && b_moves)
        return approach_gliding(table, &a->glide, &b->glide, step);
    if (a_moves)
        return approach_resting(table, &a->glide, step, b->glide.rest);
    if (b_moves)
        return approach_resting(table, &b->glide, step, a->glide.rest);
    return APPROACH_NEVER;
}

static void late_pair(struct tally *tally, const char *kind, const struct walked *a,
                      const struct walked *b, int32_t look, int32_t date, int32_t first)
{
    double deepest = 0.0;
    for (int32_t step = first;
         step < date && (step <= a->glide.stop_step || step <= b->glide.stop_step); step++) {
        double depth = touch_m - vec2_distance(walked_at(a, step), walked_at(b, step));
        if (depth > deepest)
            deepest = depth;
    }
    if (deepest <= negligible_m)
        return;
    if (tally->late++ < 5 || deepest > 2.0 * tally->deepest_m) {
        print_error("%s late: look at %d says %d, touch at %d, overlap %.3g m\n", kind, look, date,
                    first, deepest);
        print_glide("a", &a->glide);
        print_glide("b", &b->glide);
    }
    if (deepest > tally->deepest_m)
        tally->deepest_m = deepest;
}

static void check_gliding(const struct glide_table *table, struct dice *dice,
                          const struct walked *a, const struct walked *b, const char *kind,
                          struct tally *tally)
{
    int32_t begin =
        a->glide.start_step > b->glide.start_step ? a->glide.start_step : b->glide.start_step;
    int32_t end = a->glide.stop_step > b->glide.stop_step ? a->glide.stop_step : b->glide.stop_step;
    int32_t first = APPROACH_NEVER;
    /* Stones that touch after both have stopped do not act on each other. */
    for (int32_t step = begin; step < end && first == APPROACH_NEVER; step++) {
        double overlap = overlap_m2(walked_at(a, step), walked_at(b, step));
        if (fabs(overlap) < in_doubt)
            overlap = overlap_m2(exact_at(table, a, step), exact_at(table, b, step));
        if (overlap >= 0.0)
            first = step;
    }

    tally->cases++;
    tally->touches += first != APPROACH_NEVER;
    /* The chain of checks that the engine makes, and some from any step before the touch. */
    int32_t last = first < end ? first : end, next = begin, asides = 3;
    for (int k = 0; next < end; k++) {
        assert_true(k < LOOKS_MAX);
        bool aside = asides > 0 && last > begin;
        int32_t look = aside ? begin + dice_below(dice, last - begin) : next;
        int32_t date = look_at_pair(table, a, b, look);
        tally->looks++;
        if (date == APPROACH_TOUCH) {
            assert_int_equal(look, first);
            break;
        }
        if (date > first)
            late_pair(tally, kind, a, b, look, date, first);
        if (aside) {
            asides--;
            continue;
        }
        if (date == APPROACH_NEVER || date > first)
            break;
        assert_true(date > look);
        next = date;
    }
}

enum pairing { CHASE, PARALLEL, HEAD_ON, CROSSING, AFTER_A_HIT, PAIRINGS };

static const char *const pairing_names[PAIRINGS] = {"chase", "parallel", "head-on", "crossing",
                                                    "after a hit"};

static void no_touch_of_two_gliding_stones_is_skipped(enum ice_law law, uint64_t seed)
{
    const struct glide_table *table = glide_table(law);
    struct dice dice = dice_of_seed(seed);

    for (int pairing = 0; pairing < PAIRINGS; pairing++) {
        struct tally tally = {0};
        for (int n = 0; n < 100 * THOROUGH; n++) {
            struct walked *a = &walker_a, *b = &walker_b;
            double heading = dice_between(&dice, -M_PI, M_PI), turn = 0.0;
            double speed = some_speed(&dice, law), other = some_speed(&dice, law);
            double omega_a = some_omega(&dice, law), omega_b = some_omega(&dice, law);
            int32_t start_b = dice_below(&dice, 1000);
            switch (pairing) {
            case CHASE:
            case PARALLEL: /* nearly equal speeds and headings */
                turn = dice_sign(&dice) * pow(10.0, dice_between(&dice, -6.0, 0.0));
                if (dice_below(&dice, 2))
                    other = speed *
                            (1.0 + dice_sign(&dice) * pow(10.0, dice_between(&dice, -9.0, -1.0)));
                if (dice_below(&dice, 2))
                    omega_b = omega_a;
                if (pairing == CHASE && dice_below(&dice, 2))
                    start_b = 0;
                break;
            case HEAD_ON:
                turn = M_PI + dice_between(&dice, -0.1, 0.1);
                break;
            default:
                turn = dice_between(&dice, -M_PI, M_PI);
                break;
            }
            if (other > (law == ICE_DC2 ? 45.5 : 6.05))
                other = speed;
            if (pairing == AFTER_A_HIT)
                start_b = 0;
            struct vec2 va = vec2_scale(speed, unit(heading));
            struct vec2 vb = vec2_scale(other, unit(heading + turn));
            if (!walk(a, table, 0, some_place(&dice), va, omega_a) ||
                !walk(b, table, start_b, some_place(&dice), vb, omega_b))
                continue;
            int32_t end =
                a->glide.stop_step > b->glide.stop_step ? a->glide.stop_step : b->glide.stop_step;
            for (int k = 0; k < 40; k++) {
                /* Places b to graze a at some step; after a hit, at the first one. */
                int32_t step = start_b + some_step(&dice, end - start_b);
                double far = touch_m + some_miss(&dice), angle = dice_between(&dice, -M_PI, M_PI);
                if (pairing == AFTER_A_HIT) {
                    step = start_b;
                    far = touch_m + pow(10.0, dice_between(&dice, -9.0, -1.0));
                }
                if (pairing == CHASE)
                    angle = heading + (dice_below(&dice, 2) ? M_PI : 0.0) +
                            dice_between(&dice, -0.3, 0.3);
                if (pairing == PARALLEL)
                    angle = heading + dice_sign(&dice) * M_PI_2 + dice_between(&dice, -0.3, 0.3);
                struct vec2 to = vec2_add(walked_at(a, step), vec2_scale(far, unit(angle)));
                move(b, vec2_sub(to, walked_at(b, step)));
                check_gliding(table, &dice, a, b, pairing_names[pairing], &tally);
                check_gliding(table, &dice, b, a, pairing_names[pairing], &tally);
            }
        }
        print_tally(pairing_names[pairing], law, &tally);
        assert_true(tally.touches > tally.cases / 50 && tally.touches < tally.cases);
        assert_int_equal(tally.late, 0);
    }
}

static void dc2_no_touch_of_two_gliding_stones_is_skipped(void **state)
{
    (void)state;
    no_touch_of_two_gliding_stones_is_skipped(ICE_DC2, 3);
}

static void fcv1_no_touch_of_two_gliding_stones_is_skipped(void **state)
{
    (void)state;
    no_touch_of_two_gliding_stones_is_skipped(ICE_FCV1, 4);
}

/* --- leaving the sheet --- */

static void check_exit(const struct ice_profile *ice, const struct glide_table *table,
                       struct dice *dice, const struct walked *w, long fates[3],
                       struct tally *tally)
{
    const struct glide *g = &w->glide;
    int32_t first = APPROACH_NEVER;
    bool back_in = false;
    for (int32_t step = g->start_step; step <= g->stop_step; step++) {
        bool out = approach_is_out(ice, exact_at(table, w, step));
        if (out && first == APPROACH_NEVER)
            first = step;
        back_in = back_in || (!out && first != APPROACH_NEVER);
    }
    tally->cases++;
    tally->touches += first != APPROACH_NEVER;

    struct approach_hull hull;
    approach_hull(g, &hull);
    enum approach_fate fate = approach_fate(ice, g, &hull);
    fates[fate]++;
    if (fate == APPROACH_STAYS)
        assert_int_equal(first, APPROACH_NEVER);
    if (fate == APPROACH_LEAVES && !approach_is_out(ice, g->from)) {
        assert_int_not_equal(first, APPROACH_NEVER);
        assert_false(back_in);
    }

    int32_t last = first < g->stop_step ? first : g->stop_step, next = g->start_step, asides = 3;
    for (int k = 0; next <= g->stop_step; k++) {
        assert_true(k < LOOKS_MAX);
        bool aside = asides > 0 && last > g->start_step;
        int32_t look = aside ? g->start_step + dice_below(dice, last - g->start_step) : next;
        int32_t date = approach_exit(ice, table, g, look);
        tally->looks++;
        if (date == APPROACH_TOUCH) {
            assert_int_equal(look, first);
            break;
        }
        if (date > first) {
            double deepest = 0.0;
            for (int32_t step = first; step <= g->stop_step && step < date; step++) {
                struct vec2 p = walked_at(w, step);
                double depth = fmax(fabs(p.x) - ice->side_x, p.y - ice->back_y);
                deepest = fmax(deepest, depth);
            }
            bool counts = deepest > negligible_m;
            tally->late += counts;
            if (counts && (tally->late < 5 || deepest > 2.0 * tally->deepest_m)) {
                print_error("exit late: look at %d says %d, out at %d by %.3g m\n", look, date,
                            first, deepest);
                print_glide("glide", g);
            }
            tally->deepest_m = fmax(tally->deepest_m, deepest);
        }
        if (aside) {
            asides--;
            continue;
        }
        if (date == APPROACH_NEVER || date > first)
            break;
        assert_true(date > look);
        next = date;
    }
}

static void no_exit_is_skipped(const char *profile, uint64_t seed)
{
    const struct ice_profile *ice = ice_profile_find(profile);
    const struct glide_table *table = glide_table(ice->law);
    struct dice dice = dice_of_seed(seed);
    struct tally tally = {0};
    long fates[3] = {0};

    for (int n = 0; n < 150 * THOROUGH; n++) {
        struct walked *w = &walker_a;
        double speed = some_speed(&dice, ice->law), angle = dice_between(&dice, -M_PI, M_PI);
        if (dice_below(&dice, 2)) /* nearly along a wall */
            angle = M_PI_2 * dice_below(&dice, 4) +
                    dice_sign(&dice) * pow(10.0, dice_between(&dice, -4.0, 0.0));
        double omega = some_omega(&dice, ice->law);
        struct vec2 place = some_place(&dice);
        if (!walk(w, table, dice_below(&dice, 1000), place, vec2_scale(speed, unit(angle)), omega))
            continue;
        for (int k = 0; k < 20; k++) {
            /* Moved so that at some step it is at a wall: just within or just beyond. */
            struct vec2 at = walked_at(w, w->glide.start_step + some_step(&dice, w->steps));
            struct vec2 to = some_place(&dice);
            double miss = dice_between(&dice, 0.0, 1.0) < 0.2
                              ? 0.0
                              : dice_sign(&dice) * pow(10.0, dice_between(&dice, -9.0, -2.0));
            if (dice_below(&dice, 3) == 0)
                to.y = ice->back_y + miss;
            else
                to.x = dice_sign(&dice) * (ice->side_x + miss);
            move(w, vec2_sub(to, at));
            check_exit(ice, table, &dice, w, fates, &tally);
        }
    }
    print_tally("leaving", ice->law, &tally);
    print_message("  fates: %ld stay, %ld leave, %ld unsure\n", fates[APPROACH_STAYS],
                  fates[APPROACH_LEAVES], fates[APPROACH_UNSURE]);
    for (int k = 0; k < 3; k++)
        assert_true(fates[k] > 0);
    assert_int_equal(tally.late, 0);
}

static void dc2_no_exit_is_skipped(void **state)
{
    (void)state;
    no_exit_is_skipped("dc2", 5);
}

static void dc3_no_exit_is_skipped(void **state)
{
    (void)state;
    no_exit_is_skipped("dc3", 6);
}

static void dc4_no_exit_is_skipped(void **state)
{
    (void)state;
    no_exit_is_skipped("dc4", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc2_no_touch_of_a_resting_stone_is_skipped),
        cmocka_unit_test(fcv1_no_touch_of_a_resting_stone_is_skipped),
        cmocka_unit_test(dc2_no_touch_of_two_gliding_stones_is_skipped),
        cmocka_unit_test(fcv1_no_touch_of_two_gliding_stones_is_skipped),
        cmocka_unit_test(dc2_no_exit_is_skipped),
        cmocka_unit_test(dc3_no_exit_is_skipped),
        cmocka_unit_test(dc4_no_exit_is_skipped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
