/* The codec of shot queries: an update's state can be pasted, teams and slots are mapped correctly,
 * every mistake is named by its JSON pointer, and answers contain only numbers that JSON can
 * express. */
#include "api/curling/shot_json.h"
#include "tests/shot_query.h"

#include "api/curling/game_json.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers ---- */

/* assert_float_equal() rounds to float32 first. */
#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

#define NULLS_7   "null,null,null,null,null,null,null"
#define NO_STONES "[null," NULLS_7 "]"
#define EMPTY     "{\"team0\":" NO_STONES ",\"team1\":" NO_STONES "}"
#define NO_SCORES "{\"team0\":[],\"team1\":[]}"
#define STATE     STATE_OF("0", "0", "\"team1\"", NO_SCORES, EMPTY)
#define STATE_OF(end, shot, hammer, scores, stones)                               \
    "{\"end\":" end ",\"shot\":" shot ",\"hammer\":" hammer ",\"scores\":" scores \
    ",\"stones\":" stones "}"
#define QUERY_OF(state, more) "{\"profile\":\"dc3\",\"state\":" state more "}"
/* A query with further fields, each preceded by a comma. */
#define QUERY(more) QUERY_OF(STATE, more)
/* A query with that stone in team0's first slot. */
#define STONE(stone)                                                                  \
    QUERY_OF(STATE_OF("0", "4", "\"team1\"", NO_SCORES,                               \
                      "{\"team0\":[" stone "," NULLS_7 "],\"team1\":" NO_STONES "}"), \
             "")

static struct shot_query read_good(const char *text)
{
    struct shot_query query;
    struct strict_errors errors;

    if (!shot_query_read(text, strlen(text), &query, NULL, &errors))
        fail_msg("refused: %s: %s", errors.error[0].pointer, errors.error[0].message);
    assert_int_equal(errors.count, 0);
    assert_int_equal(game_check(&query.game, NULL), GAME_OK);
    return query;
}

static struct strict_errors read_bad(const char *text)
{
    struct shot_query query, untouched;
    struct strict_errors errors;

    memset(&query, 0x5a, sizeof query);
    untouched = query;
    if (shot_query_read(text, strlen(text), &query, NULL, &errors))
        fail_msg("not refused: %s", text);
    assert_memory_equal(&query, &untouched, sizeof query);
    assert_true(errors.count > 0);
    return errors;
}

/* The query has exactly this mistake. */
static void refuses(const char *text, const char *pointer, const char *code, const char *message)
{
    struct strict_errors errors = read_bad(text);

    assert_string_equal(errors.error[0].pointer, pointer);
    assert_string_equal(errors.error[0].code, code);
    if (!strstr(errors.error[0].message, message))
        fail_msg("\"%s\" does not say \"%s\"", errors.error[0].message, message);
    assert_int_equal(errors.count, 1);
}

static json_t *member(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!value)
        fail_msg("no \"%s\"", key);
    return value;
}

static double number(json_t *object, const char *key)
{
    json_t *value = member(object, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* ---- good queries ---- */

static void the_least_query_has_the_defaults(void **state)
{
    (void)state;
    struct shot_query query = read_good(QUERY(""));

    assert_int_equal(query.id.kind, STRICT_ID_NONE);
    assert_string_equal(query.game.rules->name, "dc3");
    assert_int_equal(query.game.ends, 8);
    assert_int_equal(query.game.extra_ends, RULES_ENDS_MAX);
    assert_string_equal(query.player, "");
    assert_true(query.time_s == 0.0 && query.timeout_s == 0.0 && query.report_interval_s == 0.0);
    assert_int_equal(query.simulations, 0);
    assert_int_equal(query.seed, 0);
    assert_int_equal(query.candidates, 5);
    assert_true(isnan(query.noise.stddev_speed_mps) && isnan(query.noise.gat_stddev_x_m));
}

static void every_field_is_read(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        QUERY(",\"id\":\"q1\",\"setting\":{\"max_end\":10,\"extra_ends\":0},"
              "\"player\":\"kr-uct:simulations=1600\",\"limits\":{\"time_ms\":3000,"
              "\"simulations\":20000},\"noise\":{\"stddev_speed\":0.0076,\"stddev_angle\":0.0018,"
              "\"max_speed\":4},\"seed\":9223372036854775807,\"top_k\":32,\"timeout_ms\":5000,"
              "\"report_interval_ms\":100"));

    assert_int_equal(query.id.kind, STRICT_ID_TEXT);
    assert_string_equal(query.id.text, "q1");
    assert_int_equal(query.game.ends, 10);
    assert_int_equal(query.game.extra_ends, 0);
    assert_string_equal(query.player, "kr-uct:simulations=1600");
    close_to(query.time_s, 3.0, 0.0);
    assert_int_equal(query.simulations, 20000);
    close_to(query.noise.stddev_speed_mps, 0.0076, 0.0);
    close_to(query.noise.stddev_angle_rad, 0.0018, 0.0);
    close_to(query.noise.max_speed_mps, 4.0, 0.0);
    assert_true(query.seed == INT64_MAX);
    assert_int_equal(query.candidates, 32);
    close_to(query.timeout_s, 5.0, 0.0);
    close_to(query.report_interval_s, 0.1, 0.0);
}

static void an_update_of_digital_curling_3_can_be_pasted(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        "{\"profile\":\"dc3\",\"setting\":{\"max_end\":2},\"state\":"
        "{\"end\":1,\"extra_end_score\":{\"team0\":null,\"team1\":null},\"game_result\":null,"
        "\"hammer\":\"team0\",\"scores\":{\"team0\":[0,null],\"team1\":[2,null]},\"shot\":3,"
        "\"stones\":{\"team0\":[null," NULLS_7 "],\"team1\":[{\"angle\":37.9014854,"
        "\"position\":{\"x\":-0.0194599,\"y\":38.0384483}},{\"angle\":-75.1,\"position\":"
        "{\"x\":0.5,\"y\":36.5}},null,null,null,null,null,null]},"
        "\"thinking_time_remaining\":{\"team0\":59.853,\"team1\":60.0}}}");

    assert_int_equal(query.game.end, 1);
    assert_int_equal(query.game.shot, 3);
    assert_int_equal(query.game.hammer_team, 0);
    assert_int_equal(query.game.scores[1][0], 2);
    assert_int_equal(game_total(&query.game, 1), 2);
    /* team0 has the hammer, so team1 threw shots 0 and 2, and team0 throws shot 3. */
    assert_int_equal(query.game.position.in_play, 1 << 0 | 1 << 2);
    close_to(query.game.position.stone[0].y, 38.0384483, 1e-12);
    close_to(query.game.position.stone[2].x, 0.5, 0.0);
    assert_int_equal(game_next_team(&query.game), 0);
}

/* The game is a server's word; a hand of the query itself is not. */
static void a_player_of_a_server_may_have_members_that_nobody_knows(void **state)
{
    (void)state;
    struct shot_query query =
        read_good(QUERY(",\"game\":{\"rule\":\"normal\",\"setting\":{\"max_end\":2},"
                        "\"simulator\":{\"type\":\"fcv1\"},\"players\":{\"team0\":["
                        "{\"name\":\"Lead\",\"stddev_speed\":0.02},null,null,null]}}"));

    assert_true(query.has_hands);
    close_to(query.hands[0][0].settings.stddev_speed_mps, 0.02, 0.0);
    shot_query_free(&query);
    refuses(QUERY(",\"hands\":{\"team0\":[{\"name\":\"Lead\"},null,null,null],\"team1\":[null,null,"
                  "null,null]}"),
            "/hands/team0/0/name", "unknown", "unknown field");
}

static void slots_are_deliveries_of_a_team(void **state)
{
    (void)state;
    const char *stones = "{\"team0\":[null,{\"position\":{\"x\":1,\"y\":37}},null,null,null,null,"
                         "null,null],\"team1\":[{\"position\":{\"x\":-1,\"y\":36.5}}," NULLS_7 "]}";
    char text[1024];

    /* team1 has the hammer: team0's second stone was shot 2, team1's first was shot 1. */
    snprintf(text, sizeof text, QUERY_OF(STATE_OF("0", "4", "\"team1\"", NO_SCORES, "%s"), ""),
             stones);
    struct shot_query query = read_good(text);
    assert_int_equal(query.game.position.in_play, 1 << 2 | 1 << 1);
    close_to(query.game.position.stone[2].x, 1.0, 0.0);
    close_to(query.game.position.stone[1].y, 36.5, 0.0);
    assert_int_equal(game_next_team(&query.game), 0);

    /* team0 has the hammer: its second stone was shot 3, team1 began. */
    snprintf(text, sizeof text, QUERY_OF(STATE_OF("0", "4", "\"team0\"", NO_SCORES, "%s"), ""),
             stones);
    query = read_good(text);
    assert_int_equal(query.game.position.in_play, 1 << 3 | 1 << 0);
    close_to(query.game.position.stone[3].x, 1.0, 0.0);
    /* Omitted slots are empty. */
    const struct shot_query left_out =
        read_good(QUERY_OF(STATE_OF("0", "4", "\"team0\"", NO_SCORES,
                                    "{\"team0\":[null,{\"position\":{\"x\":1,\"y\":37}}],"
                                    "\"team1\":[{\"position\":{\"x\":-1,\"y\":36.5}}]}"),
                           ""));
    assert_memory_equal(&left_out.game.position, &query.game.position, sizeof query.game.position);
    assert_int_equal(game_next_team(&query.game), 1);
}

static void positions_of_dc2_are_in_the_shot_frame_too(void **state)
{
    (void)state;
    struct shot_query query =
        read_good("{\"profile\":\"dc2\",\"noise\":{\"gat_stddev_x\":0.145,\"gat_stddev_y\":0},"
                  "\"state\":" STATE_OF("0", "1", "\"team1\"", NO_SCORES,
                                        "{\"team0\":[{\"position\":{\"x\":0.5,\"y\":38}}," NULLS_7
                                        "],\"team1\":" NO_STONES "}") "}");

    close_to(query.game.position.stone[0].x, 0.5, 0.0);
    close_to(query.game.position.stone[0].y, 38.0, 0.0);
    close_to(query.noise.gat_stddev_x_m, 0.145, 0.0);
    assert_true(query.noise.gat_stddev_y_m == 0.0);
}

static void blank_extra_ends_go_on(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        "{\"profile\":\"dc3\",\"setting\":{\"max_end\":1},\"state\":{\"end\":2,\"shot\":0,"
        "\"hammer\":\"team0\",\"scores\":{\"team0\":[0],\"team1\":[0]},\"stones\":" EMPTY
        ",\"extra_end_score\":{\"team0\":0,\"team1\":null}}}");

    assert_int_equal(query.game.end, 2);
}

static void mixed_doubles_begin_with_the_placed_stones(void **state)
{
    (void)state;
#define MIXED(first)                                                  \
    "{\"profile\":\"dc4-modified\",\"state\":" STATE_OF(              \
        "0", "0", "\"team1\"", NO_SCORES,                             \
        "{\"team0\":[" first ",null,null,null,null,null],\"team1\":[" \
        "{\"position\":{\"x\":0,\"y\":38.4}},null,null,null,null,null]}") "}"
    struct shot_query query = read_good(MIXED("{\"position\":{\"x\":0,\"y\":35}}"));

    assert_int_equal(query.game.position.in_play, 3);
    refuses(MIXED("null"), "/state/stones", "value", "placed stones");
#undef MIXED
}

static void a_query_comes_back(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        "{\"id\":-7,\"profile\":\"dc2\",\"setting\":{\"max_end\":3},\"player\":\"ai-simple\","
        "\"limits\":{\"simulations\":12},\"noise\":{\"gat_stddev_y\":0.1},\"seed\":3,"
        "\"top_k\":0,\"timeout_ms\":7,\"report_interval_ms\":50,\"state\":" STATE_OF(
            "2", "9", "\"team0\"", "{\"team0\":[0,3],\"team1\":[1,0]}",
            "{\"team0\":[{\"position\":{\"x\":0.1,\"y\":38.123456789012345}}," NULLS_7
            "],\"team1\":[null,null,{\"position\":{\"x\":-0.7,\"y\":37}},null,null,null,null,"
            "null]}") "}");
    json_t *document = shot_query_json(&query);
    struct shot_query again;
    struct strict_errors errors;

    assert_non_null(document);
    char *text = json_dumps(document, 0);
    assert_true(shot_query_read(text, strlen(text), &again, NULL, &errors));
    assert_memory_equal(&again.game, &query.game, sizeof query.game);
    assert_true(strict_id_equal(&again.id, &query.id));
    assert_string_equal(again.player, "ai-simple");
    assert_true(again.time_s == 0.0 && again.simulations == 12 && again.seed == 3);
    assert_true(again.candidates == 0 && again.timeout_s == 0.007);
    assert_true(again.report_interval_s == 0.05);
    assert_true(again.noise.gat_stddev_y_m == 0.1 && isnan(again.noise.gat_stddev_x_m));
    free(text);
    json_decref(document);
}

/* ---- bad queries ---- */

static void unknown_fields_are_named(void **state)
{
    (void)state;
    refuses(QUERY(",\"sede\":1"), "/sede", "unknown", "unknown field");
    refuses(QUERY(",\"limits\":{\"time\":1}"), "/limits/time", "unknown", "unknown field");
    refuses(QUERY(",\"noise\":{\"a/b~c\":1}"), "/noise/a~1b~0c", "unknown", "unknown field");
    refuses(QUERY(",\"setting\":{\"five_rock_rule\":true}"), "/setting/five_rock_rule", "unknown",
            "unknown field");
    refuses(STONE("{\"position\":{\"x\":0,\"y\":38},\"colour\":1}"), "/state/stones/team0/0/colour",
            "unknown", "unknown field");
    refuses(STONE("{\"position\":{\"x\":0,\"y\":38,\"z\":0}}"), "/state/stones/team0/0/position/z",
            "unknown", "unknown field");
    refuses(QUERY_OF("{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":" NO_SCORES
                     ",\"stones\":" EMPTY ",\"next\":0}",
                     ""),
            "/state/next", "unknown", "unknown field");
}

/* A key may be longer than a pointer may be: the error then points to its object. */
static void a_very_long_key_is_placed_by_its_object(void **state)
{
    (void)state;
    char text[4096], key[1001];

    memset(key, 'k', 1000);
    key[1000] = '\0';
    snprintf(text, sizeof text, QUERY(",\"limits\":{\"%s\":1}"), key);
    refuses(text, "/limits", "unknown", "unknown field");
}

static void missing_fields_are_named(void **state)
{
    (void)state;
    struct strict_errors errors = read_bad("{}");

    assert_int_equal(errors.count, 2);
    assert_string_equal(errors.error[0].pointer, "/profile");
    assert_string_equal(errors.error[0].code, "missing");
    assert_string_equal(errors.error[1].pointer, "/state");

    errors = read_bad(QUERY_OF("{}", ""));
    assert_int_equal(errors.count, 4);
    const char *const fields[] = {"/state/end", "/state/shot", "/state/hammer", "/state/stones"};
    for (int k = 0; k < 4; k++) {
        int found = 0;
        for (int e = 0; e < errors.count; e++)
            found += strcmp(errors.error[e].pointer, fields[k]) == 0;
        assert_int_equal(found, 1);
    }
    refuses(STONE("{}"), "/state/stones/team0/0/position", "missing", "missing");
    refuses(STONE("{\"position\":{\"x\":0}}"), "/state/stones/team0/0/position/y", "missing",
            "missing");
}

static void all_mistakes_are_found_at_once(void **state)
{
    (void)state;
    struct strict_errors errors = read_bad("{\"id\":1.5,\"profile\":\"dc9\",\"state\":" STATE_OF(
        "0", "16", "\"team2\"", NO_SCORES,
        "{\"team0\":[null],\"team1\":[0," NULLS_7 "]}") ",\"top_k\":33,\"seed\":-1}");
    static const char *const pointers[] = {
        "/id",   "/profile", "/state/shot", "/state/hammer", "/state/stones/team1/0",
        "/seed", "/top_k"};

    for (int k = 0; k < 7; k++) {
        int found = 0;
        for (int e = 0; e < errors.count; e++)
            found += strcmp(errors.error[e].pointer, pointers[k]) == 0;
        if (found != 1)
            fail_msg("%s named %d times", pointers[k], found);
    }
}

/* Mistakes may be endless; the list is bounded. */
static void the_list_of_mistakes_is_bounded(void **state)
{
    (void)state;
    char text[8192] = "{\"profile\":\"dc3\",\"state\":" STATE;
    size_t used = strlen(text);

    for (int k = 0; k < 100; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",\"x%d\":0", k);
    snprintf(text + used, sizeof text - used, "}");
    struct strict_errors errors = read_bad(text);
    assert_int_equal(errors.count, STRICT_ERRORS_MAX);
    assert_int_equal(errors.dropped, 100 - STRICT_ERRORS_MAX);

    json_t *list = strict_errors_json(&errors);
    assert_int_equal(json_array_size(list), STRICT_ERRORS_MAX + 1);
    json_t *last = json_array_get(list, STRICT_ERRORS_MAX);
    assert_string_equal(json_string_value(member(last, "code")), "more");
    assert_string_equal(json_string_value(member(last, "message")), "and 84 more");
    json_decref(list);
}

static void values_out_of_range_are_named(void **state)
{
    (void)state;
    refuses(QUERY(",\"seed\":-1"), "/seed", "range", "not in 0..");
    refuses(QUERY(",\"seed\":1.0"), "/seed", "type", "must be a whole number");
    refuses(QUERY(",\"diversity\":\"all\""), "/diversity", "value", "must be kind or none");
    refuses(QUERY(",\"top_k\":33"), "/top_k", "range", "33 is not in 0..32");
    refuses(QUERY(",\"timeout_ms\":0"), "/timeout_ms", "range", "0 is not in 1..");
    refuses(QUERY(",\"report_interval_ms\":9"), "/report_interval_ms", "range", "10..");
    refuses(QUERY(",\"limits\":{\"time_ms\":0}"), "/limits/time_ms", "range", "1..");
    refuses(QUERY(",\"limits\":{\"simulations\":0}"), "/limits/simulations", "range", "1..");
    refuses(QUERY(",\"limits\":7"), "/limits", "type", "is a whole number, must be an object");
    refuses(QUERY(",\"noise\":{\"stddev_speed\":-1}"), "/noise/stddev_speed", "range", "-1");
    refuses(QUERY(",\"noise\":{\"stddev_angle\":\"0\"}"), "/noise/stddev_angle", "type",
            "is a string, must be a number");
    refuses(QUERY(",\"setting\":{\"max_end\":0}"), "/setting/max_end", "range", "1..255");
    refuses(QUERY(",\"setting\":{\"extra_ends\":256}"), "/setting/extra_ends", "range", "0..255");
    refuses(QUERY(",\"player\":\"\""), "/player", "size", "1 to 1023");
    refuses(QUERY(",\"player\":null"), "/player", "type", "is null, must be a string");
    refuses(QUERY(",\"id\":true"), "/id", "type", "must be a whole number or a string");
    refuses("{\"profile\":\"dc5\",\"state\":" STATE "}", "/profile", "value",
            "there are dc2, dc3, dc3-four-rock, dc4");
    refuses(STONE("{\"position\":{\"x\":1e3,\"y\":38}}"), "/state/stones/team0/0/position/x",
            "range", "1000 is not in -100..100");
    refuses(STONE("{\"position\":{\"x\":0,\"y\":38},\"angle\":\"a\"}"),
            "/state/stones/team0/0/angle", "type", "must be a number");
}

static void noise_of_another_profile_is_refused(void **state)
{
    (void)state;
    refuses(QUERY(",\"noise\":{\"gat_stddev_x\":0.1}"), "/noise/gat_stddev_x", "not_applicable",
            "profile dc3");
    refuses("{\"profile\":\"dc2\",\"noise\":{\"stddev_angle\":0.1},\"state\":" STATE "}",
            "/noise/stddev_angle", "not_applicable", "profile dc2");
}

/* The number of ends of a query whose next end is `end`, with these score lists and further
 * members. */
#define ENDS_OF(end, scores, more)                                                                 \
    read_good("{\"profile\":\"dc3\",\"state\":{\"end\":" end                                       \
              ",\"shot\":0,\"hammer\":\"team1\",\"scores\":" scores ",\"stones\":" EMPTY more "}") \
        .game.ends

/* Without "setting" a game has as many ends as its score lists. */
static void scores_say_how_many_ends_a_game_has(void **state)
{
    (void)state;
#define UPDATE ",\"extra_end_score\":{\"team0\":null,\"team1\":null}}"
    /* Unplayed ends may be listed in both lists or in one. */
    assert_int_equal(ENDS_OF("0", "{\"team0\":[null,null],\"team1\":[null,null]}", "}"), 2);
    assert_int_equal(ENDS_OF("0", "{\"team0\":[null],\"team1\":[]}", "}"), 1);
    assert_int_equal(ENDS_OF("1", "{\"team0\":[0,null,null],\"team1\":[2,null,null]}", "}"), 3);
    assert_int_equal(
        ENDS_OF("1", "{\"team0\":[0,null],\"team1\":[2,null]}", "},\"setting\":{\"extra_ends\":0}"),
        2);
    /* The second and the third extra end of a game of one end. */
    assert_int_equal(ENDS_OF("2", "{\"team0\":[0],\"team1\":[0]}", "}"), 1);
    assert_int_equal(ENDS_OF("3", "{\"team0\":[0],\"team1\":[0]}", UPDATE), 1);
    /* A whole update in the first extra end, and the same numbers as ends played so far. */
    assert_int_equal(ENDS_OF("2", "{\"team0\":[1,0],\"team1\":[0,1]}", UPDATE), 2);
    assert_int_equal(ENDS_OF("2", "{\"team0\":[1,0],\"team1\":[0,1]}", "}"), 8);
    assert_int_equal(ENDS_OF("0", NO_SCORES, "}"), 8);
    assert_int_equal(ENDS_OF("0", NO_SCORES, UPDATE), 8);
}

/* Our own answer in the first extra end reads back as the same game. */
static void a_state_of_this_service_keeps_its_ends(void **state)
{
    (void)state;
    struct shot_query query = read_good(
        "{\"profile\":\"dc3\",\"setting\":{\"max_end\":2},\"state\":{\"end\":2,\"shot\":0,"
        "\"hammer\":\"team1\",\"scores\":{\"team0\":[1,0],\"team1\":[0,1]},\"stones\":" EMPTY "}}");
    json_t *document =
        json_pack("{s:s, s:o}", "profile", "dc3", "state", game_state_json(&query.game));
    struct strict_errors errors;
    struct shot_query again;

    assert_true(shot_query_decode(document, &again, NULL, &errors));
    json_decref(document);
    assert_int_equal(again.game.end, 2);
    assert_int_equal(again.game.ends, 2);
}

static void scores_and_setting_must_agree(void **state)
{
    (void)state;
    refuses(QUERY_OF(STATE_OF("1", "0", "\"team1\"", "{\"team0\":[0,null],\"team1\":[1,null,null]}",
                              EMPTY),
                     ",\"setting\":{\"max_end\":3}"),
            "/state/scores/team0", "size",
            "has 2 entries, but the game has 3 ends (/setting/max_end)");
    refuses(QUERY_OF(STATE_OF("0", "0", "\"team1\"",
                              "{\"team0\":[null,null,null],\"team1\":[null,null]}", EMPTY),
                     ""),
            "/state/scores/team1", "size",
            "has 2 entries, but the game has 3 ends (the longer of the two lists)");
    struct strict_errors errors = read_bad(QUERY_OF(STATE_OF("11", "0", "\"team1\"",
                                                             "{\"team0\":[0,0,0,0,0,0,0,0,0,0,0],"
                                                             "\"team1\":[0,0,0,0,0,0,0,0,0,0,0]}",
                                                             EMPTY),
                                                    ""));
    assert_int_equal(errors.count, 2);
    assert_string_equal(errors.error[0].message,
                        "has 11 entries, but the game has 8 ends (the profile); extra ends have no "
                        "entries");
    refuses(QUERY_OF(STATE_OF("2", "0", "\"team1\"", "{\"team0\":[0],\"team1\":[0,0]}", EMPTY),
                     ",\"setting\":{\"max_end\":8}"),
            "/state/scores/team0/1", "missing", "end 1 has been played");
}

static void states_that_cannot_be_are_refused(void **state)
{
    (void)state;
    /* Scores belong to played ends only. */
    refuses(
        QUERY_OF(STATE_OF("1", "0", "\"team1\"", "{\"team0\":[0],\"team1\":[null]}", EMPTY), ""),
        "/state/scores/team1/0", "missing", "end 0 has been played");
    refuses(QUERY_OF(STATE_OF("0", "0", "\"team1\"", "{\"team0\":[],\"team1\":[1]}", EMPTY), ""),
            "/state/scores/team1/0", "value", "end 0 has not been played yet");
    refuses(QUERY_OF(STATE_OF("1", "0", "\"team1\"", "{\"team0\":[2],\"team1\":[1]}", EMPTY), ""),
            "/state/scores/team1/0", "value", "not the score of an end");
    refuses(QUERY_OF(STATE_OF("1", "0", "\"team1\"", "{\"team0\":[9],\"team1\":[0]}", EMPTY), ""),
            "/state/scores/team0/0", "range", "9 is not in 0..8");
    refuses(QUERY_OF(
                STATE_OF("0", "0", "\"team1\"", "{\"team0\":[null,null,null],\"team1\":[]}", EMPTY),
                ",\"setting\":{\"max_end\":2}"),
            "/state/scores/team0", "size",
            "has 3 entries, but the game has 2 ends (/setting/max_end)");
}

static void a_game_that_is_over_is_refused(void **state)
{
    (void)state;
    refuses("{\"profile\":\"dc3\",\"setting\":{\"max_end\":1},\"state\":" STATE_OF(
                "1", "0", "\"team1\"", "{\"team0\":[1],\"team1\":[0]}", EMPTY) "}",
            "/state/end", "value", "decided before it");
    refuses(
        "{\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":null,\"scores\":" NO_SCORES
        ",\"stones\":" EMPTY ",\"game_result\":{\"reason\":\"concede\","
        "\"winner\":\"team0\"}}}",
        "/state/game_result", "value", "must be null");
    refuses("{\"profile\":\"dc3\",\"setting\":{\"max_end\":1},\"state\":{\"end\":2,\"shot\":0,"
            "\"hammer\":\"team0\",\"scores\":{\"team0\":[0],\"team1\":[0]},\"stones\":" EMPTY
            ",\"extra_end_score\":{\"team0\":1,\"team1\":0}}}",
            "/state/extra_end_score/team0", "value", "ends the game");
}

static void stones_that_cannot_lie_like_this_are_refused(void **state)
{
    (void)state;
#define STONES(team0, team1)                                            \
    QUERY_OF(STATE_OF("0", "4", "\"team1\"", NO_SCORES,                 \
                      "{\"team0\":[" team0 "],\"team1\":[" team1 "]}"), \
             "")
    refuses(STONES("{\"position\":{\"x\":3,\"y\":38}}," NULLS_7, "null," NULLS_7),
            "/state/stones/team0/0/position/x", "value", "outside the sheet");
    refuses(STONES("{\"position\":{\"x\":0,\"y\":38}}," NULLS_7,
                   "{\"position\":{\"x\":0.1,\"y\":38}}," NULLS_7),
            "/state/stones/team1/0/position", "value", "overlaps stone 0 of team0");
    refuses(STONES("null,null,{\"position\":{\"x\":0,\"y\":38}},null,null,null,null,null",
                   "null," NULLS_7),
            "/state/stones/team0/2", "value", "has not been thrown yet");
    refuses(STONES("null,null," NULLS_7, ""), "/state/stones/team0", "size",
            "has 9 entries, must have 0 to 8");
    refuses(STONES("3," NULLS_7, "null," NULLS_7), "/state/stones/team0/0", "type",
            "is a whole number, must be an object");
#undef STONES
}

static void invalid_json_is_refused_as_a_whole(void **state)
{
    (void)state;
    char deep[256];

    refuses("", "", "json", "not JSON");
    refuses("{\"id\":1", "", "json", "not JSON");
    refuses("{\"seed\":1e999}", "/seed", "range", "too large for a number");
    refuses("{\"seed\":NaN}", "", "json", "not JSON");
    refuses("{\"seed\":99999999999999999999}", "/seed", "range", "larger than 9223372036854775807");
    refuses("{\"a,\\\"[\":[{},[0,0]],\"state\":[1,{\"x\":\"y\",\"y\":-9223372036854775809}]}",
            "/state/1/y", "range", "smaller than -9223372036854775808");
    refuses("{\"id\":1,\"id\":2}", "", "json", "duplicate");
    refuses("{\"player\":\"a\\u0000b\"}", "", "json", "not JSON");
    refuses("[]", "", "type", "is an array, must be an object");
    memset(deep, '[', 64);
    deep[64] = '\0';
    refuses(deep, "", "too_deep", "32 levels");

    struct strict_errors errors;
    struct shot_query query;
    size_t length = SHOT_QUERY_BYTES_MAX + 1;
    char *blanks = malloc(length);
    assert_non_null(blanks);
    memset(blanks, ' ', length);
    assert_false(shot_query_read(blanks, length, &query, NULL, &errors));
    assert_string_equal(errors.error[0].code, "too_long");
    free(blanks);
}

static void errors_carry_the_id(void **state)
{
    (void)state;
    const char *text = "{\"id\":\"q/1\",\"profile\":3}";
    struct shot_query query;
    struct strict_errors errors;
    struct strict_id id;

    assert_false(shot_query_read(text, strlen(text), &query, &id, &errors));
    json_t *answer = shot_errors_json(&id, &errors);
    char *line = shot_answer_text(answer);
    assert_string_equal(line, "{\"id\":\"q/1\",\"is_final\":true,\"errors\":[{\"pointer\":"
                              "\"/profile\",\"code\":\"type\",\"message\":\"is a whole number, "
                              "must be a string\"},{\"pointer\":\"/state\",\"code\":\"missing\","
                              "\"message\":\"missing, must be an object\"}]}");
    free(line);
    json_decref(answer);

    assert_false(shot_query_read("{", 1, &query, &id, &errors));
    assert_int_equal(id.kind, STRICT_ID_NONE);
}

/* ---- shots and answers ---- */

static void a_shot_is_said_in_the_words_of_its_profile(void **state)
{
    (void)state;
    const struct shot ccw = {{0.3, 2.4}, 1.5}, cw = {{0.3, 2.4}, -1.5}, straight = {{0, 2.4}, 0.0};
    json_t *shot = game_shot_json(rules_find("dc3"), &ccw);

    assert_int_equal(json_object_size(shot), 2);
    close_to(number(member(shot, "velocity"), "x"), 0.3, 0.0);
    close_to(number(member(shot, "velocity"), "y"), 2.4, 0.0);
    assert_string_equal(json_string_value(member(shot, "rotation")), "ccw");
    json_decref(shot);

    /* The frame of Digital Curling 2 is turned by 180 degrees; the sense of rotation is the
     * same. */
    shot = game_shot_json(rules_find("dc2"), &cw);
    assert_string_equal(json_string_value(member(shot, "rotation")), "cw");
    close_to(number(member(shot, "native"), "vx"), -0.3, 0.0);
    close_to(number(member(shot, "native"), "vy"), -2.4, 0.0);
    assert_true(number(member(shot, "native"), "spin") == 1.0);
    json_decref(shot);
    shot = game_shot_json(rules_find("dc2"), &ccw);
    assert_true(number(member(shot, "native"), "spin") == 0.0);
    json_decref(shot);

    /* Digital Curling 4 counts angular velocity clockwise. */
    shot = game_shot_json(rules_find("dc4-no-tick"), &ccw);
    assert_string_equal(json_string_value(member(shot, "rotation")), "ccw");
    close_to(number(shot, "translational_velocity"), sqrt(0.09 + 5.76), 1e-12);
    close_to(number(shot, "shot_angle"), atan2(2.4, 0.3), 1e-12);
    close_to(number(shot, "angular_velocity"), -1.5, 0.0);
    json_decref(shot);
    shot = game_shot_json(rules_find("dc4"), &straight);
    assert_true(json_is_null(member(shot, "rotation")));
    assert_false(signbit(number(shot, "angular_velocity")));
    json_decref(shot);
}

static struct shot_answer some_answer(const struct shot_answer_candidate *candidate)
{
    return (struct shot_answer){
        .id = {.kind = STRICT_ID_NUMBER, .number = 9},
        .is_final = true,
        .rules = rules_find("dc3"),
        .team = 1,
        .shot = {{0.125, 2.5}, 1.5},
        .has_value = true,
        .win_probability = 0.5,
        .expected_score = 0.25,
        .score_distribution = {[SHOT_SCORE_ZERO - 2] = 0.25, [SHOT_SCORE_ZERO + 1] = 0.75},
        .candidates = 1,
        .candidate = candidate,
        .simulations = 77,
        .simulations_to_repeat = 80,
        .player_name = "somebody",
        .player_spec = "somebody:care=2",
        .objective = "win",
        .weights_sha256 = "ab12",
        .seed = 3,
        .elapsed_s = 0.0125,
        .queue_s = 0.001,
    };
}

static void an_answer_has_every_field(void **state)
{
    (void)state;
    const struct vec2 path[] = {{0.0, 0.0}, {0.5, 38.0}};
    const struct shot_answer_candidate candidate = {
        .shot = {{0.125, 2.5}, 1.5},
        .kind = "draw",
        .visits = 12,
        .win_probability = 0.5,
        .expected_score = 0.25,
        .lcb = 0.125,
        .prior = NAN,
        .success = 0.75,
        .difference = -0.5,
        .difference_error = 0.25,
        .path = path,
        .path_points = 2,
    };
    struct shot_answer answer = some_answer(&candidate);
    json_t *object = shot_answer_json(&answer);
    char *line = shot_answer_text(object);

    assert_string_equal(
        line, "{\"id\":9,\"is_final\":true,\"side\":\"team1\",\"shot\":{\"velocity\":{\"x\":0.125,"
              "\"y\":2.5},\"rotation\":\"ccw\"},\"concede\":false,\"stopped\":null,"
              "\"value\":{\"win_probability\":0.5,\"expected_score\":0.25,"
              "\"score_distribution\":{\"-2\":0.25,\"1\":0.75}},\"candidates\":[{\"order\":0,"
              "\"shot\":{\"velocity\":{\"x\":0.125,\"y\":2.5},\"rotation\":\"ccw\"},"
              "\"kind\":\"draw\",\"visits\":12,\"win_probability\":0.5,\"expected_score\":0.25,"
              "\"lcb\":0.125,\"prior\":null,\"success\":0.75,"
              "\"difference\":-0.5,\"difference_interval\":[-0.75,-0.25],\"path\":[[0.0,0.0],[0.5,"
              "38.0]]}],"
              "\"simulations\":77,\"simulations_to_repeat\":80,\"player\":{\"name\":\"somebody\","
              "\"spec\":\"somebody:care=2\","
              "\"objective\":\"win\",\"weights_sha256\":\"ab12\"},"
              "\"seed\":3,\"elapsed_ms\":12.5,\"queue_ms\":1.0}");
    free(line);
    json_decref(object);
}

static void numbers_that_are_none_become_null(void **state)
{
    (void)state;
    const struct shot_answer_candidate candidate = {
        .kind = "other",
        .win_probability = NAN,
        .expected_score = INFINITY,
        .lcb = -INFINITY,
        .prior = NAN,
        .success = NAN,
    };
    struct shot_answer answer = some_answer(&candidate);

    answer.win_probability = NAN;
    answer.expected_score = NAN;
    answer.score_distribution[3] = NAN;
    answer.simulations_to_repeat = 0;
    answer.objective = NULL;
    answer.stopped = "timeout";
    json_t *object = shot_answer_json(&answer);
    assert_non_null(object);
    assert_true(json_is_null(member(object, "simulations_to_repeat")));
    assert_null(json_object_get(member(object, "player"), "objective"));
    json_t *value = member(object, "value");
    assert_true(json_is_null(member(value, "win_probability")));
    assert_true(json_is_null(member(value, "expected_score")));
    assert_int_equal(json_object_size(member(value, "score_distribution")), 2);
    assert_string_equal(json_string_value(member(object, "stopped")), "timeout");
    json_t *first = json_array_get(member(object, "candidates"), 0);
    static const char *const keys[] = {"win_probability", "expected_score", "lcb", "prior",
                                       "success"};
    for (int k = 0; k < 5; k++)
        assert_true(json_is_null(member(first, keys[k])));
    json_decref(object);

    answer.has_value = false;
    object = shot_answer_json(&answer);
    assert_true(json_is_null(member(object, "value")));
    json_decref(object);
}

/* A sheet without a game: any stones, as at the end of an end. */
static void boards_are_read_without_a_game(void **state)
{
    (void)state;
#define BOARD(team0, more)                                                                    \
    "{\"profile\":\"dc3\",\"stones\":{\"team0\":[" team0 "," NULLS_7 "],\"team1\":" NO_STONES \
    "}" more "}"
#define AT(x, y) "{\"position\":{\"x\":" x ",\"y\":" y "}}"
    static const char *const bad[][2] = {
        {BOARD("null", ",\"state\":{}"), "/state"},
        {BOARD("null", ",\"hammer\":\"team2\""), "/hammer"},
        {BOARD("7", ""), "/stones/team0/0"},
        {BOARD(AT("0", "99"), ""), "/stones/team0/0/position/y"},
        {"{\"stones\":" EMPTY "}", "/profile"},
    };
    struct strict_errors errors;
    struct game_board board;
    json_t *document = json_loads(BOARD(AT("0.5", "38"), ",\"hammer\":\"team0\""), 0, NULL);

    assert_true(game_board_decode(document, &board, &errors));
    assert_true(board.team0_has_hammer);
    assert_int_equal(board.position.in_play, 1u << 1); /* team0 throws the odd stones */
    close_to(board.position.stone[1].x, 0.5, 0.0);
    json_decref(document);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        document = json_loads(bad[k][0], 0, NULL);
        assert_false(game_board_decode(document, &board, &errors));
        assert_string_equal(errors.error[0].pointer, bad[k][1]);
        json_decref(document);
    }
}

/* Sets one number of a query; true if the query is read. */
static bool takes(const char *name, json_int_t number)
{
    char text[1024];
    struct shot_query query;
    struct strict_errors errors;
    int length = snprintf(text, sizeof text, QUERY(",\"%s\":%" JSON_INTEGER_FORMAT), name, number);

    return shot_query_read(text, (size_t)length, &query, NULL, &errors);
}

static void the_schema_has_the_ranges_of_the_reader(void **state)
{
    json_t *schema = shot_query_schema(), *field;
    const char *name;
    int count = 0;

    (void)state;
    json_object_foreach(json_object_get(schema, "properties"), name, field)
    {
        json_int_t least = json_integer_value(json_object_get(field, "minimum"));
        json_int_t most = json_integer_value(json_object_get(field, "maximum"));
        if (most == 0)
            continue;
        count++;
        assert_true(takes(name, least) && takes(name, most) && !takes(name, least - 1));
        if (most < INT64_MAX)
            assert_false(takes(name, most + 1));
    }
    assert_int_equal(count, 4);
    json_decref(schema);
}

/* ---- the opponent's throws ---- */

#define BEFORE(stones)      STATE_OF("0", "1", "\"team1\"", NO_SCORES, stones)
#define ONE(x, y)           "{\"position\":{\"x\":" x ",\"y\":" y "}}"
#define LIE(team0, team1)   "{\"team0\":[" team0 "," NULLS_7 "],\"team1\":[" team1 "," NULLS_7 "]}"
#define HISTORY(entries)    QUERY(",\"history\":[" entries "]")
#define ENTRY(before, more) "{\"before\":" before more "}"
#define AFTER(stones)       ",\"after\":{\"stones\":" stones "}"
#define SHOT                ",\"shot\":{\"velocity\":{\"x\":0,\"y\":2.4},\"rotation\":\"cw\"}"
#define TEE                 ONE("0", "38.4")

static void a_history_has_the_throws_in_order(void **state)
{
    (void)state;
    struct shot_query none = read_good(QUERY("")), empty = read_good(HISTORY(""));
    struct shot_query query = read_good(HISTORY(ENTRY(BEFORE(EMPTY), SHOT) "," ENTRY(
        BEFORE(LIE(TEE, "null")), AFTER(LIE(TEE, ONE("1", "38")))) "," ENTRY(BEFORE(EMPTY),
                                                                             AFTER(EMPTY) SHOT)));

    assert_null(none.history);
    assert_non_null(empty.history);
    assert_int_equal(empty.history_count, 0);
    assert_int_equal(query.history_count, 3);
    const struct throw_seen *seen = query.history;
    assert_true(seen[0].has_thrown && !seen[0].has_after);
    assert_true(seen[0].thrown.omega < 0.0);
    assert_true(!seen[1].has_thrown && seen[1].has_after);
    assert_int_equal(seen[1].shot, 1);
    assert_false(seen[1].team0_has_hammer);
    assert_int_equal(seen[1].before.in_play, 1);
    assert_int_equal(seen[1].after.in_play, 3);
    assert_true(seen[2].has_thrown && seen[2].has_after);
    shot_query_free(&query);
    assert_null(query.history);
    shot_query_free(&empty);
}

static void mistakes_of_a_history_are_told_at_their_place(void **state)
{
    (void)state;
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), "")), "/history/0", "missing", "needs after");
    refuses(HISTORY("{}"), "/history/0/before", "missing", "missing");
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), SHOT) ",3"), "/history/1", "type", "an object");
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), SHOT ",\"who\":1")), "/history/0/who", "unknown", "");
    refuses(HISTORY(ENTRY(BEFORE(LIE(TEE, TEE)), SHOT)), "/history/0/before/stones/team1/0",
            "value", "");
    refuses(HISTORY(ENTRY(BEFORE(LIE(ONE("0", "1"), "null")), SHOT)),
            "/history/0/before/stones/team0/0/position/y", "value", "");
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), AFTER(LIE("null", ONE("9", "38"))))),
            "/history/0/after/stones/team1/0/position/x", "value", "");
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), AFTER(LIE(TEE, "null")))),
            "/history/0/after/stones/team0/0", "value", "did not before it");
    refuses(HISTORY(ENTRY(BEFORE(EMPTY), ",\"shot\":{\"rotation\":\"cw\"}")),
            "/history/0/shot/velocity", "missing", "missing");
    refuses(QUERY(",\"history\":{}"), "/history", "type", "array");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_query_has_the_defaults),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(an_update_of_digital_curling_3_can_be_pasted),
        cmocka_unit_test(a_player_of_a_server_may_have_members_that_nobody_knows),
        cmocka_unit_test(slots_are_deliveries_of_a_team),
        cmocka_unit_test(positions_of_dc2_are_in_the_shot_frame_too),
        cmocka_unit_test(blank_extra_ends_go_on),
        cmocka_unit_test(mixed_doubles_begin_with_the_placed_stones),
        cmocka_unit_test(a_query_comes_back),
        cmocka_unit_test(unknown_fields_are_named),
        cmocka_unit_test(a_very_long_key_is_placed_by_its_object),
        cmocka_unit_test(missing_fields_are_named),
        cmocka_unit_test(all_mistakes_are_found_at_once),
        cmocka_unit_test(the_list_of_mistakes_is_bounded),
        cmocka_unit_test(values_out_of_range_are_named),
        cmocka_unit_test(noise_of_another_profile_is_refused),
        cmocka_unit_test(scores_say_how_many_ends_a_game_has),
        cmocka_unit_test(a_state_of_this_service_keeps_its_ends),
        cmocka_unit_test(scores_and_setting_must_agree),
        cmocka_unit_test(states_that_cannot_be_are_refused),
        cmocka_unit_test(a_game_that_is_over_is_refused),
        cmocka_unit_test(stones_that_cannot_lie_like_this_are_refused),
        cmocka_unit_test(invalid_json_is_refused_as_a_whole),
        cmocka_unit_test(errors_carry_the_id),
        cmocka_unit_test(a_shot_is_said_in_the_words_of_its_profile),
        cmocka_unit_test(an_answer_has_every_field),
        cmocka_unit_test(numbers_that_are_none_become_null),
        cmocka_unit_test(boards_are_read_without_a_game),
        cmocka_unit_test(the_schema_has_the_ranges_of_the_reader),
        cmocka_unit_test(a_history_has_the_throws_in_order),
        cmocka_unit_test(mistakes_of_a_history_are_told_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
