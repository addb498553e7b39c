/* A mirrored situation gives the mirrored result, and mirroring twice restores it. */

#include "models/game/free_guard_zone.h"
#include "models/game/position_check.h"
#include "models/game/score.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"
#include "tests/unit/models/game/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A fixed sequence of scattered positions from an ordinary 32-bit congruential generator. */
static double next_unit(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

static struct position scattered(uint32_t *seed, int stones)
{
    struct position position = {0};
    for (int k = 0; k < stones; k++)
        if (next_unit(seed) < 0.7) {
            double x = 4.4 * next_unit(seed) - 2.2;
            double y = 32.2 + 8.1 * next_unit(seed);
            position_put(&position, k, (struct vec2){x, y});
        }
    return position;
}

static void mirror_turns_x_and_the_spin(void **state)
{
    (void)state;
    struct position position = board({3, 0.25, 36.0}, {4, -1.5, 39.0});
    struct position expected = board({3, -0.25, 36.0}, {4, 1.5, 39.0});
    struct position mirrored = position_mirror(&position);
    struct shot shot = {{0.25, 2.4}, -1.5};
    struct shot mirrored_shot = shot_mirror(&shot);

    assert_memory_equal(&mirrored.stone, &expected.stone, sizeof expected.stone);
    assert_int_equal(mirrored.in_play, expected.in_play);
    assert_near(mirrored_shot.velocity.x, -0.25, 0.0);
    assert_near(mirrored_shot.velocity.y, 2.4, 0.0);
    assert_near(mirrored_shot.omega, 1.5, 0.0);
}

static void mirroring_twice_changes_nothing(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int n = 0; n < 1000; n++) {
        struct position position = scattered(&seed, 16);
        struct position once = position_mirror(&position);
        struct position twice = position_mirror(&once);
        assert_memory_equal(&twice.stone, &position.stone, sizeof position.stone);
        assert_int_equal(twice.in_play, position.in_play);

        struct shot shot = {{next_unit(&seed) - 0.5, next_unit(&seed)}, next_unit(&seed) - 0.5};
        struct shot shot_once = shot_mirror(&shot);
        struct shot shot_twice = shot_mirror(&shot_once);
        assert_memory_equal(&shot_twice, &shot, sizeof shot);
    }
}

/* -0.0 would make equal positions differ byte for byte. */
static void centre_line_and_empty_slots_stay_plain_zero(void **state)
{
    (void)state;
    struct position position = board({5, 0.0, 38.405});
    struct position mirrored = position_mirror(&position);
    struct shot shot = {{0.0, 2.4}, 0.0}, mirrored_shot = shot_mirror(&shot);

    assert_memory_equal(&mirrored.stone, &position.stone, sizeof position.stone);
    assert_memory_equal(&mirrored_shot, &shot, sizeof shot);
}

static void score_fouls_and_faults_do_not_see_the_mirror(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int fouls = 0, scores = 0, faults = 0;

    for (int n = 0; n < 2000; n++) {
        int shot = n % 6;
        struct position before = scattered(&seed, shot);
        struct position after = scattered(&seed, shot + 1);
        after.in_play &= (uint16_t)(before.in_play | 1u << shot);
        struct position before_m = position_mirror(&before), after_m = position_mirror(&after);

        for (int k = 0; profile_at(k); k++) {
            const struct rules *rules = &profile_at(k)->rules;
            int score = score_position(rules, &after, false);
            int offended = free_guard_zone_offended(rules, &before, &after, shot);
            enum position_error error = position_check(rules, &after, shot + 1, NULL);

            assert_int_equal(score_position(rules, &after_m, false), score);
            assert_int_equal(free_guard_zone_offended(rules, &before_m, &after_m, shot), offended);
            assert_int_equal(position_check(rules, &after_m, shot + 1, NULL), error);
            scores += score != 0;
            fouls += offended >= 0;
            faults += error != POSITION_OK;
        }
    }
    /* The positions do trigger the rules. */
    assert_true(scores > 1000 && fouls > 1000 && faults > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirror_turns_x_and_the_spin),
        cmocka_unit_test(mirroring_twice_changes_nothing),
        cmocka_unit_test(centre_line_and_empty_slots_stay_plain_zero),
        cmocka_unit_test(score_fouls_and_faults_do_not_see_the_mirror),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
