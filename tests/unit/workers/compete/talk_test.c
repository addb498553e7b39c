/* Messages of servers with members that nobody knows, and without those that may be left out: they
 * are played all the same, and what is assumed is told. */
#include "workers/compete/talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MESSAGES_MAX = 8 };

/* A conversation up to the first position to think about. */
struct script {
    const struct protocol *protocol;
    struct {
        const char *tag, *text;
        const char *const *needed; /* pointers of members without which there is no game */
    } message[MESSAGES_MAX];       /* text NULL at the end */
};

#define HAND                                                                                       \
    "{\"type\":\"normal_dist\",\"max_speed\":4.0,\"stddev_speed\":0.0076,\"stddev_angle\":0.0018," \
    "\"seed\":null}"
#define EXACT "{\"type\":\"identical\"}"
#define HANDS "[" HAND "," EXACT "," HAND "," HAND "]"
#define NULLS "null,null,null,null,null,null,null"

static const char *const dc3_dc[] = {"/cmd", NULL};
static const char *const dc3_is_ready[] = {"/cmd",
                                           "/team",
                                           "/game",
                                           "/game/rule",
                                           "/game/simulator",
                                           "/game/simulator/type",
                                           "/game/setting",
                                           "/game/setting/max_end",
                                           NULL};
static const char *const dc3_new_game[] = {"/cmd", NULL};
static const char *const dc3_update[] = {"/cmd",
                                         "/state",
                                         "/state/end",
                                         "/state/shot",
                                         "/state/hammer",
                                         "/state/scores",
                                         "/state/scores/team0",
                                         "/state/scores/team1",
                                         "/state/stones",
                                         "/state/stones/team0",
                                         "/state/stones/team1",
                                         "/state/stones/team1/0/position",
                                         "/state/stones/team1/0/position/x",
                                         "/state/stones/team1/0/position/y",
                                         NULL};

static const struct script dc3 = {
    &protocol_dc3,
    {{NULL,
      "{\"cmd\":\"dc\",\"version\":{\"major\":1,\"minor\":0},\"game_id\":\"79ab\","
      "\"date_time\":\"2026-11-20T08:43:27+00:00\"}",
      dc3_dc},
     {NULL,
      "{\"cmd\":\"is_ready\",\"team\":\"team0\",\"game\":{\"rule\":\"normal\",\"setting\":{"
      "\"max_end\":2,\"five_rock_rule\":true,\"sheet_width\":4.75,"
      "\"thinking_time\":{\"team0\":219.0,\"team1\":219.0},"
      "\"extra_end_thinking_time\":{\"team0\":30.0,\"team1\":30.0}},"
      "\"simulator\":{\"type\":\"fcv1\",\"seconds_per_frame\":0.001},"
      "\"players\":{\"team0\":" HANDS ",\"team1\":" HANDS "}}}",
      dc3_is_ready},
     {NULL, "{\"cmd\":\"new_game\",\"name\":{\"team0\":\"a\",\"team1\":\"b\"}}", dc3_new_game},
     {NULL,
      "{\"cmd\":\"update\",\"next_team\":\"team0\",\"last_move\":{\"actual_move\":{\"type\":"
      "\"shot\","
      "\"velocity\":{\"x\":0.1,\"y\":2.4},\"rotation\":\"cw\"},\"free_guard_zone_foul\":false},"
      "\"state\":{\"end\":0,\"shot\":2,\"hammer\":\"team1\",\"game_result\":null,"
      "\"scores\":{\"team0\":[null,null],\"team1\":[null,null]},"
      "\"extra_end_score\":{\"team0\":null,\"team1\":null},"
      "\"stones\":{\"team0\":[null," NULLS
      "],\"team1\":[{\"angle\":0.1,\"position\":{\"x\":0.5,\"y\":38.0}}," NULLS "]},"
      "\"thinking_time_remaining\":{\"team0\":60.0,\"team1\":60.0}}}",
      dc3_update}},
};

static const char *const dc4_match[] = {"/applied_rule", "/standard_end_count", NULL};
static const char *const dc4_latest[] = {"/end_number",
                                         "/total_shot_number",
                                         "/next_shot_team",
                                         "/score",
                                         "/score/team0",
                                         "/score/team1",
                                         "/stone_coordinate",
                                         "/stone_coordinate/data",
                                         "/stone_coordinate/data/team0",
                                         "/stone_coordinate/data/team1",
                                         "/stone_coordinate/data/team0/0/x",
                                         "/stone_coordinate/data/team0/0/y",
                                         "/stone_coordinate/data/team1/0/x",
                                         "/stone_coordinate/data/team1/0/y",
                                         NULL};
#define DC4_STATE                                                                               \
    "{\"winner_team\":null,\"first_team_name\":\"A\",\"second_team_name\":\"B\","               \
    "\"end_number\":0,\"team_shot_number\":1,\"total_shot_number\":2,"                          \
    "\"next_shot_team\":\"team0\",\"first_team_remaining_time\":599.33,"                        \
    "\"second_team_remaining_time\":600.0,\"first_team_extra_end_remaining_time\":60.0,"        \
    "\"second_team_extra_end_remaining_time\":60.0,\"mixed_doubles_settings\":null,"            \
    "\"last_move\":{\"translational_velocity\":2.403,\"angular_velocity\":1.5707963,"           \
    "\"shot_angle\":1.5159},\"stone_coordinate\":{\"data\":{\"team0\":[{\"x\":0.0,\"y\":0.0}]," \
    "\"team1\":[{\"x\":-0.8,\"y\":38.405}]}},\"score\":{\"team0\":[0,0,0],\"team1\":[0,0,0]}}"

static const struct script dc4 = {
    &protocol_dc4,
    {{"match",
      "{\"match_id\":\"0190\",\"first_team_id\":\"a\",\"second_team_id\":\"b\",\"time_limit\":600,"
      "\"standard_end_count\":2,\"applied_rule\":0,\"game_mode\":\"standard\","
      "\"mixed_doubles_settings\":null,\"simulator\":{\"simulator_name\":\"fcv1\"},"
      "\"tournament\":{\"tournament_name\":\"t\"}}",
      dc4_match},
     {"team", "\"team0\"", NULL},
     {"latest_state_update", DC4_STATE, dc4_latest}},
};

/* ---- hearing ---- */

struct ending {
    enum talk_next next;
    char note[TALK_WHY_MAX], warning[TALK_WHY_MAX], why[TALK_WHY_MAX];
};

/* Hears the messages up to number `last`, which is this text. */
static struct ending hear_to(const struct script *script, int last, const char *text)
{
    static const struct talk_setting setting = {.name = "rink", .match = "0190"};
    struct talk talk;
    struct ending ending = {TALK_LISTEN, "", "", ""};

    assert_true(talk_begin(&talk, script->protocol, &setting));
    for (int k = 0; k <= last; k++) {
        const char *said = k == last ? text : script->message[k].text;
        const struct heard heard = {
            .tag = script->message[k].tag, .status = 200, .text = said, .length = strlen(said)};
        talk.note[0] = talk.warning[0] = '\0';
        ending.next = script->protocol->hear(&talk, &heard);
        for (int saying = 0; saying < talk.sayings; saying++)
            free(talk.say[saying].text);
        talk.sayings = 0;
    }
    memcpy(ending.note, talk.note, sizeof ending.note);
    memcpy(ending.warning, talk.warning, sizeof ending.warning);
    memcpy(ending.why, talk.why, sizeof ending.why);
    talk_end(&talk);
    return ending;
}

/* ---- changing ---- */

typedef void change_check(const struct script *script, int message, const char *pointer,
                          const struct ending *ending, enum talk_next as_it_is);

struct change {
    const struct script *script;
    int message;
    json_t *document;
    bool removes; /* each member; else adds one to each object */
    change_check *check;
    enum talk_next as_it_is;
    int count;
};

static void hear_changed(struct change *change, const char *pointer)
{
    char *text = json_dumps(change->document, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    const struct ending ending = hear_to(change->script, change->message, text);

    free(text);
    change->check(change->script, change->message, pointer, &ending, change->as_it_is);
    change->count++;
}

/* Changes each object of the document at this place and below, one at a time. */
static void change_all(struct change *change, json_t *place, const char *pointer)
{
    char below[256];
    size_t k;
    json_t *value;

    if (json_is_object(place) && !change->removes) {
        json_object_set_new(place, "zz", json_pack("{s:[i]}", "zz", 7));
        hear_changed(change, pointer);
        json_object_del(place, "zz");
    }
    json_array_foreach(place, k, value)
    {
        snprintf(below, sizeof below, "%s/%zu", pointer, k);
        change_all(change, value, below);
    }
    json_t *keys = json_array();
    const char *key;
    json_object_foreach(place, key, value) json_array_append_new(keys, json_string(key));
    json_array_foreach(keys, k, value)
    {
        key = json_string_value(value);
        snprintf(below, sizeof below, "%s/%s", pointer, key);
        json_t *member = json_incref(json_object_get(place, key));
        if (change->removes) {
            json_object_del(place, key);
            hear_changed(change, below);
            json_object_set(place, key, member);
        }
        change_all(change, member, below);
        json_decref(member);
    }
    json_decref(keys);
}

static void change_script(const struct script *script, bool removes, change_check *check)
{
    for (int k = 0; script->message[k].text; k++) {
        const struct ending plain = hear_to(script, k, script->message[k].text);
        struct change change = {
            .script = script,
            .message = k,
            .document = json_loads(script->message[k].text, JSON_DECODE_ANY, NULL),
            .removes = removes,
            .check = check,
            .as_it_is = plain.next,
        };
        assert_non_null(change.document);
        if (plain.next == TALK_BROKEN || plain.next == TALK_REFUSE || plain.warning[0])
            fail_msg("message %d: %s%s", k, plain.why, plain.warning);
        change_all(&change, change.document, "");
        assert_true(change.count > 0 || !json_is_object(change.document));
        json_decref(change.document);
    }
}

/* ---- scenarios ---- */

static void check_unknown(const struct script *script, int message, const char *pointer,
                          const struct ending *ending, enum talk_next as_it_is)
{
    /* Of a shot that was thrown only what we know is looked for. */
    bool is_noted = script->protocol == &protocol_dc3 && !strstr(pointer, "/last_move") &&
                    !strstr(pointer, "thinking_time") && !strstr(pointer, "/name");

    if (ending->next != as_it_is || ending->warning[0] || (is_noted && !strstr(ending->note, "zz")))
        fail_msg("%s message %d with %s/zz: %d, '%s' '%s'", script->protocol->name, message,
                 pointer, ending->next, ending->why, ending->note);
}

static void members_that_nobody_knows_change_nothing(void **unused)
{
    (void)unused;
    change_script(&dc3, false, check_unknown);
    change_script(&dc4, false, check_unknown);
}

static void check_missing(const struct script *script, int message, const char *pointer,
                          const struct ending *ending, enum talk_next as_it_is)
{
    const char *const *needed = script->message[message].needed;
    bool is_refused = ending->next == TALK_BROKEN || ending->next == TALK_REFUSE;

    while (needed && *needed && strcmp(*needed, pointer) != 0)
        needed++;
    bool is_needed = needed && *needed;
    if (is_needed ? ending->next == as_it_is && as_it_is == TALK_THINK : is_refused)
        fail_msg("%s message %d without %s: %d, %s", script->protocol->name, message, pointer,
                 ending->next, ending->why);
    if (is_refused && !ending->why[0])
        fail_msg("%s message %d without %s is refused without a word", script->protocol->name,
                 message, pointer);
}

static void what_may_be_left_out_is_left_out(void **unused)
{
    (void)unused;
    change_script(&dc3, true, check_missing);
    change_script(&dc4, true, check_missing);
}

/* A game of is_ready without this member, or with null in its place. */
static struct ending ready_without(const char *path[3], const char *last, bool with_null)
{
    json_t *ready = json_loads(dc3.message[1].text, 0, NULL), *place = ready;

    for (int k = 0; k < 3 && path[k]; k++)
        place = json_is_array(place) ? json_array_get(place, strtoul(path[k], NULL, 10))
                                     : json_object_get(place, path[k]);
    assert_non_null(json_object_get(place, last));
    if (with_null)
        json_object_set_new(place, last, json_null());
    else
        json_object_del(place, last);
    char *text = json_dumps(ready, JSON_COMPACT);
    struct ending ending = hear_to(&dc3, 1, text);
    free(text);
    json_decref(ready);
    return ending;
}

static void what_is_assumed_is_told(void **unused)
{
    static const struct {
        const char *path[3], *last, *told;
    } assumed[] = {
        {{"game"}, "players", ".game.players.team0 = four usual hands"},
        {{"game", "players"}, "team1", ".game.players.team1 = four usual hands"},
        {{"game", "setting"}, "five_rock_rule", ".game.setting.five_rock_rule = true"},
        {{"game", "setting"}, "sheet_width", ".game.setting.sheet_width = 4.75"},
        {{"game", "simulator"}, "seconds_per_frame", ".game.simulator.seconds_per_frame = 0.001"},
    };

    (void)unused;
    for (size_t k = 0; k < sizeof assumed / sizeof assumed[0]; k++)
        for (int with_null = 0; with_null < 2; with_null++) {
            const char *path[3] = {assumed[k].path[0], assumed[k].path[1], assumed[k].path[2]};
            const struct ending ending = ready_without(path, assumed[k].last, with_null);
            assert_int_equal(ending.next, TALK_LISTEN);
            if (!strstr(ending.warning, assumed[k].told))
                fail_msg("'%s' without '%s'", ending.warning, assumed[k].told);
        }
}

static void a_command_that_nobody_knows_is_noted(void **unused)
{
    const struct ending ending = hear_to(&dc3, 2, "{\"cmd\":\"sing\",\"song\":1}");

    (void)unused;
    assert_int_equal(ending.next, TALK_LISTEN);
    assert_non_null(strstr(ending.note, "sing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_nobody_knows_change_nothing),
        cmocka_unit_test(what_may_be_left_out_is_left_out),
        cmocka_unit_test(what_is_assumed_is_told),
        cmocka_unit_test(a_command_that_nobody_knows_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
