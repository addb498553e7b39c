/* Every field of every row of the rule tables, against known facts. */
#include "models/game/rules.h"

#include "models/game/position.h"
#include "models/game/sheet.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Areas and radii from the sources, in their own frames. */
enum { DC2, FCV1_TAKES_SHORT_STONES, FCV1_KEEPS_SHORT_STONES };

static const struct expected {
    const char *name, *ice;
    int shots, preplaced, stones, protected_shots;
    enum rules_protection protection;
    bool no_tick, inclusive, unlimited_extra_ends, can_concede;
    enum rules_tie tie;
    int geometry;
} table[] = {
    {"dc2", "dc2", 16, 0, 16, 4, RULES_PROTECT_GUARDS, false, false, false, true, RULES_TIE_NOBODY,
     DC2},
    {"dc3", "dc3", 16, 0, 16, 5, RULES_PROTECT_GUARDS, false, false, true, true, RULES_TIE_NOBODY,
     FCV1_TAKES_SHORT_STONES},
    {"dc3-four-rock", "dc3", 16, 0, 16, 4, RULES_PROTECT_GUARDS, false, false, true, true,
     RULES_TIE_NOBODY, FCV1_TAKES_SHORT_STONES},
    {"dc4", "dc4", 16, 0, 16, 5, RULES_PROTECT_GUARDS, false, true, true, false, RULES_TIE_TEAM0,
     FCV1_KEEPS_SHORT_STONES},
    {"dc4-no-tick", "dc4", 16, 0, 16, 5, RULES_PROTECT_GUARDS, true, true, true, false,
     RULES_TIE_TEAM0, FCV1_KEEPS_SHORT_STONES},
    {"dc4-modified", "dc4", 10, 1, 12, 3, RULES_PROTECT_ALL_STONES, false, true, true, false,
     RULES_TIE_TEAM0, FCV1_KEEPS_SHORT_STONES},
    {"dc4-library", "dc4", 16, 0, 16, 6, RULES_PROTECT_GUARDS_IN_ZONE, false, true, true, false,
     RULES_TIE_TEAM0, FCV1_KEEPS_SHORT_STONES},
};

enum { ROWS = sizeof table / sizeof table[0] };

static void every_row_says_what_its_server_does(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        const struct expected *e = &table[k];
        const struct rules *rules = rules_find(e->name);

        assert_non_null(rules);
        assert_string_equal(rules->name, e->name);
        assert_ptr_equal(profile_of(rules), profile_find(e->name));
        assert_string_equal(profile_of(rules)->name, e->name);
        assert_string_equal(profile_of(rules)->ice->name, e->ice);
        assert_true(strlen(profile_of(rules)->about) > 0);
        assert_int_equal(rules->shots, e->shots);
        assert_int_equal(rules->preplaced, e->preplaced);
        assert_int_equal(rules_stones(rules), e->stones);
        assert_true(rules_stones(rules) <= POSITION_STONES);
        assert_int_equal(rules->ends, 8);
        assert_int_equal(rules->extra_ends, e->unlimited_extra_ends ? RULES_ENDS_MAX : 0);
        assert_int_equal(rules->can_concede, e->can_concede);
        assert_int_equal(rules->protected_shots, e->protected_shots);
        assert_int_equal(rules->protection, e->protection);
        assert_near(rules->no_tick_half_width, e->no_tick ? 0.145 : 0.0, 0.0);
        assert_int_equal(rules->score_radius_inclusive, e->inclusive);
        assert_int_equal(rules->tie, e->tie);
    }
}

/* Points just inside and just outside every border, in the dc2 frame. */
static struct vec2 dc2(double x, double y)
{
    return (struct vec2){2.375 - x, 43.285 - y};
}

static void dc2_borders_lie_where_that_simulator_has_them(void **state)
{
    (void)state;
    const struct rules *rules = rules_find("dc2");
    const double e = 1e-9;

    assert_true(rules_area_has(&rules->play, dc2(0.145 + e, 5)));
    assert_false(rules_area_has(&rules->play, dc2(0.145 - e, 5)));
    assert_true(rules_area_has(&rules->play, dc2(4.605 - e, 5)));
    assert_false(rules_area_has(&rules->play, dc2(4.605 + e, 5)));
    assert_true(rules_area_has(&rules->play, dc2(2, 2.905 + e)));
    assert_false(rules_area_has(&rules->play, dc2(2, 2.905 - e)));
    assert_true(rules_area_has(&rules->play, dc2(2, 11.135 - e)));
    assert_false(rules_area_has(&rules->play, dc2(2, 11.135 + e)));

    /* A stone pushed back over the hog line stays visible until the next shot; one over the sides
     * or the back does not. */
    assert_true(rules_area_has(&rules->sheet, dc2(2, 11.5)));
    assert_true(rules_area_has(&rules->sheet, dc2(2, 45.405 - e)));
    assert_false(rules_area_has(&rules->sheet, dc2(2, 45.405 + e)));
    assert_false(rules_area_has(&rules->sheet, dc2(0.145 - e, 5)));
    assert_false(rules_area_has(&rules->sheet, dc2(4.605 + e, 5)));
    assert_false(rules_area_has(&rules->sheet, dc2(2, 2.905 - e)));

    assert_near(dc2(2.375, 4.88).x, SHEET_TEE_X, 1e-12);
    assert_near(dc2(2.375, 4.88).y, SHEET_TEE_Y, 1e-12);
    assert_near(rules->guard_near_y, 32.15, 1e-12);
    assert_near(rules->guard_far_y, 38.26, 1e-12);
    assert_near(rules->guard_house_radius, 1.975, 1e-12);
    assert_near(rules->score_radius, 1.98, 1e-12);
}

static void fcv1_borders_lie_where_that_simulator_has_them(void **state)
{
    (void)state;
    const double e = 1e-9;

    for (int k = 0; k < ROWS; k++) {
        if (table[k].geometry == DC2)
            continue;
        const struct rules *rules = rules_find(table[k].name);
        const struct rules_area *areas[] = {&rules->sheet, &rules->play};
        double near =
            table[k].geometry == FCV1_TAKES_SHORT_STONES ? 32.004 + 0.145 : -1.829 + 0.145;

        for (int a = 0; a < 2; a++) {
            assert_true(rules_area_has(areas[a], (struct vec2){2.23 - e, 38}));
            assert_false(rules_area_has(areas[a], (struct vec2){2.23 + e, 38}));
            assert_true(rules_area_has(areas[a], (struct vec2){-2.23 + e, 38}));
            assert_false(rules_area_has(areas[a], (struct vec2){-2.23 - e, 38}));
            assert_true(rules_area_has(areas[a], (struct vec2){0, 40.379 - e}));
            assert_false(rules_area_has(areas[a], (struct vec2){0, 40.379 + e}));
            assert_true(rules_area_has(areas[a], (struct vec2){0, near + e}));
            assert_false(rules_area_has(areas[a], (struct vec2){0, near - e}));
        }
        assert_near(rules->guard_near_y, near, 1e-12);
        bool is_server =
            strncmp(table[k].name, "dc4", 3) == 0 && strcmp(table[k].name, "dc4-library") != 0;
        assert_near(rules->guard_far_y, is_server ? 38.405 : 38.26, 1e-12);
        assert_near(rules->guard_house_radius, 1.974, 1e-12);
        assert_near(rules->score_radius, 1.974, 1e-12);
    }
}

static void nan_is_in_no_area(void **state)
{
    (void)state;
    const struct rules *rules = rules_find("dc3");

    assert_false(rules_area_has(&rules->sheet, (struct vec2){NAN, 38}));
    assert_false(rules_area_has(&rules->sheet, (struct vec2){0, NAN}));
    assert_false(rules_area_has(&rules->sheet, (struct vec2){INFINITY, 38}));
}

static void rows_are_listed_once_and_found_by_exact_name_only(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        assert_ptr_equal(&profile_at(k)->rules, rules_find(table[k].name));
        for (int other = 0; other < k; other++)
            assert_string_not_equal(profile_at(other)->name, profile_at(k)->name);
    }
    assert_null(profile_at(ROWS));
    assert_null(profile_at(-1));
    assert_null(rules_find("dc"));
    assert_null(rules_find("DC3"));
    assert_null(rules_find("dc5"));
    assert_null(rules_find(""));
}

static void placed_stones_come_before_delivered_ones(void **state)
{
    (void)state;
    const struct rules *dc3 = rules_find("dc3");
    const struct rules *mixed = rules_find("dc4-modified");

    assert_int_equal(rules_stone_of_shot(dc3, 0), 0);
    assert_int_equal(rules_stone_of_shot(dc3, 15), 15);
    assert_int_equal(rules_stone_of_shot(mixed, 0), 2);
    assert_int_equal(rules_stone_of_shot(mixed, 9), 11);
    /* Slot 0 of each team is the placed stone, with and without the hammer. */
    for (int hammer = 0; hammer < 2; hammer++)
        for (int team = 0; team < 2; team++)
            assert_true(stone_of_slot(team, 0, hammer) < 2 * mixed->preplaced);
}

static void slots_and_stones_convert_both_ways(void **state)
{
    (void)state;
    for (int hammer = 0; hammer < 2; hammer++)
        for (int stone = 0; stone < POSITION_STONES; stone++) {
            int team = team_of_stone(stone, hammer);
            assert_int_equal(stone_of_slot(team, slot_of_stone(stone), hammer), stone);
        }
    /* With team1's hammer team0 throws stones 0, 2, …; and vice versa. */
    assert_int_equal(stone_of_slot(0, 3, false), 6);
    assert_int_equal(stone_of_slot(1, 3, false), 7);
    assert_int_equal(stone_of_slot(0, 3, true), 7);
    assert_int_equal(stone_of_slot(1, 3, true), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_says_what_its_server_does),
        cmocka_unit_test(dc2_borders_lie_where_that_simulator_has_them),
        cmocka_unit_test(fcv1_borders_lie_where_that_simulator_has_them),
        cmocka_unit_test(nan_is_in_no_area),
        cmocka_unit_test(rows_are_listed_once_and_found_by_exact_name_only),
        cmocka_unit_test(placed_stones_come_before_delivered_ones),
        cmocka_unit_test(slots_and_stones_convert_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
