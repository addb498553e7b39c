/* The event-driven engine as its callers see it: what it refuses, which stones it removes under
 * each profile, the paths it reports, and that it does not allocate. Subtle rules are checked
 * against the reference engine too. */
#include "models/ice/throw.h"

#include "models/ice/glide.h"
#include "tests/unit/models/ice/scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The linker redirects the program's allocations here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations;
static bool memory_is_short; /* the next realloc fails */

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return memory_is_short ? NULL : __real_realloc(old, size);
}

static const struct position empty;

static const struct ice_profile *ice_of(const char *name)
{
    return ice_profile_find(name);
}

/* A request for stone 4 on a sheet. */
static struct throw_request request_of(const char *profile, const struct position *before,
                                       double vx, double vy, double omega)
{
    return (struct throw_request){
        .ice = ice_of(profile),
        .before = before,
        .stone = 4,
        .shot = {{vx, vy}, omega},
    };
}

static struct throw_result thrown(const struct throw_request *request)
{
    struct throw_result result;
    memset(&result, 0xA5, sizeof result);
    assert_int_equal(throw_fast(request, &result), THROW_OK);
    return result;
}

static struct throw_result thrown_box2d(const struct throw_request *request)
{
    struct throw_result result;
    memset(&result, 0, sizeof result);
    assert_int_equal(throw_box2d(request, &result), THROW_OK);
    return result;
}

/* Returns the speed of a shot without spin along the centre line that stops after `metres` on an
 * empty sheet. */
static double speed_for(const char *profile, double metres)
{
    double low = 0.0, high = ice_of(profile)->max_speed;
    for (int k = 0; k < 60; k++) {
        double speed = 0.5 * (low + high);
        struct vec2 velocity = {0.0, speed};
        double omega = 0.0;
        struct glide glide;
        glide_release(ice_of(profile)->law, &velocity, &omega);
        const struct glide_table *table = glide_table(ice_of(profile)->law);
        bool goes = glide_start(table, &glide, 0, (struct vec2){0.0, 0.0}, velocity,
                                vec2_length(velocity), 0.0);
        if (goes && glide.path > metres)
            high = speed;
        else
            low = speed;
    }
    return low;
}

/* --- requests --- */

static void refuse(struct throw_request request, enum throw_status status)
{
    struct throw_result result, before;
    memset(&result, 0xA5, sizeof result);
    before = result;
    assert_int_equal(throw_fast(&request, &result), status);
    assert_memory_equal(&result, &before, sizeof result);
    assert_int_equal(throw_box2d(&request, &result), status);
    assert_memory_equal(&result, &before, sizeof result);
}

static void bad_requests_are_refused_and_write_nothing(void **state)
{
    (void)state;
    struct position taken = {.in_play = 0}, lost = {.in_play = 0};
    position_put(&taken, 4, (struct vec2){0.0, 37.0});
    position_put(&lost, 2, (struct vec2){NAN, 37.0});
    struct throw_request good = request_of("dc3", &empty, 0.1, 2.4, 1.57), bad;

    bad = good, bad.stone = -1;
    refuse(bad, THROW_BAD_STONE);
    bad = good, bad.stone = 16;
    refuse(bad, THROW_BAD_STONE);
    bad = good, bad.before = &taken;
    refuse(bad, THROW_BAD_STONE);
    bad = good, bad.before = &lost;
    refuse(bad, THROW_BAD_POSITION);
    lost.stone[2] = (struct vec2){0.0, INFINITY};
    refuse(bad, THROW_BAD_POSITION);
    const double bad_speeds[] = {NAN, INFINITY, 6.1, -6.1};
    for (int k = 0; k < 4; k++) {
        bad = good, bad.shot.velocity.y = bad_speeds[k];
        refuse(bad, THROW_BAD_SHOT);
        bad = good, bad.shot.velocity.x = bad_speeds[k];
        refuse(bad, THROW_BAD_SHOT);
    }
    bad = good, bad.shot.omega = 1.01 * SHOT_TURN_MAX_RADPS;
    refuse(bad, THROW_BAD_SHOT);
    bad = good, bad.shot.omega = NAN;
    refuse(bad, THROW_BAD_SHOT);
    bad = request_of("dc2", &empty, 0.0, 45.1, 1.0);
    refuse(bad, THROW_BAD_SHOT);
}

static void short_memory_for_the_trajectory_is_reported(void **state)
{
    (void)state;
    struct trajectory trajectory;
    struct throw_request request = request_of("dc3", &empty, 0.1, 2.4, 1.57);
    struct throw_result result, before;

    trajectory_init(&trajectory, 0.1);
    request.trajectory = &trajectory;
    memset(&result, 0xA5, sizeof result);
    before = result;
    memory_is_short = true;
    enum throw_status status = throw_fast(&request, &result);
    memory_is_short = false;
    assert_int_equal(status, THROW_NO_MEMORY);
    assert_memory_equal(&result, &before, sizeof result);
    trajectory_free(&trajectory);
}

static void a_throw_allocates_nothing(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(1);
    struct throw_result result;

    thrown(&(struct throw_request){.ice = ice_of("dc2"), .before = &empty}); /* builds the tables */
    long before = allocations;
    for (int k = 0; k < 300; k++) {
        struct scene scene;
        scene_make(&dice, ice_profile_at(k % 3), &scene);
        assert_int_equal(throw_fast(&scene.request, &result), THROW_OK);
    }
    assert_int_equal(allocations, before);
    void *volatile counted = malloc(1); /* proves that the counter counts */
    free(counted);
    assert_int_equal(allocations, before + 1);
}

/* --- removal --- */

static void a_stone_that_slides_over_the_side_is_removed(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        bool dc2 = k == 0;
        for (int side = -1; side <= 1; side += 2) {
            struct throw_request request =
                request_of(profiles[k], &empty, side * (dc2 ? 5.0 : 0.5), dc2 ? 30.0 : 2.5, 0.0);
            struct throw_result result = thrown(&request);
            assert_int_equal(result.after.in_play, 0);
            assert_int_equal(result.removed, 1 << 4);
            assert_int_equal(result.moved, 1 << 4);
            assert_int_equal(result.collisions, 0);
            assert_false(result.hog_foul);
        }
    }
}

static void the_back_line_takes_stones_while_they_move_or_at_rest(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = ice_of(profiles[k]);
        double way = ice->back_y - ice->hack.y;
        struct trajectory trajectory;
        trajectory_init(&trajectory, 1.0);
        struct throw_request request =
            request_of(profiles[k], &empty, 0.0, speed_for(profiles[k], way + 1.0), 0.0);
        request.trajectory = &trajectory;
        struct throw_result result = thrown(&request);
        assert_int_equal(result.removed, 1 << 4);
        assert_int_equal(result.after.in_play, 0);
        assert_false(result.hog_foul);
        /* dc4 lets it finish its path, the others remove it at the line. */
        const struct trajectory_path *path = &trajectory.stone[4];
        double end = path->points[path->count - 1].at.y - ice->back_y;
        if (ice->back == ICE_REMOVE_AT_REST)
            assert_true(fabs(end - 1.0) < 1e-6);
        else
            assert_true(end >= 0.0 && end < 0.05);
        trajectory_free(&trajectory);

        request.trajectory = NULL;
        request.shot.velocity.y = speed_for(profiles[k], way - 0.01);
        result = thrown(&request);
        assert_int_equal(result.after.in_play, 1 << 4);
        assert_true(fabs(result.after.stone[4].y - (ice->back_y - 0.01)) < 1e-6);
    }
}

static void a_delivered_stone_short_of_the_hog_line_is_a_foul(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = ice_of(profiles[k]);
        double way = ice->hog_y - ice->hack.y;
        struct throw_request request =
            request_of(profiles[k], &empty, 0.0, speed_for(profiles[k], way - 0.01), 0.0);
        struct throw_result result = thrown(&request);
        assert_int_equal(result.after.in_play, 0);
        assert_int_equal(result.removed, 1 << 4);
        assert_true(result.hog_foul);

        request.shot.velocity.y = speed_for(profiles[k], way + 0.01);
        result = thrown(&request);
        assert_int_equal(result.after.in_play, 1 << 4);
        assert_false(result.hog_foul);
    }
}

/* dc3 removes every stone at rest short of the line, dc2 and dc4 only the delivered one. */
static void other_stones_short_of_the_hog_line_go_in_dc3_only(void **state)
{
    (void)state;
    struct position before = {.in_play = 0};
    position_put(&before, 1, (struct vec2){1.5, 30.0});

    struct throw_request request = request_of("dc3", &before, 0.0, speed_for("dc3", 38.0), 0.0);
    assert_int_equal(thrown(&request).removed, 1 << 1);
    assert_false(thrown(&request).hog_foul);
    request = request_of("dc4", &before, 0.0, speed_for("dc4", 38.0), 0.0);
    assert_int_equal(thrown(&request).removed, 0);
    request = request_of("dc2", &before, 0.0, speed_for("dc2", 36.0), 0.0);
    assert_int_equal(thrown(&request).removed, 0);
}

/* A guard just clear of the line is hit gently: the delivered stone stops short of the line. In dc4
 * that is no foul, since it touched a stone. */
static void a_touched_stone_may_stop_short_of_the_hog_line_in_dc4_only(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = ice_of(profiles[k]);
        struct position before = {.in_play = 0};
        position_put(&before, 0, (struct vec2){0.0, ice->hog_y + 2.0 * STONE_RADIUS - 0.05});
        double way = ice->hog_y - ice->hack.y;
        struct throw_request request =
            request_of(profiles[k], &before, 0.0, speed_for(profiles[k], way + 0.05), 0.0);
        struct throw_result result = thrown(&request);
        assert_int_equal(result.collisions, 1);
        bool stays = ice->hog == ICE_HOG_DELIVERED_UNTOUCHED;
        assert_int_equal(result.after.in_play, stays ? 1 << 4 | 1 : 1);
        assert_int_equal(result.hog_foul, !stays);
        assert_int_equal(result.moved, 1 << 4 | 1);
        struct throw_result reference = thrown_box2d(&request);
        assert_int_equal(reference.after.in_play, result.after.in_play);
        assert_int_equal(reference.hog_foul, result.hog_foul);
    }
}

static void stones_that_lie_out_of_play_are_gone_afterwards(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        const struct ice_profile *ice = ice_of(profiles[k]);
        struct position before = {.in_play = 0};
        position_put(&before, 0, (struct vec2){ice->side_x, 36.0});
        position_put(&before, 1, (struct vec2){0.5, ice->back_y});
        position_put(&before, 2, (struct vec2){-0.5, 36.0});
        struct throw_request request =
            request_of(profiles[k], &before, 0.0, speed_for(profiles[k], 35.0), 0.0);
        struct throw_result result = thrown(&request);
        assert_int_equal(result.removed, 1 << 0 | 1 << 1);
        assert_true(position_has(&result.after, 2));
        assert_int_equal(result.moved, 1 << 4);
        struct throw_result reference = thrown_box2d(&request);
        assert_int_equal(reference.removed, result.removed);
    }
}

/* --- odd shots --- */

static void a_stone_that_is_not_pushed_stays_in_the_hack_and_is_a_foul(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    struct position before = {.in_play = 0};
    position_put(&before, 1, (struct vec2){0.3, 38.0});
    for (int k = 0; k < 3; k++) {
        struct throw_request request = request_of(profiles[k], &before, 0.0, 0.0, 1.0);
        struct throw_result result = thrown(&request);
        assert_true(result.hog_foul);
        assert_int_equal(result.after.in_play, 1 << 1);
        assert_memory_equal(&result.after.stone[1], &before.stone[1], sizeof before.stone[1]);
        assert_int_equal(result.removed, 1 << 4);
        assert_int_equal(result.collisions, 0);
        request.shot.velocity = (struct vec2){-0.4, -1.5}; /* backwards */
        result = thrown(&request);
        assert_int_equal(result.after.in_play, 1 << 1);
        assert_int_equal(result.removed, 1 << 4);
    }
}

static void without_spin_the_centre_line_is_kept(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        struct position before = {.in_play = 0};
        position_put(&before, 0, (struct vec2){0.0, 38.405});
        const struct ice_profile *ice = ice_of(profiles[k]);
        double way = 37.0 - ice->hack.y;
        struct throw_request request =
            request_of(profiles[k], &before, 0.0, speed_for(profiles[k], way + 2.0), 0.0);
        struct throw_result result = thrown(&request);
        assert_int_equal(result.collisions, 1);
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1)
            assert_true(result.after.stone[__builtin_ctz(rest)].x == 0.0);
        /* Earlier contents of memory must not matter. */
        volatile unsigned char dirt[16384];
        for (size_t i = 0; i < sizeof dirt; i++)
            dirt[i] = (unsigned char)(0x3F + i % 3);
        struct throw_result again = thrown(&request);
        assert_memory_equal(&again, &result, sizeof result);
    }
}

/* In dc2 omega only gives the sense of rotation, even in a hit. */
static void in_dc2_only_the_sign_of_omega_acts(void **state)
{
    (void)state;
    struct position before = {.in_play = 0};
    position_put(&before, 0, (struct vec2){0.1, 37.0});
    struct throw_request request = request_of("dc2", &before, 0.99, 32.0, ICE_DC2_A);
    struct throw_result result = thrown(&request);
    assert_int_equal(result.collisions, 1);
    request.shot.omega = 5.0;
    struct throw_result faster = thrown(&request);
    assert_memory_equal(&faster, &result, sizeof result);
}

static void stones_in_one_place_do_not_upset_the_engine(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3", "dc4"};
    for (int k = 0; k < 3; k++) {
        struct position before = {.in_play = 0};
        for (int stone = 0; stone < 4; stone++)
            position_put(&before, stone, (struct vec2){0.0, 37.0});
        double way = 36.0 - ice_of(profiles[k])->hack.y;
        struct throw_request request =
            request_of(profiles[k], &before, 0.0, speed_for(profiles[k], way + 3.0), 0.0);
        struct throw_result result = thrown(&request);
        assert_true(result.collisions > 0);
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
            struct vec2 at = result.after.stone[__builtin_ctz(rest)];
            assert_true(isfinite(at.x) && isfinite(at.y));
        }
    }
}

/* Stone 0 leans on stone 5, which is hit by a stone that then goes on into stone 0. By then the two
 * leaning stones form an island of their own, and stone 0 must still expect the one that comes. */
static void a_stone_that_was_leant_on_is_still_hit(void **state)
{
    (void)state;
    struct position before = {.in_play = 0};
    int hit = 0;

    position_put(&before, 0, (struct vec2){-0.259013, 38.422200});
    position_put(&before, 5, (struct vec2){-0.006615, 38.280454});
    for (int k = 0; k < 40; k++) {
        struct throw_request request =
            request_of("dc2", &before, 0.7333 + 0.00035 * k, 29.603808033463153, 1.0);
        request.stone = 11;
        struct throw_result fast = thrown(&request), reference;
        assert_int_equal(throw_box2d(&request, &reference), THROW_OK);
        assert_int_equal(fast.after.in_play, reference.after.in_play);
        for (unsigned rest = fast.after.in_play; rest; rest &= rest - 1) {
            int stone = __builtin_ctz(rest);
            assert_true(vec2_distance(fast.after.stone[stone], reference.after.stone[stone]) <
                        0.01);
        }
        hit += vec2_distance(before.stone[0], fast.after.stone[0]) > 0.05;
    }
    assert_int_equal(hit, 40);
}

/* --- dc2: a stone that is out stays in the game while a lower-numbered one moves --- */

/* Hits on stones near the side line. The delivered stone has number 4, the others are lower or
 * higher: some are removed at once, some slide on outside, hit, and come back; the reference engine
 * tells which. */
static void dc2_keeps_a_stone_that_is_out_while_a_lower_one_is_awake(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(2);
    int went_out = 0, kept = 0;

    for (int n = 0; n < 150; n++) {
        struct position before = {.in_play = 0};
        double x = dice_between(&dice, 1.9, 2.22), y = dice_between(&dice, 36.0, 38.0);
        position_put(&before, dice_below(&dice, 2) ? 0 : 6, (struct vec2){x, y});
        struct vec2 second = {dice_between(&dice, 1.9, 2.22), y + dice_between(&dice, 0.3, 0.8)};
        position_put(&before, dice_below(&dice, 2) ? 1 : 7, second);
        struct throw_request request = request_of("dc2", &before, 0.0, 0.0, -ICE_DC2_A);
        double speed = dice_between(&dice, 28.5, 33.0);
        request.shot.velocity = (struct vec2){
            -29.0 / speed + speed * (x + dice_between(&dice, -0.25, 0.25)) / 36.0, speed};

        struct trajectory trajectory;
        trajectory_init(&trajectory, 0.001);
        request.trajectory = &trajectory;
        struct throw_result reference = thrown_box2d(&request);
        for (int k = 0; k < POSITION_STONES; k++) {
            bool out = false;
            for (size_t i = 0; i < trajectory.stone[k].count; i++) {
                bool is_out = fabs(trajectory.stone[k].points[i].at.x) >= 2.23;
                kept += out && is_out; /* more than one point outside: not removed at once */
                out = out || is_out;
            }
            went_out += out;
        }
        trajectory_free(&trajectory);
        request.trajectory = NULL;
        struct throw_result result = thrown(&request);
        assert_int_equal(result.after.in_play, reference.after.in_play);
        assert_int_equal(result.collisions, reference.collisions);
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
            int k = __builtin_ctz(rest);
            assert_true(vec2_distance(result.after.stone[k], reference.after.stone[k]) < 0.02);
        }
    }
    print_message("%d stones went out, %d steps of stones kept outside\n", went_out, kept);
    assert_true(went_out > 30 && kept > 100);
}

/* --- the hammer's numbering --- */

/* FCV1 numbers its bodies by team, so the hammer only decides the order of simultaneous
 * contacts. */
static void the_hammer_matters_for_the_order_of_contacts_only(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(3);
    int same = 0, singles = 0;

    for (int n = 0; n < 300; n++) {
        struct scene scene;
        scene_make(&dice, ice_profile_at(n % 3), &scene);
        scene.request.team0_has_hammer = false;
        struct throw_result without = thrown(&scene.request);
        scene.request.team0_has_hammer = true;
        struct throw_result with = thrown(&scene.request);
        bool equal = memcmp(&with, &without, sizeof with) == 0;
        if (scene.request.ice->law == ICE_DC2 || without.collisions == 0)
            assert_true(equal);
        singles += without.collisions == 1;
        same += equal;
    }
    assert_true(same > 200 && singles > 20);
}

/* --- trajectory --- */

static void the_trajectory_leads_to_the_result(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(4);
    struct trajectory trajectory;
    const int interval = 20;

    trajectory_init(&trajectory, 0.001 * interval);
    for (int n = 0; n < 600; n++) {
        struct scene scene;
        scene_make(&dice, ice_profile_at(n % 3), &scene);
        struct throw_result plain = thrown(&scene.request);
        scene.request.trajectory = &trajectory;
        struct throw_result result = thrown(&scene.request);
        assert_memory_equal(&result, &plain, sizeof result);

        double fastest = vec2_length(scene.request.shot.velocity);
        for (int k = 0; k < POSITION_STONES; k++) {
            const struct trajectory_path *path = &trajectory.stone[k];
            assert_int_equal(path->count > 0, result.moved >> k & 1);
            if (path->count == 0)
                continue;
            struct vec2 start =
                k == scene.request.stone ? scene.request.ice->hack : scene.before.stone[k];
            assert_memory_equal(&path->points[0].at, &start, sizeof start);
            if (position_has(&result.after, k))
                assert_memory_equal(&path->points[path->count - 1].at, &result.after.stone[k],
                                    sizeof start);
            for (size_t i = 1; i < path->count; i++) {
                const struct trajectory_point *a = &path->points[i - 1], *b = a + 1;
                assert_true(b->t_s >= a->t_s);
                /* Pushes apart (up to 0.2 m per contact, shared) add to the motion. */
                double jump = vec2_distance(a->at, b->at);
                bool pause = b->t_s - a->t_s > 0.001 * interval + 1e-9;
                assert_true(pause ? jump < 0.05 : jump <= fastest * (b->t_s - a->t_s) + 0.05);
            }
            /* Between events there is one point at every multiple of the interval. */
            const struct trajectory_point *first = path->points;
            if (k == scene.request.stone)
                assert_true(first->t_s == 0.0);
            for (size_t i = 1; i + 1 < path->count && result.collisions == 0; i++)
                assert_true(fabs(path->points[i].t_s - 0.001 * interval * (double)i) < 1e-9);
        }
    }
    trajectory_free(&trajectory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused_and_write_nothing),
        cmocka_unit_test(short_memory_for_the_trajectory_is_reported),
        cmocka_unit_test(a_throw_allocates_nothing),
        cmocka_unit_test(a_stone_that_slides_over_the_side_is_removed),
        cmocka_unit_test(the_back_line_takes_stones_while_they_move_or_at_rest),
        cmocka_unit_test(a_delivered_stone_short_of_the_hog_line_is_a_foul),
        cmocka_unit_test(other_stones_short_of_the_hog_line_go_in_dc3_only),
        cmocka_unit_test(a_touched_stone_may_stop_short_of_the_hog_line_in_dc4_only),
        cmocka_unit_test(stones_that_lie_out_of_play_are_gone_afterwards),
        cmocka_unit_test(a_stone_that_is_not_pushed_stays_in_the_hack_and_is_a_foul),
        cmocka_unit_test(without_spin_the_centre_line_is_kept),
        cmocka_unit_test(in_dc2_only_the_sign_of_omega_acts),
        cmocka_unit_test(stones_in_one_place_do_not_upset_the_engine),
        cmocka_unit_test(a_stone_that_was_leant_on_is_still_hit),
        cmocka_unit_test(dc2_keeps_a_stone_that_is_out_while_a_lower_one_is_awake),
        cmocka_unit_test(the_hammer_matters_for_the_order_of_contacts_only),
        cmocka_unit_test(the_trajectory_leads_to_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
