/* The inputs of networks that look along lines. */
#include "models/networks/lines.h"

#include "models/game/score.h"
#include "models/ice/action_grid.h"
#include "models/ice/random.h"
#include "models/ice/throw.h"
#include "tests/unit/models/game/board.h"
#include "tests/unit/models/game/mirror.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = LINES * LINES_FEATURES, SHEET = LINES_DEPTHS * LINES_PER_DEPTH };
enum { NEAR, WIDE, SIDE, OTHERS, COUNTING = 6 };

static float at(const float *rows, int line, int mark, int what)
{
    return rows[line * LINES_FEATURES + mark * LINES_PER_DEPTH + what];
}

static void assert_value(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 2e-5))
        fail_msg("%.9g is not %.9g", value, wanted);
}

static void assert_stone(const float *rows, int line, int mark, int whose, double near, double wide,
                         double side)
{
    assert_value((double)at(rows, line, mark, whose + NEAR), near);
    assert_value((double)at(rows, line, mark, whose + WIDE), wide);
    assert_value((double)at(rows, line, mark, whose + SIDE), side);
}

/* The sum of one feature over all lines and marks. */
static double sum_of(const float *rows, int what)
{
    double sum = 0.0;
    for (int line = 0; line < LINES; line++)
        for (int mark = 0; mark < LINES_DEPTHS; mark++)
            sum += (double)at(rows, line, mark, what);
    return sum;
}

static void an_empty_sheet_has_only_constant_features(void **state)
{
    (void)state;
    const struct position empty = {0};
    float rows[SIZE];

    memset(rows, 0xff, sizeof rows);
    line_rows_of(&empty, 15, SEAT_GOTE, rows);
    for (int line = 0; line < LINES; line++) {
        const float *sheet = rows + line * LINES_FEATURES + SHEET;
        for (int k = 0; k < SHEET; k++)
            assert_true(sheet[k - SHEET] == 0.0f);
        assert_true(sheet[0] == (float)(line - 15.5) * 0.0625f);
        assert_true(sheet[1] == fabsf(sheet[0]));
        assert_true(sheet[2] == 1.0f && sheet[3] == 1.0f); /* no stone is near */
        assert_true(sheet[4] == 0.0f && sheet[5] == 0.0f);
        for (int k = 0; k < LINES_THROWN; k++)
            assert_true(sheet[LINES_SHEET + k] == (k == 15 ? 1.0f : 0.0f));
    }
}

/* A stone on line 16 (x 0.0625) and on mark 8, the tee line. */
static void a_stone_on_a_line_and_a_mark(void **state)
{
    (void)state;
    const struct position position = board({0, 0.0625, SHEET_TEE_Y});
    float rows[SIZE];

    line_rows_of(&position, 1, SEAT_SENTE, rows);
    assert_stone(rows, 16, 8, 0, 1.0, 1.0, 0.0);
    assert_stone(rows, 15, 8, 0, 0.5833333, 0.8611111, 0.3587963); /* 0.125 m to its right */
    assert_stone(rows, 18, 8, 0, 0.1666667, 0.7222222, -0.6018519);
    assert_stone(rows, 19, 8, 0, 0.0, 0.5833333, -0.7291667); /* 0.375 m */
    assert_stone(rows, 23, 8, 0, 0.0, 0.0277778, -0.0810185); /* 0.875 m */
    assert_stone(rows, 24, 8, 0, 0.0, 0.0, 0.0);              /* 1 m */
    assert_value((double)at(rows, 15, 8, COUNTING), 0.5833333);
    assert_value((double)at(rows, 16, 8, COUNTING), 1.0);
    for (int what = OTHERS; what < OTHERS + 3; what++)
        assert_true(sum_of(rows, what) == 0.0);

    const float *sheet = rows + 3 * LINES_FEATURES + SHEET;
    assert_value((double)sheet[2], 0.03125);
    assert_value((double)sheet[3], 1.0);
    assert_true(sheet[4] == 0.25f && sheet[5] == 0.0f);
    assert_true(sheet[LINES_SHEET + 1] == 1.0f);
}

/* 2 m short of the tee line is 0.556 of the way from mark 3 to mark 4; the path along line 24 (x
 * 1.0625) is at x = 1.0625 * (1 - 2 / 38.405) = 1.0071687 there. */
static void a_stone_between_lines_and_marks(void **state)
{
    (void)state;
    const struct position position = board({0, 1.0, SHEET_TEE_Y - 2.0});
    float rows[SIZE];

    line_rows_of(&position, 1, SEAT_GOTE, rows);
    assert_stone(rows, 24, 3, OTHERS, 0.4338242, 0.4409044, -0.0105357);
    assert_stone(rows, 24, 4, OTHERS, 0.5422802, 0.5511304, -0.0131697);
    assert_value(sum_of(rows, NEAR), 0.0);
    assert_value(sum_of(rows, COUNTING), 0.0); /* not in the house */
    const float *sheet = rows + SHEET;
    assert_true(sheet[2] == 1.0f && sheet[3] == 1.0f); /* 2.24 m from the tee */
    assert_true(sheet[4] == 0.0f && sheet[5] == 0.0f);
}

/* Stones beyond the marks count fully at the first and the last mark. */
static void stones_beyond_the_marks(void **state)
{
    (void)state;
    const struct position position =
        board({1, 0.0, SHEET_HOG_LINE_Y + 0.1}, {2, 0.0, SHEET_TEE_Y + 1.9});
    float rows[SIZE];

    line_rows_of(&position, 3, SEAT_GOTE, rows);
    for (int line = 0; line < LINES; line++)
        for (int mark = 1; mark < LINES_DEPTHS; mark++)
            for (int what = NEAR; what <= SIDE; what++)
                assert_true(at(rows, line, mark, what) == 0.0f);
    for (int line = 0; line < LINES; line++)
        for (int mark = 0; mark < LINES_DEPTHS - 1; mark++)
            for (int what = OTHERS; what <= COUNTING; what++)
                assert_true(at(rows, line, mark, what) == 0.0f);
    /* Line 16 at 32.104: 0.0522458; at 40.305: 0.0655920. */
    assert_stone(rows, 16, 0, 0, 0.8258473, 0.9419491, -0.1640430);
    assert_stone(rows, 16, LINES_DEPTHS - 1, OTHERS, 0.7813598, 0.9271199, -0.2027056);
    assert_value((double)at(rows, 16, LINES_DEPTHS - 1, COUNTING), 0.7813598);
}

/* Stones at one place add up; only the stones that are nearer than the other side's nearest
 * count. */
static void stones_add_up(void **state)
{
    (void)state;
    const struct position position =
        board({0, 0.0, SHEET_TEE_Y}, {2, 0.0625, SHEET_TEE_Y}, {3, 0.0, SHEET_TEE_Y + 0.45},
              {4, 0.0, SHEET_TEE_Y + 0.9});
    float rows[SIZE];

    line_rows_of(&position, 5, SEAT_GOTE, rows);
    /* Line 16: 0.0625 m beside the first stone, on the second. */
    assert_stone(rows, 16, 8, OTHERS, 0.7916667 + 1.0, 0.9305556 + 1.0, -0.1938657);
    assert_value((double)at(rows, 16, 8, COUNTING), 1.7916667);
    assert_value((double)at(rows, 16, 9, COUNTING), 0.0);  /* nearest of the other side */
    assert_value((double)at(rows, 16, 10, COUNTING), 0.0); /* behind the other side's nearest */
    const float *sheet = rows + SHEET;
    assert_value((double)sheet[2], 0.225);
    assert_value((double)sheet[3], 0.0);
    assert_true(sheet[4] == 0.0f && sheet[5] == 0.5f);
}

/* Returns up to 16 stones anywhere in play, the same for each number. */
static struct position random_position(uint64_t number)
{
    struct random_key key = {.seed = number, .purpose = RANDOM_SCENE};
    struct position position = {0};
    for (uint64_t k = 0; k < POSITION_STONES; k++) {
        double x = random_uniform(&key, 3 * k), y = random_uniform(&key, 3 * k + 1);
        if (random_uniform(&key, 3 * k + 2) < 0.6)
            position_put(&position, (int)k,
                         (struct vec2){(2.0 * x - 1.0) * 2.23,
                                       SHEET_HOG_LINE_Y +
                                           y * (SHEET_BACK_LINE_Y + 0.145 - SHEET_HOG_LINE_Y)});
    }
    return position;
}

enum { POSITIONS = 500 };

static void the_mirror_image_is_seen_mirrored(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < POSITIONS; k++) {
        const struct position position = random_position(k), mirror = position_mirror(&position);
        enum seat mover = (enum seat)(k & 1);
        float rows[SIZE], mirrored[SIZE], twice[SIZE];

        line_rows_of(&position, (int)(k % 16), mover, rows);
        line_rows_of(&mirror, (int)(k % 16), mover, mirrored);
        memcpy(twice, rows, sizeof twice);
        line_rows_mirror(twice);
        assert_memory_equal(twice, mirrored, sizeof twice);
        assert_memory_not_equal(twice, rows, sizeof twice);
        line_rows_mirror(twice);
        assert_memory_equal(twice, rows, sizeof twice);
    }
}

static void the_other_seat_sees_own_and_others_exchanged(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < POSITIONS; k++) {
        const struct position position = random_position(k);
        float sente[SIZE], gote[SIZE];

        line_rows_of(&position, 4, SEAT_SENTE, sente);
        line_rows_of(&position, 4, SEAT_GOTE, gote);
        for (int line = 0; line < LINES; line++) {
            for (int mark = 0; mark < LINES_DEPTHS; mark++) {
                for (int what = NEAR; what <= SIDE; what++) {
                    assert_true(at(sente, line, mark, what) == at(gote, line, mark, OTHERS + what));
                    assert_true(at(gote, line, mark, what) == at(sente, line, mark, OTHERS + what));
                }
                assert_true(at(gote, line, mark, COUNTING) == at(sente, line, mark, COUNTING));
            }
            const float *a = sente + line * LINES_FEATURES + SHEET,
                        *b = gote + line * LINES_FEATURES + SHEET;
            assert_true(a[2] == b[3] && a[3] == b[2] && a[4] == b[5] && a[5] == b[4]);
        }
    }
}

/* The features use dc3's house. */
static void stones_count_as_in_the_rules(void **state)
{
    (void)state;
    const struct rules *rules = rules_find("dc3");
    int scored = 0;

    for (uint64_t k = 0; k < POSITIONS; k++) {
        struct position position = random_position(k), counting = {0};
        uint16_t which = score_counting(rules, &position, false);
        int points = score_position(rules, &position, false);
        float rows[SIZE], alone[SIZE];

        line_rows_of(&position, 0, SEAT_SENTE, rows);
        assert_value((double)(rows[SHEET + 4] - rows[SHEET + 5]), points / 4.0);
        /* The inputs if only the counting stones are present. */
        for (int stone = 0; stone < POSITION_STONES; stone++)
            if (which >> stone & 1)
                position_put(&counting, stone, position.stone[stone]);
        line_rows_of(&counting, 0, points > 0 ? SEAT_SENTE : SEAT_GOTE, alone);
        for (int line = 0; line < LINES; line++)
            for (int mark = 0; mark < LINES_DEPTHS; mark++)
                assert_value((double)at(rows, line, mark, COUNTING),
                             (double)at(alone, line, mark, NEAR));
        scored += points != 0;
    }
    assert_true(scored > POSITIONS / 2);
}

/* A draw to the tee line stops on the line of its action. */
static void lines_are_those_of_the_action_grid(void **state)
{
    (void)state;
    enum { TO_THE_TEE_LINE = 5 };
    const struct ice_profile *ice = ice_profile_find("dc3");
    const struct position empty = {0};
    int rested = 0;

    assert_int_equal(LINES, ACTION_LINES);
    for (int line = 0; line < LINES; line++) {
        int action = action_of_parts((struct action){
            line, TO_THE_TEE_LINE, line < 16 ? ACTION_SPIN_LEFT : ACTION_SPIN_RIGHT});
        struct throw_request request = {
            .ice = ice, .before = &empty, .stone = 0, .shot = action_shot(ice, action)};
        struct throw_result result;
        float rows[SIZE];

        assert_int_equal(throw_fast(&request, &result), THROW_OK);
        if (!position_has(&result.after, 0))
            continue; /* it has left across the side line */
        line_rows_of(&result.after, 1, SEAT_SENTE, rows);
        assert_true(at(rows, line, 8, NEAR) > 0.999f);
        for (int other = 0; other < LINES; other++)
            assert_true(other == line || at(rows, other, 8, NEAR) < 0.6f);
        rested++;
    }
    assert_true(rested > 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_sheet_has_only_constant_features),
        cmocka_unit_test(a_stone_on_a_line_and_a_mark),
        cmocka_unit_test(a_stone_between_lines_and_marks),
        cmocka_unit_test(stones_beyond_the_marks),
        cmocka_unit_test(stones_add_up),
        cmocka_unit_test(the_mirror_image_is_seen_mirrored),
        cmocka_unit_test(the_other_seat_sees_own_and_others_exchanged),
        cmocka_unit_test(stones_count_as_in_the_rules),
        cmocka_unit_test(lines_are_those_of_the_action_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
