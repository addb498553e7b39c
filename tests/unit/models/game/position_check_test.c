/* Every fault of a position is found, with its stone and coordinate. */
#include "models/game/position_check.h"

#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Checks that the position has exactly this fault at this place; team1 has the hammer. */
static void finds(const char *rules, struct position position, int shot, enum position_error error,
                  int stone, int other, const char *path)
{
    struct position_fault fault;
    char text[40];

    assert_int_equal(position_check(rules_find(rules), &position, shot, &fault), error);
    assert_int_equal(fault.error, error);
    assert_int_equal(fault.stone, stone);
    assert_int_equal(fault.other, other);
    position_fault_path(&fault, false, sizeof text, text);
    assert_string_equal(text, path);
    /* The description is optional. */
    assert_int_equal(position_check(rules_find(rules), &position, shot, NULL), error);
}

static void passes(const char *rules, struct position position, int shot)
{
    struct position_fault fault, untouched;
    memset(&fault, 0x5a, sizeof fault);
    memcpy(&untouched, &fault, sizeof fault);
    assert_int_equal(position_check(rules_find(rules), &position, shot, &fault), POSITION_OK);
    assert_memory_equal(&fault, &untouched, sizeof fault);
}

static void ordinary_positions_pass(void **state)
{
    (void)state;
    for (int k = 0; profile_at(k); k++) {
        passes(profile_at(k)->name, (struct position){0}, 0);
        passes(profile_at(k)->name, (struct position){0}, profile_at(k)->rules.shots);
        passes(profile_at(k)->name, board({0, 0.0, TEE}, {1, 0.3, TEE}, {5, -2.2, 40.3}), 8);
    }
}

static void shot_number_must_exist(void **state)
{
    (void)state;
    finds("dc3", (struct position){0}, -1, POSITION_BAD_SHOT, -1, -1, "shot");
    finds("dc3", (struct position){0}, 17, POSITION_BAD_SHOT, -1, -1, "shot");
    finds("dc4-modified", (struct position){0}, 11, POSITION_BAD_SHOT, -1, -1, "shot");
    finds("dc2", (struct position){0}, INT32_MAX, POSITION_BAD_SHOT, -1, -1, "shot");
    finds("dc2", (struct position){0}, INT32_MIN, POSITION_BAD_SHOT, -1, -1, "shot");
}

static void nan_and_infinity_are_named_by_coordinate(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        finds("dc3", board({0, 0.0, TEE}, {6, bad[k], TEE}), 9, POSITION_NOT_FINITE, 6, -1,
              "stones.team0[3].position.x");
        finds("dc2", board({0, 0.0, TEE}, {7, 1.0, bad[k]}), 9, POSITION_NOT_FINITE, 7, -1,
              "stones.team1[3].position.y");
    }
}

static void slots_that_are_not_in_play_may_hold_anything(void **state)
{
    (void)state;
    struct position position = board({0, 0.0, TEE}, {1, NAN, 99.0});
    position.in_play = 1;
    passes("dc3", position, 2);
}

static void stones_off_the_sheet_are_named_by_coordinate(void **state)
{
    (void)state;
    const char *x = "stones.team1[1].position.x", *y = "stones.team1[1].position.y";

    for (int k = 0; profile_at(k); k++) {
        const char *name = profile_at(k)->name;
        passes(name, board({3, 2.2299, TEE}), 4);
        finds(name, board({3, 2.2301, TEE}), 4, POSITION_OUT_OF_SHEET, 3, -1, x);
        finds(name, board({3, -2.2301, TEE}), 4, POSITION_OUT_OF_SHEET, 3, -1, x);
        passes(name, board({3, 0.0, 40.3789}), 4);
        finds(name, board({3, 0.0, 40.3802}), 4, POSITION_OUT_OF_SHEET, 3, -1, y);
        finds(name, board({3, 0.0, -5.0}), 4, POSITION_OUT_OF_SHEET, 3, -1, y);
        finds(name, board({3, 1e300, -1e300}), 4, POSITION_OUT_OF_SHEET, 3, -1, x);
    }
}

static void short_of_the_hog_line_depends_on_the_rules(void **state)
{
    (void)state;
    struct position is_short = board({2, 0.0, 32.1});

    finds("dc3", is_short, 4, POSITION_OUT_OF_SHEET, 2, -1, "stones.team0[1].position.y");
    finds("dc3-four-rock", is_short, 4, POSITION_OUT_OF_SHEET, 2, -1, "stones.team0[1].position.y");
    passes("dc3", board({2, 0.0, 32.15}), 4);
    passes("dc2", is_short, 4); /* visible until the next shot */
    passes("dc4", is_short, 4); /* legal after a hit */
    passes("dc4-no-tick", is_short, 4);
    passes("dc4-modified", is_short, 4);
    passes("dc4-library", is_short, 4);
}

static void float32_rounding_at_the_edge_is_forgiven(void **state)
{
    (void)state;
    passes("dc3", board({0, (double)2.23f, TEE}, {1, 0.0, (double)40.379f}, {2, 1.0, 32.149}), 3);
    passes("dc2", board({0, 2.23, TEE}, {1, 0.0, 40.38 + 4e-6}), 2);
}

static void overlapping_stones_are_both_named(void **state)
{
    (void)state;
    finds("dc3", board({2, 0.0, TEE}, {4, 1.0, TEE}, {9, 0.2, TEE}), 12, POSITION_OVERLAP, 9, 2,
          "stones.team1[4].position");
    finds("dc2", board({0, 0.5, 36.0}, {1, 0.5, 36.0}), 2, POSITION_OVERLAP, 1, 0,
          "stones.team1[0].position");
    /* An overlap has no single coordinate. */
    finds("dc4", board({0, 0.0, 36.0}, {3, 0.2, 36.2}), 4, POSITION_OVERLAP, 3, 0,
          "stones.team1[1].position");
    passes("dc4", board({0, 0.0, 36.0}, {3, 0.21, 36.21}), 4);
}

static void touching_stones_may_overlap_by_the_simulators_slop(void **state)
{
    (void)state;
    passes("dc3", board({0, 0.0, TEE}, {1, 0.290, TEE}), 2);
    passes("dc3", board({0, 0.0, TEE}, {1, 0.285, TEE}), 2);
    passes("dc3", board({0, 0.0, TEE}, {1, 0.2841, TEE}), 2);
    finds("dc3", board({0, 0.0, TEE}, {1, 0.2839, TEE}), 2, POSITION_OVERLAP, 1, 0,
          "stones.team1[0].position");
}

static void stones_not_thrown_yet_are_named(void **state)
{
    (void)state;
    /* Before shot 5, stones 0 … 4 exist. */
    passes("dc3", board({0, 0.0, 35.0}, {4, 1.0, 36.0}), 5);
    finds("dc3", board({0, 0.0, 35.0}, {5, 1.0, 36.0}), 5, POSITION_NOT_YET_THROWN, 5, -1,
          "stones.team1[2]");
    finds("dc3", board({14, 0.0, 35.0}), 5, POSITION_NOT_YET_THROWN, 14, -1, "stones.team0[7]");
    /* The first of several is named. */
    finds("dc3", board({7, 0.0, 35.0}, {9, 1.0, 36.0}), 5, POSITION_NOT_YET_THROWN, 7, -1,
          "stones.team1[3]");
    passes("dc3", board({15, 0.0, 35.0}), 16);
    finds("dc3", board({15, 0.0, 35.0}), 15, POSITION_NOT_YET_THROWN, 15, -1, "stones.team1[7]");
}

static void too_many_stones_of_a_team_are_named(void **state)
{
    (void)state;
    finds("dc3", board({0, 0.0, 35.0}), 0, POSITION_TOO_MANY_STONES, 0, -1, "stones.team0[0]");
    finds("dc3", board({0, 0.0, 35.0}, {2, 1.0, 35.0}, {4, -1.0, 35.0}), 3,
          POSITION_TOO_MANY_STONES, 4, -1, "stones.team0[2]");
    /* gote has thrown one of its three stones */
    finds("dc2", board({1, 0.0, 35.0}, {7, 1.0, 35.0}), 3, POSITION_TOO_MANY_STONES, 7, -1,
          "stones.team1[3]");
}

static void mixed_doubles_has_six_stones_a_team(void **state)
{
    (void)state;
    struct position full = {0};
    for (int k = 0; k < 12; k++)
        position_put(&full, k, (struct vec2){-1.8 + 0.3 * k, 37.0});
    passes("dc4-modified", full, 10);
    position_put(&full, 12, (struct vec2){0.0, 34.0});
    finds("dc4-modified", full, 10, POSITION_TOO_MANY_STONES, 12, -1, "stones.team0[6]");
    /* The placed stones are there before the first shot. */
    passes("dc4-modified", board({0, 0.0, 35.0}, {1, 0.0, 38.6}), 0);
    finds("dc4-modified", board({0, 0.0, 35.0}, {2, 0.0, 38.6}), 0, POSITION_TOO_MANY_STONES, 2, -1,
          "stones.team0[1]");
}

/* Slots are checked first, then numbers, places and overlaps. */
static void first_fault_is_reported(void **state)
{
    (void)state;
    finds("dc3", board({0, NAN, TEE}, {9, 0.0, TEE}), 4, POSITION_NOT_YET_THROWN, 9, -1,
          "stones.team1[4]");
    finds("dc3", board({0, 0.0, 0.0}, {1, 0.0, 0.0}), 4, POSITION_OUT_OF_SHEET, 0, -1,
          "stones.team0[0].position.y");
}

static void path_follows_the_hammer(void **state)
{
    (void)state;
    struct position position = board({6, NAN, TEE});
    struct position_fault fault;
    char text[40];

    position_check(rules_find("dc3"), &position, 8, &fault);
    position_fault_path(&fault, false, sizeof text, text);
    assert_string_equal(text, "stones.team0[3].position.x");
    position_fault_path(&fault, true, sizeof text, text);
    assert_string_equal(text, "stones.team1[3].position.x");
    position_fault_path(&fault, true, 7, text); /* a short buffer truncates; the text stays
                                                 * terminated */
    assert_string_equal(text, "stones");
}

static void every_error_has_its_own_text(void **state)
{
    (void)state;
    for (int k = 0; k <= POSITION_OVERLAP; k++)
        for (int other = 0; other < k; other++)
            assert_string_not_equal(position_error_text((enum position_error)k),
                                    position_error_text((enum position_error)other));
    assert_string_equal(position_error_text((enum position_error)99), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_positions_pass),
        cmocka_unit_test(shot_number_must_exist),
        cmocka_unit_test(nan_and_infinity_are_named_by_coordinate),
        cmocka_unit_test(slots_that_are_not_in_play_may_hold_anything),
        cmocka_unit_test(stones_off_the_sheet_are_named_by_coordinate),
        cmocka_unit_test(short_of_the_hog_line_depends_on_the_rules),
        cmocka_unit_test(float32_rounding_at_the_edge_is_forgiven),
        cmocka_unit_test(overlapping_stones_are_both_named),
        cmocka_unit_test(touching_stones_may_overlap_by_the_simulators_slop),
        cmocka_unit_test(stones_not_thrown_yet_are_named),
        cmocka_unit_test(too_many_stones_of_a_team_are_named),
        cmocka_unit_test(mixed_doubles_has_six_stones_a_team),
        cmocka_unit_test(first_fault_is_reported),
        cmocka_unit_test(path_follows_the_hammer),
        cmocka_unit_test(every_error_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
