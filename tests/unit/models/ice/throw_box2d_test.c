/* The reference engine by itself (tests/acceptance covers its agreement with the official
 * simulators): removal under each profile, paths, odd scenes, and a comparison with the fast engine
 * on made-up scenes. */
#include "models/ice/throw.h"

#include "tests/slow.h"
#include "tests/unit/models/ice/scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SCENES = BUILD_IS_SLOW ? 30 : 240 };

static const char *const profiles[] = {"dc2", "dc3", "dc4"};

static const struct position empty;

static struct throw_result thrown(throw_engine *engine, const struct throw_request *request)
{
    struct throw_result result;
    memset(&result, 0xA5, sizeof result);
    assert_int_equal(engine(request, &result), THROW_OK);
    return result;
}

/* A draw to the tee, measured on the official simulators: both spins, mirror images. */
static struct throw_request tee_draw(const char *profile, double side)
{
    bool dc2 = strcmp(profile, "dc2") == 0;
    return (struct throw_request){
        .ice = ice_profile_find(profile),
        .before = &empty,
        .shot = {dc2 ? (struct vec2){side * 0.99074, 29.55977}
                     : (struct vec2){side * 0.131737, 2.399747},
                 side * (dc2 ? ICE_DC2_A : 1.57079632679489661923)},
    };
}

static void a_draw_to_the_tee_stops_at_the_tee(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            struct throw_request request = tee_draw(profiles[k], side);
            struct throw_result result = thrown(throw_box2d, &request);
            assert_int_equal(result.after.in_play, 1);
            assert_int_equal(result.moved, 1);
            assert_int_equal(result.removed, 0);
            assert_int_equal(result.collisions, 0);
            struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
            assert_true(vec2_distance(result.after.stone[0], tee) < 0.08);
        }
}

static void the_same_request_gives_the_same_bytes(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(1);
    for (int n = 0; n < 9; n++) {
        struct scene scene;
        scene_make(&dice, ice_profile_at(n % 3), &scene);
        struct throw_result first = thrown(throw_box2d, &scene.request);
        struct throw_result second = thrown(throw_box2d, &scene.request);
        assert_memory_equal(&first, &second, sizeof first);
    }
}

static void a_path_starts_at_the_hack_and_ends_at_the_result(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trajectory trajectory;
        trajectory_init(&trajectory, 0.05);
        struct throw_request request = tee_draw(profiles[k], 1.0);
        request.trajectory = &trajectory;
        struct throw_result result = thrown(throw_box2d, &request);
        const struct trajectory_path *path = &trajectory.stone[0];
        assert_true(path->count > 20);
        assert_true(path->points[0].t_s == 0.0);
        assert_true(vec2_distance(path->points[0].at, request.ice->hack) < 1e-5);
        assert_memory_equal(&path->points[path->count - 1].at, &result.after.stone[0],
                            sizeof result.after.stone[0]);
        for (size_t i = 1; i < path->count; i++) {
            const struct trajectory_point *a = &path->points[i - 1], *b = a + 1;
            assert_true(b->t_s > a->t_s && b->t_s - a->t_s < 0.0501);
            assert_true(vec2_distance(a->at, b->at) <=
                        vec2_length(request.shot.velocity) * (b->t_s - a->t_s) + 1e-5);
        }
        for (int stone = 1; stone < POSITION_STONES; stone++)
            assert_int_equal(trajectory.stone[stone].count, 0);
        trajectory_free(&trajectory);
    }
}

static void wide_long_and_short_shots_are_removed(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct throw_request request = tee_draw(profiles[k], 1.0);
        struct vec2 draw = request.shot.velocity;

        request.shot.velocity = (struct vec2){draw.x + 0.2 * draw.y, draw.y};
        struct throw_result result = thrown(throw_box2d, &request);
        assert_int_equal(result.after.in_play, 0);
        assert_int_equal(result.removed, 1);
        assert_false(result.hog_foul);

        request.shot.velocity = vec2_scale(1.1, draw);
        result = thrown(throw_box2d, &request);
        assert_int_equal(result.after.in_play, 0);
        assert_false(result.hog_foul);

        request.shot.velocity = vec2_scale(0.8, draw);
        result = thrown(throw_box2d, &request);
        assert_int_equal(result.after.in_play, 0);
        assert_true(result.hog_foul);
    }
}

static void stones_in_one_place_and_far_away_come_to_an_end(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct position before = {.in_play = 0};
        position_put(&before, 1, (struct vec2){0.0, 37.0});
        position_put(&before, 2, (struct vec2){0.0, 37.0});
        position_put(&before, 3, (struct vec2){1e300, -1e300});
        struct throw_request request = tee_draw(profiles[k], -1.0);
        request.before = &before;
        struct throw_result result = thrown(throw_box2d, &request);
        assert_true(result.removed >> 3 & 1);
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
            struct vec2 at = result.after.stone[__builtin_ctz(rest)];
            assert_true(isfinite(at.x) && isfinite(at.y));
        }
    }
}

/* Made-up scenes have more touching stones than the official ones; those are chaotic, so only
 * nearly all scenes must agree. */
static void the_fast_engine_agrees_on_made_up_scenes(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(2);
    int simple = 0, close = 0, same_stones = 0, same_moved = 0;

    for (int n = 0; n < SCENES; n++) {
        struct scene scene;
        scene_make(&dice, ice_profile_at(n % 3), &scene);
        struct throw_result reference = thrown(throw_box2d, &scene.request);
        struct throw_result fast = thrown(throw_fast, &scene.request);
        same_stones += fast.after.in_play == reference.after.in_play;
        same_moved += fast.moved == reference.moved;
        if (reference.collisions > 1)
            continue;
        simple++;
        bool near = fast.after.in_play == reference.after.in_play &&
                    fast.collisions == reference.collisions && fast.hog_foul == reference.hog_foul;
        for (unsigned rest = near ? fast.after.in_play : 0u; rest; rest &= rest - 1) {
            int k = __builtin_ctz(rest);
            near = near && vec2_distance(fast.after.stone[k], reference.after.stone[k]) < 0.05;
        }
        close += near;
    }
    print_message("%d scenes: %d with the same stones left, %d with the same stones moved; of %d "
                  "with at most one collision %d agree within 5 cm\n",
                  SCENES, same_stones, same_moved, simple, close);
    assert_true(simple > SCENES / 5);
    assert_true(20 * close >= 19 * simple);
    assert_true(20 * same_stones >= 18 * SCENES);
    assert_true(20 * same_moved >= 18 * SCENES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_to_the_tee_stops_at_the_tee),
        cmocka_unit_test(the_same_request_gives_the_same_bytes),
        cmocka_unit_test(a_path_starts_at_the_hack_and_ends_at_the_result),
        cmocka_unit_test(wide_long_and_short_shots_are_removed),
        cmocka_unit_test(stones_in_one_place_and_far_away_come_to_an_end),
        cmocka_unit_test(the_fast_engine_agrees_on_made_up_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
