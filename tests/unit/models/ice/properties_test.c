/* Properties of every throw in any scene: over the scenes of the official simulators and made-up
 * ones, for the fast engine and, on a subset, for the reference engine. */
#include "tests/slow.h"
#include "tests/unit/models/game/mirror.h"
#include "tests/unit/models/ice/scenes.h"
#include "tests/vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    MADE_UP = BUILD_IS_SLOW ? 600 : 20000,
    BOX2D_SCENES = BUILD_IS_SLOW ? 12 : 40, /* tests/acceptance throws more */
    PATHS = BUILD_IS_SLOW ? 60 : 600
};

/* All scenes: first the official simulators', then made-up ones, alternating between profiles. */
static struct scene *scenes;
static size_t scene_count;

static int set_up(void **state)
{
    (void)state;
    struct vectors vectors[2];
    if (!vectors_load(TEST_VECTORS "/public-dc2.jsonl", &vectors[0]) ||
        !vectors_load(TEST_VECTORS "/public-fcv1.jsonl", &vectors[1]))
        return -1;
    scenes = calloc(vectors[0].count + vectors[1].count + MADE_UP, sizeof *scenes);
    if (!scenes)
        return -1;
    for (int law = 0; law < 2; law++) {
        for (size_t k = 0; k < vectors[law].count; k++) {
            struct scene *scene = &scenes[scene_count++];
            scene->before = vectors[law].scene[k].before;
            scene->request = vector_request(&vectors[law].scene[k]);
            scene->request.before = &scene->before;
        }
        vectors_free(&vectors[law]);
    }
    struct dice dice = dice_of_seed(1);
    for (int k = 0; k < MADE_UP; k++)
        scene_make(&dice, ice_profile_at(k % 3), &scenes[scene_count++]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(scenes);
    return 0;
}

static struct throw_result thrown(throw_engine *engine, const struct throw_request *request)
{
    struct throw_result result;
    memset(&result, 0, sizeof result);
    assert_int_equal(engine(request, &result), THROW_OK);
    return result;
}

/* Returns the stride for an engine: every scene, or a spread subset for the slow one. */
static size_t stride_of(throw_engine *engine)
{
    return engine == throw_fast ? 1 : scene_count / BOX2D_SCENES;
}

/* --- mirror --- */

/* In the fast engine x -> -x and omega -> -omega only change signs in the arithmetic; the result is
 * the mirror image bit for bit. */
static void the_mirror_image_gives_the_mirror_result(void **state)
{
    (void)state;
    for (size_t k = 0; k < scene_count; k++) {
        struct throw_result result = thrown(throw_fast, &scenes[k].request);
        struct position before = position_mirror(&scenes[k].before);
        struct throw_request request = scenes[k].request;
        request.before = &before;
        request.shot = shot_mirror(&scenes[k].request.shot);
        struct throw_result mirrored = thrown(throw_fast, &request);
        mirrored.after = position_mirror(&mirrored.after);
        result.after = position_mirror(&result.after); /* twice: removes -0.0 from both */
        result.after = position_mirror(&result.after);
        assert_memory_equal(&mirrored, &result, sizeof result);
    }
}

/* The reference rounds to float32, in another frame for dc2, so the two runs differ slightly, and
 * more after each hit. */
static void the_reference_engine_mirrors_within_a_millimetre_unless_chaotic(void **state)
{
    (void)state;
    int compared = 0, apart = 0;
    for (size_t k = 0; k < scene_count; k += stride_of(throw_box2d)) {
        struct throw_result result = thrown(throw_box2d, &scenes[k].request);
        struct position before = position_mirror(&scenes[k].before);
        struct throw_request request = scenes[k].request;
        request.before = &before;
        request.shot = shot_mirror(&scenes[k].request.shot);
        struct throw_result mirrored = thrown(throw_box2d, &request);
        if (result.collisions > 1)
            continue;
        compared++;
        mirrored.after = position_mirror(&mirrored.after);
        apart += !(vector_difference_m(&result.after, &mirrored.after) <= 1e-3);
    }
    print_message("%d of %d reference throws with at most one collision mirror to more than 1 mm\n",
                  apart, compared);
    assert_true(compared > 5);
    assert_true(apart * 20 <= compared);
}

/* --- bookkeeping --- */

static void check_books(throw_engine *engine)
{
    for (size_t k = 0; k < scene_count; k += stride_of(engine)) {
        const struct throw_request *request = &scenes[k].request;
        const struct position *before = request->before;
        struct throw_result result = thrown(engine, request);
        unsigned thrown_stones = before->in_play | 1u << request->stone;

        /* No stone appears; a stone no longer in play was removed; empty slots hold zeros. */
        assert_int_equal(result.after.in_play & ~thrown_stones, 0);
        assert_int_equal(result.removed, thrown_stones & ~(unsigned)result.after.in_play);
        for (int stone = 0; stone < POSITION_STONES; stone++)
            if (!position_has(&result.after, stone))
                assert_true(result.after.stone[stone].x == 0.0 &&
                            result.after.stone[stone].y == 0.0);

        /* Unmoved stones keep their position bit for bit. */
        assert_int_equal(result.moved & ~thrown_stones, 0);
        assert_true(result.moved >> request->stone & 1);
        for (unsigned rest = result.after.in_play & ~(unsigned)result.moved; rest;
             rest &= rest - 1) {
            int stone = __builtin_ctz(rest);
            assert_memory_equal(&result.after.stone[stone], &before->stone[stone],
                                sizeof before->stone[stone]);
        }
        if (result.collisions == 0)
            assert_int_equal(result.moved, 1 << request->stone);
        if (result.hog_foul)
            assert_true(result.removed >> request->stone & 1);

        /* Everything lies within the play area. */
        const struct ice_profile *ice = request->ice;
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
            struct vec2 at = result.after.stone[__builtin_ctz(rest)];
            assert_true(fabs(at.x) < ice->side_x && at.y < ice->back_y);
            assert_true(ice->hog != ICE_HOG_ALL_STONES || at.y > ice->hog_y);
        }
    }
}

static void the_counts_of_a_throw_agree(void **state)
{
    (void)state;
    check_books(throw_fast);
}

static void the_counts_of_a_reference_throw_agree(void **state)
{
    (void)state;
    check_books(throw_box2d);
}

/* Box2D leaves 5 mm; stones nearer than that before and not moved may stay. */
static void check_overlap(throw_engine *engine)
{
    double deepest = 0.0;
    for (size_t k = 0; k < scene_count; k += stride_of(engine)) {
        struct throw_result result = thrown(engine, &scenes[k].request);
        for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
            int a = __builtin_ctz(rest);
            for (unsigned others = rest & (rest - 1); others; others &= others - 1) {
                double d =
                    vec2_distance(result.after.stone[a], result.after.stone[__builtin_ctz(others)]);
                if (2.0 * STONE_RADIUS - d > deepest)
                    deepest = 2.0 * STONE_RADIUS - d;
            }
        }
    }
    print_message("deepest overlap of resting stones: %.2f mm\n", 1e3 * deepest);
    assert_true(deepest < 0.006);
}

static void resting_stones_overlap_by_no_more_than_the_slop(void **state)
{
    (void)state;
    check_overlap(throw_fast);
    check_overlap(throw_box2d);
}

/* --- no contact is missed --- */

/* Sets where a stone is at a step, walking along its path with *index; returns false if it is not
 * in play. */
static bool place_at_step(const struct scene *scene, const struct throw_result *result,
                          const struct trajectory *trajectory, int stone, int step, size_t *index,
                          struct vec2 *ret_at)
{
    const struct trajectory_path *path = &trajectory->stone[stone];
    double t_s = 0.001 * step + 1e-6;

    if (path->count == 0) {
        *ret_at = scene->before.stone[stone];
        return position_has(&result->after, stone);
    }
    while (*index + 1 < path->count && path->points[*index + 1].t_s <= t_s)
        ++*index;
    *ret_at = path->points[*index].at;
    return position_has(&result->after, stone) || t_s < path->points[path->count - 1].t_s;
}

/* At a hit, stones overlap by at most the motion of one step and the remainder of the pushes. Two
 * that pass through each other unseen would overlap by up to 29 cm. */
static void no_stone_goes_through_another(void **state)
{
    (void)state;
    struct trajectory trajectory;
    double deepest[2] = {0.0, 0.0};
    trajectory_init(&trajectory, 0.001);

    for (size_t k = 3; k < scene_count; k += scene_count / PATHS) {
        struct throw_request request = scenes[k].request;
        enum ice_law law = request.ice->law;
        request.trajectory = &trajectory;
        struct throw_result result = thrown(throw_fast, &request);
        size_t index[POSITION_STONES] = {0};
        int last = 0;
        for (int stone = 0; stone < POSITION_STONES; stone++) {
            const struct trajectory_path *path = &trajectory.stone[stone];
            int end = path->count ? (int)(path->points[path->count - 1].t_s * 1000.0 + 0.5) : 0;
            last = end > last ? end : last;
        }
        for (int step = 0; step <= last; step++) {
            struct vec2 at[POSITION_STONES];
            unsigned there = 0;
            for (int stone = 0; stone < POSITION_STONES; stone++)
                there |= (unsigned)place_at_step(&scenes[k], &result, &trajectory, stone, step,
                                                 &index[stone], &at[stone])
                         << stone;
            for (unsigned rest = there; rest; rest &= rest - 1) {
                int a = __builtin_ctz(rest);
                for (unsigned others = rest & (rest - 1); others; others &= others - 1) {
                    double overlap =
                        2.0 * STONE_RADIUS - vec2_distance(at[a], at[__builtin_ctz(others)]);
                    deepest[law] = overlap > deepest[law] ? overlap : deepest[law];
                }
            }
        }
    }
    print_message("deepest overlap at any step: dc2 %.1f mm, fcv1 %.1f mm\n",
                  1e3 * deepest[ICE_DC2], 1e3 * deepest[ICE_FCV1]);
    assert_true(deepest[ICE_DC2] > 0.01 && deepest[ICE_DC2] < 0.06);
    assert_true(deepest[ICE_FCV1] > 0.001 && deepest[ICE_FCV1] < 0.012);
    trajectory_free(&trajectory);
}

/* --- energy --- */

/* Kinetic energy from the path at every millisecond: (m/s)^2 / 2 summed over the stones. Touching
 * stones are also pushed apart, which is not speed: steps with two stones nearly in touch are left
 * out. The rest may not grow beyond 0.5 % of the shot's energy: that much can come from the spin of
 * a slow FCV1 stone (r^2 omega^2 / 4) and from contacts solved one after the other where the
 * reference does so. */
static void check_energy(throw_engine *engine, size_t first, size_t step)
{
    enum { STEPS = 200000 };
    struct trajectory trajectory;
    float *energy = calloc(STEPS, sizeof *energy);
    unsigned char *unsure = calloc(STEPS, 1);
    double worst = 0.0;
    long looked_at = 0;
    assert_non_null(energy);
    assert_non_null(unsure);
    trajectory_init(&trajectory, 0.001);

    for (size_t k = first; k < scene_count; k += step) {
        struct throw_request request = scenes[k].request;
        request.trajectory = &trajectory;
        thrown(engine, &request);
        memset(energy, 0, STEPS * sizeof *energy);
        memset(unsure, 0, STEPS);
        int last = 0;
        double speed = vec2_length(request.shot.velocity), full = 0.5 * speed * speed;
        for (int stone = 0; stone < POSITION_STONES; stone++) {
            const struct trajectory_path *path = &trajectory.stone[stone];
            for (size_t i = 1; i < path->count; i++) {
                const struct trajectory_point *a = &path->points[i - 1], *b = a + 1;
                int at = (int)(a->t_s * 1000.0 + 0.5), end = (int)(b->t_s * 1000.0 + 0.5);
                assert_true(at >= 0 && end < STEPS - 10);
                last = end > last ? end : last;
                if (end != at + 1)
                    continue; /* stopped in between, or two points at one moment */
                double v = vec2_distance(a->at, b->at) / ICE_STEP_S;
                energy[at] += (float)(0.5 * v * v);
            }
        }
        /* Mark moments within a few ms of any touch. */
        size_t index[POSITION_STONES] = {0};
        for (int t = 0; t <= last; t++) {
            for (int a = 0; a < POSITION_STONES; a++) {
                const struct trajectory_path *path = &trajectory.stone[a];
                while (index[a] + 1 < path->count &&
                       path->points[index[a] + 1].t_s <= 0.001 * t + 1e-6)
                    index[a]++;
            }
            for (int a = 0; a < POSITION_STONES; a++) {
                if (trajectory.stone[a].count == 0)
                    continue;
                struct vec2 p = trajectory.stone[a].points[index[a]].at;
                for (int b = 0; b < POSITION_STONES; b++) {
                    struct vec2 q = scenes[k].before.stone[b];
                    if (a == b ||
                        (trajectory.stone[b].count == 0 && !position_has(&scenes[k].before, b)))
                        continue;
                    if (trajectory.stone[b].count > 0)
                        q = trajectory.stone[b].points[index[b]].at;
                    if (vec2_distance(p, q) < 2.0 * STONE_RADIUS + 2.0 * speed * ICE_STEP_S)
                        unsure[t] = 1;
                }
            }
        }
        double least = full;
        for (int t = 0; t + 1 < last; t++) {
            if (unsure[t])
                continue;
            double grown = ((double)energy[t] - least) / full;
            worst = grown > worst ? grown : worst;
            least = (double)energy[t] < least ? (double)energy[t] : least;
            looked_at++;
        }
    }
    print_message("energy grows by at most %.2g of that of the shot, %ld steps\n", worst,
                  looked_at);
    assert_true(looked_at > 1000);
    assert_true(worst < 5e-3);
    trajectory_free(&trajectory);
    free(energy);
    free(unsure);
}

static void kinetic_energy_never_grows(void **state)
{
    (void)state;
    check_energy(throw_fast, 1, scene_count / PATHS);
    check_energy(throw_box2d, 2, scene_count / (BOX2D_SCENES / 4));
}

/* --- removal --- */

/* The path of a removed stone ends out of play or short, and the stone is in none of the later
 * positions when the end is played on. */
static void a_removed_stone_stays_removed(void **state)
{
    (void)state;
    struct dice dice = dice_of_seed(2);
    int removals = 0;

    for (int end = 0; end < PATHS; end++) {
        const struct ice_profile *ice = ice_profile_at(end % 3);
        struct position position = {.in_play = 0};
        unsigned gone = 0;
        for (int stone = 0; stone < POSITION_STONES; stone++) {
            struct throw_request request = {
                .ice = ice, .before = &position, .stone = stone, .shot = scene_shot(&dice, ice)};
            struct throw_result result = thrown(throw_fast, &request);
            assert_int_equal(result.after.in_play & gone, 0);
            gone |= result.removed;
            position = result.after;
        }
        removals += __builtin_popcount(gone);
    }
    assert_true(removals > PATHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mirror_image_gives_the_mirror_result),
        cmocka_unit_test(the_reference_engine_mirrors_within_a_millimetre_unless_chaotic),
        cmocka_unit_test(the_counts_of_a_throw_agree),
        cmocka_unit_test(the_counts_of_a_reference_throw_agree),
        cmocka_unit_test(resting_stones_overlap_by_no_more_than_the_slop),
        cmocka_unit_test(no_stone_goes_through_another),
        cmocka_unit_test(kinetic_energy_never_grows),
        cmocka_unit_test(a_removed_stone_stays_removed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
