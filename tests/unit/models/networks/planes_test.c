/* Planes and compact positions. */
#include "models/networks/compact_position.h"
#include "models/networks/planes.h"

#include "tests/unit/models/game/board.h"
#include "tests/unit/models/game/mirror.h"
#include "tests/unit/models/game/remove.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = PLANES * PLANES_CELLS };

/* Checks that `cells` of the cells are 1 and the others 0. */
static void assert_ones(const float *plane, int cells)
{
    int ones = 0;
    for (int k = 0; k < PLANES_CELLS; k++) {
        assert_true(plane[k] == 0.0f || plane[k] == 1.0f);
        ones += plane[k] == 1.0f;
    }
    assert_int_equal(ones, cells);
}

static void assert_one_at(const float *planes, int plane, int row, int column)
{
    assert_ones(planes + plane * PLANES_CELLS, 1);
    assert_true(planes[plane * PLANES_CELLS + row * PLANES_SIDE + column] == 1.0f);
}

static void an_empty_sheet_has_no_stones(void **state)
{
    (void)state;
    static float planes[SIZE];
    struct position position = {0};

    planes_of(&position, 0, SEAT_GOTE, planes);
    for (int k = 0; k < PLANES; k++)
        assert_ones(planes + k * PLANES_CELLS,
                    k == PLANES_EMPTY || k == PLANES_ONES || k == PLANES_SHOT ? PLANES_CELLS : 0);
}

/* Cells counted by hand: 0.1484375 m wide, 0.2571875 m deep, from x = -2.375 and y = 32.004. */
static void stones_match_hand_calculation(void **state)
{
    (void)state;
    static float planes[SIZE];
    struct position position = board({0, 0.1, 38.4},     /* row 24, column 16: shot stone */
                                     {1, -0.2, 38.7},    /* row 26, column 14 */
                                     {2, 1.5, 33.0},     /* row 3, column 26: a guard */
                                     {3, -2.2, 40.3},    /* row 31 (behind the line), column 1 */
                                     {4, -1.0, 38.405}); /* row 24, column 9 */

    planes_of(&position, 5, SEAT_GOTE, planes); /* gote throws its third stone: 2 thrown */
    assert_ones(planes + PLANES_OWN * PLANES_CELLS, 2);
    assert_ones(planes + PLANES_OPPONENT * PLANES_CELLS, 3);
    assert_ones(planes + PLANES_EMPTY * PLANES_CELLS, PLANES_CELLS - 5);
    for (int k = 0; k < 8; k++)
        assert_ones(planes + (PLANES_SHOT + k) * PLANES_CELLS, k == 2 ? PLANES_CELLS : 0);
    assert_ones(planes + PLANES_HOUSE * PLANES_CELLS, 3); /* not the guard, not the far one */
    assert_one_at(planes, PLANES_OWN_ORDER, 26, 14);
    assert_one_at(planes, PLANES_OWN_ORDER + 1, 31, 1);
    assert_ones(planes + (PLANES_OWN_ORDER + 2) * PLANES_CELLS, 0);
    assert_one_at(planes, PLANES_OPPONENT_ORDER, 24, 16);
    assert_one_at(planes, PLANES_OPPONENT_ORDER + 1, 24, 9);
    assert_one_at(planes, PLANES_OPPONENT_ORDER + 2, 3, 26);
    assert_one_at(planes, PLANES_ORDER, 24, 16);
    assert_one_at(planes, PLANES_ORDER + 1, 26, 14);
    assert_one_at(planes, PLANES_ORDER + 2, 24, 9);
    assert_one_at(planes, PLANES_ORDER + 3, 31, 1);
    assert_one_at(planes, PLANES_ORDER + 4, 3, 26);
    assert_ones(planes + (PLANES_ORDER + 5) * PLANES_CELLS, 0);

    static float other[SIZE];
    planes_of(&position, 5, SEAT_SENTE, other); /* the other seat sees swapped colours */
    assert_memory_equal(other + PLANES_OWN * PLANES_CELLS, planes + PLANES_OPPONENT * PLANES_CELLS,
                        PLANES_CELLS * sizeof *planes);
    assert_memory_equal(other + PLANES_OPPONENT * PLANES_CELLS, planes + PLANES_OWN * PLANES_CELLS,
                        PLANES_CELLS * sizeof *planes);
    assert_memory_equal(other + PLANES_OWN_ORDER * PLANES_CELLS,
                        planes + PLANES_OPPONENT_ORDER * PLANES_CELLS,
                        PLANES_ORDER_SEAT * PLANES_CELLS * sizeof *planes);
    assert_memory_equal(other + PLANES_ORDER * PLANES_CELLS, planes + PLANES_ORDER * PLANES_CELLS,
                        PLANES_ORDER_ALL * PLANES_CELLS * sizeof *planes);
    for (int k = 0; k < 8; k++) /* 3 thrown */
        assert_ones(other + (PLANES_SHOT + k) * PLANES_CELLS, k == 3 ? PLANES_CELLS : 0);
}

static void the_shot_number_is_a_feature(void **state)
{
    (void)state;
    static float planes[SIZE];
    struct position position = {0};

    for (int thrown = 0; thrown <= POSITION_STONES; thrown++)
        for (int seat = SEAT_SENTE; seat <= SEAT_GOTE; seat++) {
            int own = 0;
            for (int k = 0; k < thrown; k++)
                own += (int)seat_of_stone(k) == seat;
            planes_of(&position, thrown, (enum seat)seat, planes);
            for (int k = 0; k < 8; k++)
                assert_ones(planes + (PLANES_SHOT + k) * PLANES_CELLS, k == own ? PLANES_CELLS : 0);
        }
}

/* Returns stones at pseudo-random places all over the sheet, the same everywhere. */
static struct position scattered(uint32_t *seed, int stones)
{
    struct position position = {0};
    for (int k = 0; k < stones; k++) {
        double at[2];
        for (int i = 0; i < 2; i++) {
            *seed = *seed * 1664525u + 1013904223u;
            at[i] = (double)(*seed >> 8) * 0x1p-24;
        }
        position_put(&position, k, (struct vec2){-2.3 + 4.6 * at[0], 32.1 + 8.2 * at[1]});
    }
    return position;
}

static void mirror_turns_planes_round(void **state)
{
    (void)state;
    static float planes[SIZE], mirrored[SIZE];
    uint32_t seed = 5;

    for (int k = 0; k < 200; k++) {
        struct position position = scattered(&seed, k % 17), image = position_mirror(&position);
        planes_of(&position, k % 17, (enum seat)(k & 1), planes);
        planes_of(&image, k % 17, (enum seat)(k & 1), mirrored);
        assert_true(k % 17 == 0 || memcmp(planes, mirrored, sizeof planes) != 0);
        planes_mirror(PLANES, mirrored);
        assert_memory_equal(planes, mirrored, sizeof planes);
    }
}

static void compact_positions_read_back(void **state)
{
    (void)state;
    uint32_t seed = 9;

    for (int k = 0; k < 300; k++) {
        struct position position = scattered(&seed, k % 17);
        if (k % 5 == 0)
            position_remove(&position, k % 16);
        struct compact_position compact = compact_position_of(&position, k % 17);
        struct position again = compact_position_open(&compact);
        assert_int_equal(again.in_play, position.in_play);
        assert_int_equal(compact.thrown, k % 17);
        for (int i = 0; i < POSITION_STONES; i++) {
            assert_near(again.stone[i].x, position.stone[i].x, 0.5001e-4);
            assert_near(again.stone[i].y, position.stone[i].y, 1.2501e-4);
        }
        struct compact_position twice = compact_position_of(&again, k % 17);
        assert_memory_equal(&twice, &compact, sizeof compact);
    }
}

/* Where Digital Curling 4 keeps stones, far short of the hog line, it is out of the range. */
static void a_stone_beyond_the_range_lies_at_its_border(void **state)
{
    (void)state;
    for (double y = 0.0; y < 60.0; y += 1.5) {
        struct position position = board({3, 0.5, y});
        const struct compact_position compact = compact_position_of(&position, 4);
        const struct position again = compact_position_open(&compact);
        const double nearest = fmax(TEE - 8.192, fmin(TEE + 8.19175, y));
        assert_near(again.stone[3].y, nearest, 1.2501e-4);
        assert_near(again.stone[3].x, 0.5, 0.5001e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_sheet_has_no_stones),
        cmocka_unit_test(stones_match_hand_calculation),
        cmocka_unit_test(the_shot_number_is_a_feature),
        cmocka_unit_test(mirror_turns_planes_round),
        cmocka_unit_test(compact_positions_read_back),
        cmocka_unit_test(a_stone_beyond_the_range_lies_at_its_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
