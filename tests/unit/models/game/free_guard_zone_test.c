/* Fouls under every variant of the free guard zone. */
#include "models/game/free_guard_zone.h"

#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"
#include "tests/unit/models/game/remove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const four_shots[] = {"dc2", "dc3-four-rock", NULL};
static const char *const five_shots[] = {"dc3", "dc4", "dc4-no-tick", NULL};
static const char *const guard_rules[] = {
    "dc2", "dc3", "dc3-four-rock", "dc4", "dc4-no-tick", "dc4-library", NULL,
};

/* Returns the offended stone when shot `shot` knocks away one opponent guard at (x, 35) and the
 * delivered stone stays. */
static int offended_when_guard_goes(const char *name, int shot, double x)
{
    int guard = shot - 1;
    struct position before = board({guard, x, 35.0});
    struct position after = board({shot, x, 35.2});

    return free_guard_zone_offended(rules_find(name), &before, &after, shot);
}

static void first_shots_must_leave_opponent_guards_on_the_sheet(void **state)
{
    (void)state;
    for (int shot = 1; shot < 16; shot++) {
        for (int k = 0; four_shots[k]; k++)
            assert_int_equal(offended_when_guard_goes(four_shots[k], shot, 0.5),
                             shot < 4 ? shot - 1 : -1);
        for (int k = 0; five_shots[k]; k++)
            assert_int_equal(offended_when_guard_goes(five_shots[k], shot, 0.5),
                             shot < 5 ? shot - 1 : -1);
        assert_int_equal(offended_when_guard_goes("dc4-library", shot, 0.5),
                         shot < 6 ? shot - 1 : -1);
    }
}

static void foul_gives_back_every_stone_and_takes_the_delivered_one(void **state)
{
    (void)state;
    struct position before = board({0, 0.4, 35.0}, {1, -0.6, 38.0}, {2, 1.0, 37.0});
    struct position after = board({1, -0.9, 38.3}, {2, 1.0, 37.0}, {3, 0.4, 35.1});
    struct position settled;

    assert_int_equal(free_guard_zone_offended(rules_find("dc3"), &before, &after, 3), 0);
    assert_true(free_guard_zone_settle(rules_find("dc3"), &before, &after, 3, &settled));
    assert_memory_equal(&settled, &before, sizeof before);
    assert_false(position_has(&settled, 3));
}

static void legal_shot_leaves_the_stones_where_they_stopped(void **state)
{
    (void)state;
    struct position before = board({0, 0.4, 35.0});
    struct position after = board({0, 0.4, 36.5}, {1, 0.3, 35.0});
    struct position settled;

    assert_int_equal(free_guard_zone_offended(rules_find("dc3"), &before, &after, 1), -1);
    assert_false(free_guard_zone_settle(rules_find("dc3"), &before, &after, 1, &settled));
    assert_memory_equal(&settled, &after, sizeof after);
}

static void result_may_replace_either_input(void **state)
{
    (void)state;
    const struct position before = board({0, 0.4, 35.0});
    const struct position gone = board({1, 0.3, 35.0});
    struct position board;

    board = gone;
    assert_true(free_guard_zone_settle(rules_find("dc3"), &before, &board, 1, &board));
    assert_memory_equal(&board, &before, sizeof board);
    board = before;
    assert_true(free_guard_zone_settle(rules_find("dc3"), &board, &gone, 1, &board));
    assert_memory_equal(&board, &before, sizeof board);
    board = gone;
    assert_false(free_guard_zone_settle(rules_find("dc3"), &before, &board, 5, &board));
    assert_memory_equal(&board, &gone, sizeof board);
    board = before;
    assert_false(free_guard_zone_settle(rules_find("dc3"), &board, &gone, 5, &board));
    assert_memory_equal(&board, &gone, sizeof board);
}

static void own_guards_may_be_removed(void **state)
{
    (void)state;
    struct position before = board({0, 0.4, 35.0}, {1, -0.6, 35.0});
    struct position after = board({1, -0.6, 35.0}, {2, 0.4, 35.2});

    for (int k = 0; guard_rules[k]; k++)
        assert_int_equal(free_guard_zone_offended(rules_find(guard_rules[k]), &before, &after, 2),
                         -1);
}

/* Beside the house, the Digital Curling 4 server counts a stone touching the tee line as a guard
 * while its centre is short of that line; elsewhere it does not (42 crafted positions). */
static void side_guards_touching_the_tee_line_are_guards_of_dc4_alone(void **state)
{
    static const struct {
        const char *name;
        bool protects;
    } all[] = {{"dc2", false}, {"dc3", false},        {"dc3-four-rock", false},
               {"dc4", true},  {"dc4-no-tick", true}, {"dc4-library", false}};
    static const double xs[] = {-2.2, -2.1, -2.0, 1.98, 2.05, 2.15, 2.22};
    static const double ys[] = {38.2601, 38.29, 38.32, 38.35, 38.38, 38.4049};

    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        const struct rules *rules = rules_find(all[k].name);
        for (size_t x = 0; x < sizeof xs / sizeof xs[0]; x++)
            for (size_t y = 0; y < sizeof ys / sizeof ys[0]; y++) {
                struct position before = board({0, xs[x], ys[y]});
                struct position after = {0};
                assert_int_equal(free_guard_zone_offended(rules, &before, &after, 1),
                                 all[k].protects ? 0 : -1);
            }
    }
}

/* The zone of dc4 ends where a stone's centre reaches the tee line or its edge the house. */
static void the_zone_of_dc4_ends_at_the_tee_line_and_at_the_house(void **state)
{
    const struct rules *rules = rules_find("dc4");
    const double e = 1e-9, tee = 38.405;

    (void)state;
    assert_true(free_guard_zone_has(rules, (struct vec2){2.0, tee - e}));
    assert_false(free_guard_zone_has(rules, (struct vec2){2.0, tee}));
    assert_false(free_guard_zone_has(rules, (struct vec2){-2.0, tee + e}));
    for (int side = -1; side <= 1; side += 2) {
        assert_true(free_guard_zone_has(rules, (struct vec2){side * (1.974 + e), tee - 1e-6}));
        assert_false(free_guard_zone_has(rules, (struct vec2){side * (1.974 - e), tee - 1e-6}));
    }
    assert_true(free_guard_zone_has(rules, (struct vec2){0.0, tee - 1.974 - e}));
    assert_false(free_guard_zone_has(rules, (struct vec2){0.0, tee - 1.974 + e}));
}

static void stones_in_the_house_or_behind_the_tee_line_may_be_removed(void **state)
{
    (void)state;
    const struct vec2 unprotected[] = {
        {0.0, 38.405}, /* on the tee */
        {0.0, 36.435}, /* touching the front of the house */
        {2.2, 39.0},   /* beside the house, behind the tee line */
        {-1.9, 38.2},  /* in the wing of the house */
    };

    for (int k = 0; guard_rules[k]; k++)
        for (size_t p = 0; p < sizeof unprotected / sizeof unprotected[0]; p++) {
            const struct rules *rules = rules_find(guard_rules[k]);
            struct position before = board({0, unprotected[p].x, unprotected[p].y});
            struct position after = {0};
            assert_false(free_guard_zone_has(rules, unprotected[p]));
            assert_int_equal(free_guard_zone_offended(rules, &before, &after, 1), -1);
        }
}

static void zone_ends_at_tee_line_house_and_hog_line(void **state)
{
    (void)state;
    const double e = 1e-9;

    for (int k = 0; guard_rules[k]; k++) {
        const struct rules *rules = rules_find(guard_rules[k]);
        double house = 38.405 - rules->guard_house_radius;

        assert_true(free_guard_zone_has(rules, (struct vec2){0.0, house - e}));
        assert_false(free_guard_zone_has(rules, (struct vec2){0.0, house + e}));
        assert_true(free_guard_zone_has(rules, (struct vec2){2.2, rules->guard_far_y - e}));
        assert_false(free_guard_zone_has(rules, (struct vec2){2.2, rules->guard_far_y + e}));
        assert_true(free_guard_zone_has(rules, (struct vec2){0.0, 32.15 + e}));
    }
    /* The 1 mm between the two houses. */
    assert_true(free_guard_zone_has(rules_find("dc3"), (struct vec2){0.0, 38.405 - 1.9745}));
    assert_false(free_guard_zone_has(rules_find("dc2"), (struct vec2){0.0, 38.405 - 1.9745}));
    /* In dc2 and dc3 no guard lies short of the hog line; dc4 keeps such stones as guards. */
    assert_false(free_guard_zone_has(rules_find("dc2"), (struct vec2){0.0, 32.15 - e}));
    assert_false(free_guard_zone_has(rules_find("dc3"), (struct vec2){0.0, 32.149 - e}));
    assert_true(free_guard_zone_has(rules_find("dc4"), (struct vec2){0.0, 31.9}));
}

static void guard_may_be_pushed_into_the_house_except_for_the_library(void **state)
{
    (void)state;
    struct position before = board({0, 0.5, 35.0});
    struct position after = board({0, 0.5, 38.0}, {1, 0.5, 34.9});

    for (int k = 0; guard_rules[k]; k++) {
        const struct rules *rules = rules_find(guard_rules[k]);
        bool library = rules->protection == RULES_PROTECT_GUARDS_IN_ZONE;
        assert_int_equal(free_guard_zone_offended(rules, &before, &after, 1), library ? 0 : -1);
    }
}

static void library_lets_a_guard_move_within_the_zone(void **state)
{
    (void)state;
    struct position before = board({0, 0.5, 35.0});
    struct position within = board({0, 0.9, 36.0}, {1, 0.5, 34.9});
    struct position behind = board({0, 2.1, 38.5}, {1, 0.5, 34.9});

    assert_int_equal(free_guard_zone_offended(rules_find("dc4-library"), &before, &within, 1), -1);
    assert_int_equal(free_guard_zone_offended(rules_find("dc4-library"), &before, &behind, 1), 0);
}

static void dc2_guard_outside_the_play_area_counts_as_gone(void **state)
{
    (void)state;
    struct position before = board({0, 0.5, 35.0});
    /* Still reported, though pushed back over the hog line. */
    struct position after = board({0, 0.5, 32.1}, {1, 0.5, 34.9});

    assert_int_equal(free_guard_zone_offended(rules_find("dc2"), &before, &after, 1), 0);
    /* dc4 keeps a stone that was hit. */
    assert_int_equal(free_guard_zone_offended(rules_find("dc4"), &before, &after, 1), -1);
}

static int offended_when_guard_moves(const char *name, int shot, double from_x, double to_x)
{
    struct position before = board({shot - 1, from_x, 35.0});
    struct position after = board({shot - 1, to_x, 35.5}, {shot, 0.6, 36.0});

    return free_guard_zone_offended(rules_find(name), &before, &after, shot);
}

static void no_tick_keeps_centre_guards_on_the_centre_line(void **state)
{
    (void)state;
    for (int shot = 1; shot < 8; shot++) {
        int foul = shot < 5 ? shot - 1 : -1;
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, 0.0, 0.3), foul);
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, 0.145, 0.146), foul);
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, -0.145, -0.146), foul);
        /* The stone still touches the line: legal. */
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, 0.0, 0.145), -1);
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, 0.145, -0.145), -1);
        /* The stone did not touch the line before: not protected against ticks. */
        assert_int_equal(offended_when_guard_moves("dc4-no-tick", shot, 0.146, 0.5), -1);
    }
}

static void without_the_no_tick_rule_ticks_are_legal(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3", "dc3-four-rock", "dc4", "dc4-library", NULL};

    for (int k = 0; names[k]; k++)
        assert_int_equal(offended_when_guard_moves(names[k], 1, 0.0, 0.3), -1);
}

static void no_tick_spares_own_centre_guards(void **state)
{
    (void)state;
    struct position before = board({0, 0.0, 35.0});
    struct position after = board({0, 0.5, 35.0}, {2, 0.0, 34.9});

    assert_int_equal(free_guard_zone_offended(rules_find("dc4-no-tick"), &before, &after, 2), -1);
}

static void mixed_doubles_protects_every_stone_for_three_shots(void **state)
{
    (void)state;
    const struct rules *rules = rules_find("dc4-modified");

    for (int shot = 0; shot < rules->shots; shot++) {
        int delivered = rules_stone_of_shot(rules, shot);
        for (int lost = 0; lost < 2; lost++) { /* own or opponent's placed stone */
            struct position before = board({0, 0.0, 35.0}, {1, 0.0, 38.6});
            struct position after = before;
            position_put(&after, delivered, (struct vec2){1.0, 37.0});
            assert_int_equal(free_guard_zone_offended(rules, &before, &after, shot), -1);
            position_remove(&after, lost);
            assert_int_equal(free_guard_zone_offended(rules, &before, &after, shot),
                             shot < 3 ? lost : -1);
        }
    }
}

static void mixed_doubles_delivered_stone_may_go_through(void **state)
{
    (void)state;
    struct position before = board({0, 0.0, 35.0}, {1, 0.0, 38.6});
    struct position moved = board({0, 0.9, 37.5}, {1, 0.0, 39.6});

    assert_int_equal(free_guard_zone_offended(rules_find("dc4-modified"), &before, &before, 0), -1);
    assert_int_equal(free_guard_zone_offended(rules_find("dc4-modified"), &before, &moved, 0), -1);
}

static void lowest_of_several_offended_stones_is_named(void **state)
{
    (void)state;
    struct position before = board({0, 0.5, 35.0}, {2, -0.5, 35.0});
    struct position after = board({3, 0.0, 38.0});

    assert_int_equal(free_guard_zone_offended(rules_find("dc3"), &before, &after, 3), 0);
    after = board({0, 0.5, 35.0}, {3, 0.0, 38.0});
    assert_int_equal(free_guard_zone_offended(rules_find("dc3"), &before, &after, 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_shots_must_leave_opponent_guards_on_the_sheet),
        cmocka_unit_test(foul_gives_back_every_stone_and_takes_the_delivered_one),
        cmocka_unit_test(legal_shot_leaves_the_stones_where_they_stopped),
        cmocka_unit_test(result_may_replace_either_input),
        cmocka_unit_test(own_guards_may_be_removed),
        cmocka_unit_test(side_guards_touching_the_tee_line_are_guards_of_dc4_alone),
        cmocka_unit_test(the_zone_of_dc4_ends_at_the_tee_line_and_at_the_house),
        cmocka_unit_test(stones_in_the_house_or_behind_the_tee_line_may_be_removed),
        cmocka_unit_test(zone_ends_at_tee_line_house_and_hog_line),
        cmocka_unit_test(guard_may_be_pushed_into_the_house_except_for_the_library),
        cmocka_unit_test(library_lets_a_guard_move_within_the_zone),
        cmocka_unit_test(dc2_guard_outside_the_play_area_counts_as_gone),
        cmocka_unit_test(no_tick_keeps_centre_guards_on_the_centre_line),
        cmocka_unit_test(without_the_no_tick_rule_ticks_are_legal),
        cmocka_unit_test(no_tick_spares_own_centre_guards),
        cmocka_unit_test(mixed_doubles_protects_every_stone_for_three_shots),
        cmocka_unit_test(mixed_doubles_delivered_stone_may_go_through),
        cmocka_unit_test(lowest_of_several_offended_stones_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
