/* Faults of games from outside. */
#include "models/game/game.h"

#include "tests/unit/models/game/started.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A game from outside: 4 ends, the second running, team 1 leads 2:0, team 0 has the hammer. */
static struct game from_outside(void)
{
    struct game game = started("dc3", 4, 2);
    game.end = 1;
    game.shot = 5;
    game.hammer_team = 0;
    game.scores[1][0] = 2;
    game.position = board({0, 0.0, 35.0}, {3, 0.4, TEE});
    return game;
}

static void blames(struct game game, enum game_error error, const char *path)
{
    struct game_fault fault;
    char text[40];

    assert_int_equal(game_check(&game, &fault), error);
    assert_int_equal(fault.error, error);
    game_fault_path(&game, &fault, sizeof text, text);
    assert_string_equal(text, path);
    assert_int_equal(game_check(&game, NULL), error);
}

static void sound_game_from_outside_passes(void **state)
{
    (void)state;
    struct game game = from_outside();
    struct game_fault fault, untouched;
    memset(&fault, 0x5a, sizeof fault);
    memcpy(&untouched, &fault, sizeof fault);

    assert_int_equal(game_check(&game, &fault), GAME_OK);
    assert_memory_equal(&fault, &untouched, sizeof fault);
}

static void wrong_settings_are_blamed(void **state)
{
    (void)state;
    struct game game = from_outside();

    game.ends = 0;
    blames(game, GAME_BAD_ENDS, "setting.max_end");
    game.ends = 256;
    blames(game, GAME_BAD_ENDS, "setting.max_end");
    game.ends = 4;
    game.extra_ends = -1;
    blames(game, GAME_BAD_EXTRA_ENDS, "setting.extra_ends");
    game.extra_ends = 256;
    blames(game, GAME_BAD_EXTRA_ENDS, "setting.extra_ends");
}

static void wrong_end_shot_and_hammer_are_blamed(void **state)
{
    (void)state;
    struct game game = from_outside();

    game.end = -1;
    blames(game, GAME_BAD_END, "end");
    game.end = 7; /* 4 ends and 2 extra ends */
    blames(game, GAME_BAD_END, "end");
    game.end = INT32_MAX;
    blames(game, GAME_BAD_END, "end");
    game = from_outside();
    game.shot = -1;
    blames(game, GAME_BAD_SHOT, "shot");
    game.shot = 16;
    blames(game, GAME_BAD_SHOT, "shot");
    game = from_outside();
    game.hammer_team = 2;
    blames(game, GAME_BAD_HAMMER, "hammer");
    game.hammer_team = -1;
    blames(game, GAME_BAD_HAMMER, "hammer");
}

static void end_after_a_decided_game_is_blamed(void **state)
{
    (void)state;
    struct game game = from_outside();

    game.end = 4; /* over: 2:0 after four ends */
    blames(game, GAME_BAD_END, "end");
    game.end = 5;
    blames(game, GAME_BAD_END, "end");
    game.scores[0][3] = 2; /* level: two extra ends follow */
    game.end = 4;
    assert_int_equal(game_check(&game, NULL), GAME_OK);
    game.end = 5;
    assert_int_equal(game_check(&game, NULL), GAME_OK);
    game.scores[0][4] = 1; /* the first extra end decided it */
    blames(game, GAME_BAD_END, "end");
    game.scores[0][4] = 0;
    game.end = 6; /* all extra ends played */
    blames(game, GAME_BAD_END, "end");
}

static void wrong_scores_are_blamed_by_team_and_end(void **state)
{
    (void)state;
    struct game game = from_outside();

    game.scores[1][0] = 9;
    blames(game, GAME_BAD_SCORE, "scores.team1[0]");
    game.scores[1][0] = -1;
    blames(game, GAME_BAD_SCORE, "scores.team1[0]");
    game.scores[1][0] = 2;
    game.scores[0][0] = 1; /* both score */
    blames(game, GAME_BAD_SCORE, "scores.team1[0]");
    game = from_outside();
    game.scores[0][1] = 1; /* the current end */
    blames(game, GAME_SCORE_TOO_EARLY, "scores.team0[1]");
    game = from_outside();
    game.scores[1][3] = 1;
    blames(game, GAME_SCORE_TOO_EARLY, "scores.team1[3]");
    game = from_outside();
    game.scores[0][4] = 1;
    blames(game, GAME_SCORE_TOO_EARLY, "extra_end_score.team0");

    struct game mixed = started("dc4-modified", 8, 1);
    mixed.end = 1;
    mixed.scores[0][0] = 7; /* six stones a team */
    blames(mixed, GAME_BAD_SCORE, "scores.team0[0]");
}

static void results_that_do_not_follow_are_blamed(void **state)
{
    (void)state;
    static const struct {
        enum game_reason reason;
        int winner;
        bool running, decided, level; /* right after 1 of 4 ends; after 4 ends, 2:0; after 6
                                       * ends, 0:0 */
    } claims[] = {
        {GAME_RUNNING, -1, true, false, false},
        {GAME_RUNNING, 0, false, false, false},
        {GAME_WON_BY_SCORE, 1, false, true, false},
        {GAME_WON_BY_SCORE, 0, false, false, false},
        {GAME_WON_BY_SCORE, -1, false, false, false},
        {GAME_WON_BY_CONCESSION, 0, true, false, false},
        {GAME_WON_BY_CONCESSION, 1, true, false, false},
        {GAME_WON_BY_CONCESSION, -1, false, false, false},
        {GAME_WON_BY_TIME, 0, true, false, false},
        {GAME_WON_BY_TIME, 2, false, false, false},
        {GAME_DRAWN, -1, false, false, true},
        {GAME_DRAWN, 0, false, false, false},
        {(enum game_reason)9, -1, false, false, false},
    };

    for (size_t k = 0; k < sizeof claims / sizeof claims[0]; k++)
        for (int at = 0; at < 3; at++) {
            struct game game = from_outside();
            game.end = (int[]){1, 4, 6}[at];
            if (at == 2)
                game.scores[1][0] = 0;
            game.result.reason = claims[k].reason;
            game.result.winner = claims[k].winner;
            bool right = (bool[]){claims[k].running, claims[k].decided, claims[k].level}[at];
            enum game_error error = game_check(&game, NULL);
            if (right)
                assert_int_equal(error, GAME_OK);
            else if (at > 0 && claims[k].reason == GAME_RUNNING)
                blames(game, GAME_BAD_END, "end"); /* the game cannot have reached this end */
            else
                blames(game, GAME_BAD_RESULT, "game_result");
        }

    struct game dc4 = started("dc4", 8, 1);
    dc4.result.reason = GAME_WON_BY_CONCESSION;
    dc4.result.winner = 0;
    blames(dc4, GAME_BAD_RESULT, "game_result");
}

static void wrong_stones_are_blamed_by_team_slot_and_coordinate(void **state)
{
    (void)state;
    struct game game = from_outside(); /* team 0 has the hammer: odd stones */

    game.position = board({3, NAN, TEE});
    blames(game, GAME_BAD_STONES, "stones.team0[1].position.x");
    game.position = board({4, 0.0, 12.0});
    blames(game, GAME_BAD_STONES, "stones.team1[2].position.y");
    game.position = board({0, 0.0, TEE}, {1, 0.1, TEE});
    blames(game, GAME_BAD_STONES, "stones.team0[0].position");
    game.position = board({8, 0.0, TEE});
    blames(game, GAME_BAD_STONES, "stones.team1[4]");

    struct game_fault fault;
    game.position = board({0, 0.0, TEE}, {1, 0.1, TEE});
    assert_int_equal(game_check(&game, &fault), GAME_BAD_STONES);
    assert_int_equal(fault.position.error, POSITION_OVERLAP);
    assert_int_equal(fault.position.other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_game_from_outside_passes),
        cmocka_unit_test(wrong_settings_are_blamed),
        cmocka_unit_test(wrong_end_shot_and_hammer_are_blamed),
        cmocka_unit_test(end_after_a_decided_game_is_blamed),
        cmocka_unit_test(wrong_scores_are_blamed_by_team_and_end),
        cmocka_unit_test(results_that_do_not_follow_are_blamed),
        cmocka_unit_test(wrong_stones_are_blamed_by_team_slot_and_coordinate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
