/* Queries in the words of servers: hands of throwers, updates of Digital Curling 3, states of
 * Digital Curling 2, the clock as the limit. */
#include "api/curling/shot_json.h"
#include "models/game/frame.h"
#include "tests/shot_query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NULLS "null,null,null,null,null,null,null,null"
#define STATE_AT(shot)                                                                             \
    "{\"end\":0,\"extra_end_score\":{\"team0\":null,\"team1\":null},\"game_result\":null,"         \
    "\"hammer\":\"team1\",\"scores\":{\"team0\":[null,null],\"team1\":[null,null]},\"shot\":" shot \
    ",\"stones\":{\"team0\":[" NULLS "],\"team1\":[" NULLS                                         \
    "]},\"thinking_time_remaining\":{\"team0\":50.5,\"team1\":60.0}}"
#define QUERY(shot, more) "{\"profile\":\"dc3\",\"state\":" STATE_AT(shot) more "}"
#define UPDATE(next, more)                                                               \
    "{\"cmd\":\"update\",\"last_move\":{\"actual_move\":{\"type\":\"concede\"}},\"next_" \
    "team\":" next ",\"state\":" STATE_AT("3") more "}"
#define PLAYER(speed)                                                                 \
    "{\"max_speed\":4.0,\"seed\":null,\"stddev_angle\":0.001,\"stddev_speed\":" speed \
    ",\"type\":\"normal_dist\"}"
#define TEAM0     PLAYER("0.01") "," PLAYER("0.02") "," PLAYER("0.03") ",{\"type\":\"identical\"}"
#define TEAM1     PLAYER("0.05") "," PLAYER("0.06") "," PLAYER("0.07") "," PLAYER("0.08")
#define SIMULATOR "{\"type\":\"fcv1\",\"seconds_per_frame\":0.001}"
#define GAME_OF(rule, width)                                                         \
    ",\"game\":{\"rule\":\"" rule "\",\"simulator\":" SIMULATOR                      \
    ",\"setting\":{\"max_end\":2,\"five_rock_rule\":false,\"sheet_width\":" width    \
    ",\"thinking_time\":{\"team0\":60,\"team1\":60}},\"players\":{\"team0\":[" TEAM0 \
    "],\"team1\":[" TEAM1 "]}}"
#define GAME GAME_OF("normal", "4.75")

static struct shot_query read_good(const char *text)
{
    struct shot_query query;
    struct strict_errors errors;

    if (!shot_query_read(text, strlen(text), &query, NULL, &errors))
        fail_msg("refused: %s: %s", errors.error[0].pointer, errors.error[0].message);
    return query;
}

static void refuses(const char *text, const char *pointer, const char *words)
{
    struct shot_query query;
    struct strict_errors errors;

    if (shot_query_read(text, strlen(text), &query, NULL, &errors))
        fail_msg("accepted: %s", text);
    if (strcmp(errors.error[0].pointer, pointer) != 0 || !strstr(errors.error[0].message, words))
        fail_msg("%s: %s", errors.error[0].pointer, errors.error[0].message);
}

static double speed_of(const struct shot_query *query, int team, int thrower)
{
    return query->hands[team][thrower].settings.stddev_speed_mps;
}

/* ---- hands ---- */

#define FOUR(a) "[" a "," a "," a "," a "]"

static void each_thrower_has_a_hand(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        QUERY("0", ",\"hands\":{\"team0\":[{\"stddev_speed\":0.01},null,{\"type\":\"identical\"},"
                   "{}],\"team1\":" FOUR("null") "}"));

    assert_true(query.has_hands);
    assert_true(fabs(speed_of(&query, 0, 0) - 0.01) < 1e-12);
    assert_true(isnan(speed_of(&query, 0, 1)) && isnan(speed_of(&query, 0, 3)));
    assert_true(query.hands[0][2].is_exact && !query.hands[0][0].is_exact);
}

static void hands_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    refuses(QUERY("0", ",\"hands\":{\"team0\":[null],\"team1\":" FOUR("null") "}"), "/hands/team0",
            "4");
    refuses(QUERY("0", ",\"hands\":{\"team0\":" FOUR("null") "}"), "/hands/team1", "missing");
    refuses(QUERY("0", ",\"noise\":{\"stddev_speed\":0.1},\"hands\":{\"team0\":" FOUR(
                           "null") ",\"team1\":" FOUR("null") "}"),
            "/hands", "noise");
    refuses(QUERY("0", ",\"hands\":{\"team0\":[{\"stddev_speed\":-1},null,null,null],"
                       "\"team1\":" FOUR("null") "}"),
            "/hands/team0/0/stddev_speed", "");
    refuses(QUERY("0", ",\"hands\":{\"team0\":[{\"gat_stddev_x\":1},null,null,null],"
                       "\"team1\":" FOUR("null") "}"),
            "/hands/team0/0/gat_stddev_x", "no such setting");
}

static void throwers_take_turns(void **state)
{
    const struct rules four = {.shots = 16}, two = {.shots = 10, .preplaced = 1};
    const int of_four[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    const int of_two[] = {0, 0, 1, 1, 1, 1, 1, 1, 0, 0};

    (void)state;
    for (int shot = 0; shot < 16; shot++)
        assert_int_equal(rules_thrower_of_shot(&four, shot), of_four[shot]);
    for (int shot = 0; shot < 10; shot++)
        assert_int_equal(rules_thrower_of_shot(&two, shot), of_two[shot]);
}

/* ---- updates of Digital Curling 3 ---- */

static void an_update_is_a_query(void **state)
{
    (void)state;
    struct shot_query query = read_good(UPDATE("\"team1\"", ",\"seed\":4"));

    assert_string_equal(query.game.rules->name, "dc3");
    assert_int_equal(query.game.ends, 2); /* as scores has entries */
    assert_int_equal(query.game.shot, 3);
    assert_int_equal(query.seed, 4);
    assert_false(query.has_hands);
}

static void the_game_beside_it_gives_profile_setting_and_hands(void **state)
{
    (void)state;
    struct shot_query query =
        read_good(UPDATE("\"team1\"", GAME ",\"player_order\":{\"team0\":[3,2,1,0]}"));

    assert_string_equal(query.game.rules->name, "dc3-four-rock");
    assert_int_equal(query.game.ends, 2);
    assert_true(query.has_hands && query.hands[0][0].is_exact);
    assert_true(fabs(speed_of(&query, 0, 3) - 0.01) < 1e-12);
    assert_true(fabs(speed_of(&query, 1, 0) - 0.05) < 1e-12);
    /* What the caller says himself counts. */
    query = read_good(UPDATE("\"team1\"", GAME ",\"noise\":{\"stddev_speed\":0.5}"));
    assert_false(query.has_hands);
}

static void updates_that_are_wrong_are_refused(void **state)
{
    (void)state;
    refuses(UPDATE("\"team0\"", ""), "/next_team", "team1 is next");
    refuses(UPDATE("null", ""), "/next_team", "");
    refuses(UPDATE("\"team1\"", GAME_OF("mix", "4.75")), "/game/rule", "cannot play with rule");
    refuses(UPDATE("\"team1\"", GAME_OF("normal", "5")), "/game/setting/sheet_width",
            "cannot play with sheet_width 5");
    refuses(UPDATE("\"team1\"", GAME ",\"player_order\":{\"team0\":[0,0,1,2]}"),
            "/player_order/team0/1", "already");
    refuses(UPDATE("\"team1\"", ",\"player_order\":{\"team0\":[0,1,2,3]}"), "/player_order",
            "without game");
    refuses("{\"cmd\":\"move\",\"state\":" STATE_AT("0") "}", "/cmd", "");
}

/* ---- the clock ---- */

static void the_clock_of_the_side_to_move_is_the_limit(void **state)
{
    (void)state;
    struct shot_query query = read_good(QUERY("0", ",\"limits\":{\"clock\":true}"));
    assert_true(query.has_clock && fabs(query.remaining_s - 50.5) < 1e-12);
    query = read_good(QUERY("1", ",\"limits\":{\"clock\":true,\"time_ms\":100}"));
    assert_true(fabs(query.remaining_s - 60.0) < 1e-12 && fabs(query.time_s - 0.1) < 1e-12);
    assert_false(read_good(QUERY("0", ",\"limits\":{\"clock\":false}")).has_clock);
    refuses("{\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\","
            "\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":[],\"team1\":[]}},"
            "\"limits\":{\"clock\":true}}",
            "/state/thinking_time_remaining/team0", "clock");
}

/* ---- Digital Curling 2 ---- */

#define ZEROS_28 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define NATIVE_OF(profile, shot, end, mover, position, scores)                           \
    "{\"profile\":\"" profile "\",\"state\":{\"native\":{\"shot\":" shot ",\"end\":" end \
    ",\"ends\":2,\"to_move\":" mover ",\"position\":[" position "," ZEROS_28 "]" scores "}}}"

static void a_state_of_digital_curling_2_is_turned_by_half(void **state)
{
    (void)state;
    /* The first stone lies 1 m to the server's right of the tee, the second one is out. */
    struct shot_query query =
        read_good(NATIVE_OF("dc2", "2", "1", "0", "3.375,4.88,0,0", ",\"scores\":[-2]"));
    const struct game *game = &query.game;

    assert_int_equal(game->hammer_team, 1); /* team0 throws an even shot */
    assert_int_equal(game->ends, 2);
    assert_int_equal(game->scores[1][0], 2);
    assert_int_equal(game->scores[0][0], 0);
    assert_int_equal(game->position.in_play, 1);
    assert_true(fabs(game->position.stone[0].x + 1.0) < 1e-9);
    assert_true(fabs(game->position.stone[0].y - SHEET_TEE_Y) < 1e-9);
    query = read_good(NATIVE_OF("dc2", "1", "0", "0", "3.375,4.88,0,0", ""));
    assert_int_equal(query.game.hammer_team, 0); /* team0 throws an odd shot */
}

/* Before the first shot the server still shows the end before. */
static void the_board_of_the_end_before_is_not_taken(void **state)
{
    (void)state;
    struct shot_query query =
        read_good(NATIVE_OF("dc2", "0", "1", "1", "3.375,4.88,2,5", ",\"scores\":[1]"));
    assert_int_equal(query.game.position.in_play, 0);
    assert_int_equal(query.game.hammer_team, 0);
}

static void native_states_that_are_wrong_are_refused(void **state)
{
    (void)state;
    refuses(NATIVE_OF("dc3", "0", "0", "0", "0,0,0,0", ""), "/state/native", "only profile dc2");
    refuses(NATIVE_OF("dc2", "16", "0", "0", "0,0,0,0", ""), "/state/native/shot", "");
    refuses(NATIVE_OF("dc2", "0", "1", "0", "0,0,0,0", ""), "/state/native/scores", "missing");
    refuses(NATIVE_OF("dc2", "0", "0", "0", "0,0,0", ""), "/state/native/position", "32");
    refuses(NATIVE_OF("dc2", "2", "0", "0", "0,0,0,\"1\"", ""), "/state/native/position/3", "");
    refuses(NATIVE_OF("dc2", "0", "0", "2", "0,0,0,0", ""), "/state/native/to_move", "");
    refuses(NATIVE_OF("dc2", "1", "0", "0", "0,0,3.0,4.0", ""), "/state/stones/team0/0", "thrown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thrower_has_a_hand),
        cmocka_unit_test(hands_that_do_not_fit_are_refused),
        cmocka_unit_test(throwers_take_turns),
        cmocka_unit_test(an_update_is_a_query),
        cmocka_unit_test(the_game_beside_it_gives_profile_setting_and_hands),
        cmocka_unit_test(updates_that_are_wrong_are_refused),
        cmocka_unit_test(the_clock_of_the_side_to_move_is_the_limit),
        cmocka_unit_test(a_state_of_digital_curling_2_is_turned_by_half),
        cmocka_unit_test(the_board_of_the_end_before_is_not_taken),
        cmocka_unit_test(native_states_that_are_wrong_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
