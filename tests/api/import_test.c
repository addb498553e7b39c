/* Logs of games from elsewhere, as people have them: names of any script, copies of other systems,
 * the paths of all stones, games that were broken off, turns that are fast. */
#include "tests/api/jobs.h"

#include <math.h>

#define GAME_ID "9b18a080-b403-4d3d-8254-13f4a42071dc" /* of the files of Digital Curling 3 */

/* ---- files ---- */

/* A file of tests/games. */
static char *file_of(const char *name)
{
    char path[512], *text = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, TEST_GAMES "/%s", name);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

/* The text with another word in each place of one; takes the text. */
static char *with(char *text, const char *word, const char *other)
{
    char *changed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&changed, &size);
    const char *at = text;

    assert_non_null(strstr(text, word));
    for (const char *next; (next = strstr(at, word)) != NULL; at = next + strlen(word))
        fprintf(out, "%.*s%s", (int)(next - at), at, other);
    fputs(at, out);
    fclose(out);
    free(text);
    return changed;
}

/* A file as one of another game: copies of a game are known again. */
static char *game_of(const char *name, const char *id)
{
    return with(file_of(name), GAME_ID, id);
}

/* ---- imports ---- */

/* Sends a file, takes it, and returns its job, which has ended in that state. */
static json_t *import(char *text, long status, const char *state)
{
    struct reply sent = ask("POST", "/v1/games", text, status);
    json_t *job = wait_for(json_integer_value(json_object_get(sent.json, "job")), state);

    reply_free(&sent);
    free(text);
    return job;
}

static int64_t id_of(const json_t *job)
{
    return (int64_t)json_integer_value(json_object_get(job, "id"));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The only match of a job. */
static json_t *match_of(const json_t *job)
{
    json_t *matches = get("/v1/matches?job=%lld", (long long)id_of(job));
    json_t *items = json_object_get(matches, "items");

    assert_int_equal(json_array_size(items), 1);
    json_t *match = json_incref(json_array_get(items, 0));
    json_decref(matches);
    return match;
}

/* The lines of the game of a job: its description, then its shots. */
static json_t *lines_of(const json_t *job)
{
    json_t *match = match_of(job), *lines = json_array();
    char path[64];

    snprintf(path, sizeof path, "/v1/games/%lld-0-0",
             (long long)json_integer_value(json_object_get(match, "id")));
    json_decref(match);
    struct reply game = ask("GET", path, NULL, 200);
    for (char *at = game.text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1)
        json_array_append_new(lines, json_loadb(at, (size_t)(end - at), 0, NULL));
    reply_free(&game);
    return lines;
}

/* A quick review of the game of a job, which has ended. */
static json_t *review_of(const json_t *job)
{
    json_t *match = match_of(job);
    char body[200];

    snprintf(body, sizeof body,
             "{\"kind\":\"review\",\"spec\":{\"game\":\"%lld-0-0\",\"throws\":64,"
             "\"limits\":{\"simulations\":50}}}",
             (long long)json_integer_value(json_object_get(match, "id")));
    json_decref(match);
    return wait_for(add(body), "done");
}

static char *text_of_lines(const json_t *lines)
{
    char *text = NULL;
    size_t size = 0, k;
    const json_t *line;
    FILE *out = open_memstream(&text, &size);

    json_array_foreach(lines, k, line)
    {
        json_dumpf(line, out, JSON_COMPACT);
        putc('\n', out);
    }
    fclose(out);
    return text;
}

/* ---- names ---- */

static int matches_of(const char *player)
{
    json_t *matches = get("/v1/matches?player=%s", player);
    int count = (int)json_array_size(json_object_get(matches, "items"));

    json_decref(matches);
    return count;
}

static void teams_of_any_script_keep_their_names(void **state)
{
    json_t *job = import(file_of("names.dcl2"), 202, "done"), *match = match_of(job);

    (void)state;
    assert_string_equal(text_of(match, "a"), "dc3:北見工大");
    assert_string_equal(text_of(match, "b"), "dc3:電気通信");
    assert_int_equal(matches_of("dc3:%E5%8C%97%E8%A6%8B%E5%B7%A5%E5%A4%A7"), 1);
    json_decref(match);
    json_decref(job);
}

/* An accent may be a character of its own, or part of its letter. */
static void a_name_is_the_same_in_each_spelling(void **state)
{
    char *text = with(game_of("names.dcl2", "spelling"), "北見工大", "E\u0301quipe");
    json_t *job = import(with(text, "電気通信", "\u00c9quipe B"), 202, "done");

    (void)state;
    assert_int_equal(matches_of("dc3:%C3%89quipe"), 1);
    assert_int_equal(matches_of("dc3:E%CC%81quipe"), 1);
    assert_int_equal(matches_of("dc3:E%CC%81quipe_B"), 1);
    json_decref(job);
}

static void sides_of_dc4_are_those_of_their_teams(void **state)
{
    char *text = with(file_of("fast-spin.dc4.jsonl"), "\"first_team_name\":\"ai-simple\"",
                      "\"first_team_name\":\"北見工大\"");
    json_t *job = import(with(text, "849267cf", "names"), 202, "done"), *match = match_of(job);

    (void)state;
    assert_string_equal(text_of(match, "a"), "dc4:北見工大");
    assert_string_equal(text_of(match, "b"), "dc4:ai-simple");
    json_decref(match);
    json_decref(job);
}

/* ---- one game ---- */

static void a_game_is_one_in_each_copy_of_its_log(void **state)
{
    static const char *const copies[] = {"bom.dcl2", "client-messages.log", "unfinished.dcl2"};
    json_t *job = import(file_of("crlf.dcl2"), 202, "done");

    (void)state;
    for (size_t k = 0; k < sizeof copies / sizeof copies[0]; k++) {
        json_t *again = import(file_of(copies[k]), 200, "done");
        assert_int_equal(id_of(again), id_of(job));
        json_decref(again);
    }
    json_decref(job);
}

/* Records have no id that holds elsewhere; their lines tell. */
static void a_record_is_one_with_any_ends_of_lines(void **state)
{
    json_t *job = import(with(file_of("no-intended.jsonl"), "\n", "\r\n"), 202, "done");
    json_t *again = import(file_of("no-intended.jsonl"), 200, "done");

    (void)state;
    assert_int_equal(id_of(again), id_of(job));
    json_decref(again);
    json_decref(job);
}

static void a_caller_cannot_name_the_game_of_another_log(void **state)
{
    json_t *first = import(game_of("bom.dcl2", "named"), 202, "done");
    json_t *spec = json_object_get(first, "spec");

    (void)state;
    json_object_set_new(spec, "states", json_integer(999));
    json_t *body = json_pack("{s:s, s:O}", "kind", "import", "spec", spec);
    char *text = json_dumps(body, JSON_COMPACT);
    json_t *job = wait_for(add(text), "done");
    assert_null(json_object_get(json_object_get(job, "spec"), "game"));
    assert_null(json_object_get(json_object_get(job, "spec"), "states"));
    free(text);
    json_decref(body);
    json_decref(job);
    json_decref(first);
}

/* ---- games without an end ---- */

static void a_game_that_was_broken_off_is_kept_with_its_shots(void **state)
{
    json_t *job = import(game_of("unfinished.dcl2", "broken"), 202, "done");
    const json_t *result = json_object_get(job, "result");
    json_t *lines = lines_of(job);
    const json_t *told = json_object_get(json_array_get(lines, 0), "result");

    (void)state;
    assert_string_equal(text_of(result, "reason"), "broken_off");
    assert_true(json_is_null(json_object_get(result, "winner")));
    assert_true(json_is_null(json_object_get(told, "half_points")));
    assert_int_equal(json_array_size(json_object_get(told, "ends")), 1);
    assert_int_equal((int)json_array_size(lines) - 1,
                     (int)json_integer_value(json_object_get(result, "shots")));
    assert_true(json_array_size(lines) > 16);
    json_decref(lines);
    json_t *review = review_of(job);
    assert_true(json_is_null(json_object_get(json_object_get(review, "result"), "winner")));
    json_decref(review);
    /* The whole game is more than what is known of it. */
    json_t *whole = import(game_of("bom.dcl2", "broken"), 202, "done");
    assert_string_equal(text_of(json_object_get(whole, "result"), "winner"), "team1");
    json_decref(whole);
    json_decref(job);
}

/* Its record is imported as it is. */
static void a_record_of_a_game_without_an_end_comes_back(void **state)
{
    json_t *job = import(game_of("unfinished.dcl2", "again"), 202, "done"), *lines = lines_of(job);

    (void)state;
    json_t *back = import(text_of_lines(lines), 202, "done");
    assert_string_equal(text_of(json_object_get(back, "result"), "reason"), "broken_off");
    json_decref(back);
    json_decref(lines);
    json_decref(job);
}

/* ---- calls ---- */

static void what_was_called_stays_unknown_where_the_log_does_not_tell_it(void **state)
{
    json_t *job = import(with(file_of("no-intended.jsonl"), "1-0-0", "2-0-0"), 202, "done");
    json_t *lines = lines_of(job), *shot;
    size_t k;

    (void)state;
    for (k = 1; k < json_array_size(lines); k++)
        assert_null(json_object_get(json_array_get(lines, k), "intended"));
    json_t *review = review_of(job);
    json_array_foreach(json_object_get(json_object_get(review, "result"), "shots"), k, shot)
        assert_true(json_is_true(json_object_get(shot, "estimated")));
    assert_int_equal(k, 32);
    json_decref(review);
    json_decref(lines);
    json_decref(job);
}

/* ---- hands ---- */

/* Whether the lines tell the hand of the player that throws the last stones of team 0 alone. */
static void check_hands(const json_t *lines)
{
    for (size_t k = 1; k < json_array_size(lines); k++) {
        const json_t *shot = json_array_get(lines, k), *hand = json_object_get(shot, "hand");
        const bool is_last = json_integer_value(json_object_get(shot, "shot")) >= 12;
        const bool is_team0 = json_integer_value(json_object_get(shot, "player")) == 0;
        assert_int_equal(hand != NULL, is_last && is_team0);
        if (hand)
            assert_true(json_number_value(json_object_get(hand, "stddev_speed")) == 0.05);
    }
}

static void each_thrower_keeps_the_hand_that_the_order_gives(void **state)
{
    static const char first[] = "\"team0\":[{\"type\":\"normal_dist\",\"max_speed\":4.0,"
                                "\"stddev_speed\":";
    char *text = with(game_of("names.dcl2", "hands"), "[0,1,2,3],\"team\":\"team0\"",
                      "[3,1,2,0],\"team\":\"team0\""),
         usual[128], other[128];

    (void)state;
    snprintf(usual, sizeof usual, "%s0.0076", first);
    snprintf(other, sizeof other, "%s0.05", first);
    json_t *job = import(with(text, usual, other), 202, "done"), *lines = lines_of(job);
    check_hands(lines);
    json_decref(job);
    /* The record tells it, too. */
    job = import(text_of_lines(lines), 202, "done");
    json_decref(lines);
    lines = lines_of(job);
    check_hands(lines);
    json_decref(lines);
    json_decref(job);
}

/* ---- turns ---- */

#define SIMULATION(turn)                                                                    \
    "{\"profile\":\"dc4\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":" \
    "{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":[],\"team1\":[]}},\"shot\":"         \
    "{\"translational_velocity\":2.4,\"shot_angle\":1.52,\"angular_velocity\":" turn "}}"

static void a_fast_turn_is_thrown_by_all_or_refused_by_name(void **state)
{
    json_t *job = import(file_of("fast-spin.dc4.jsonl"), 202, "done"), *lines = lines_of(job);
    const json_t *thrown = json_object_get(json_array_get(lines, 1), "executed");

    (void)state;
    assert_true(json_number_value(json_object_get(thrown, "omega")) > 15.7);
    json_decref(lines);
    json_decref(job);
    expect("POST", "/v1/simulations", SIMULATION("-15.708"), 200);
    refuses_field("/v1/simulations", SIMULATION("-41"), "/shot/angular_velocity");
    char *faster = with(with(file_of("fast-spin.dc4.jsonl"), "849267cf", "fast"),
                        "\"angular_velocity\":15.708", "\"angular_velocity\":157.08");
    struct reply refused = ask("POST", "/v1/games", faster, 422);
    assert_non_null(
        strstr(refused.text, "line 7: last_move.angular_velocity: 157.08 rad/s is more"));
    reply_free(&refused);
    free(faster);
}

/* ---- paths ---- */

/* The log with the paths of all stones, as servers write them: about 5 MB. */
static char *with_paths(char *log)
{
    enum { FRAMES = 16000 };
    char *text = NULL, *rest = log, *row;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    while ((row = strsep(&rest, "\n")) != NULL && *row) {
        json_t *line = json_loads(row, 0, NULL), *message = json_object_get(line, "log");
        json_t *last = json_object_get(message, "last_move");
        if (json_is_object(last)) {
            json_t *frames = json_array();
            for (int k = 0; k < FRAMES; k++)
                json_array_append_new(frames, json_pack("[f, f]", 0.5 * k, 1.25));
            json_object_set_new(
                last, "trajectory",
                json_pack("{s:f, s:o, s:O}", "seconds_per_frame", 0.1, "frames", frames, "finish",
                          json_object_get(json_object_get(message, "state"), "stones")));
        }
        json_dumpf(line, out, JSON_COMPACT);
        putc('\n', out);
        json_decref(line);
    }
    fclose(out);
    free(log);
    return text;
}

static void a_log_with_the_paths_of_all_stones_is_the_game_without_them(void **state)
{
    char *text = with_paths(game_of("names.dcl2", "paths"));

    (void)state;
    assert_true(strlen(text) > 4u << 20);
    json_t *job = import(text, 202, "done"), *lines = lines_of(job);
    assert_int_equal(json_array_size(lines), 33);
    /* The board at the end of an end is that at the end of the path. */
    assert_non_null(json_object_get(json_array_get(lines, 16), "final"));
    json_decref(lines);
    json_decref(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams_of_any_script_keep_their_names),
        cmocka_unit_test(a_name_is_the_same_in_each_spelling),
        cmocka_unit_test(sides_of_dc4_are_those_of_their_teams),
        cmocka_unit_test(a_game_is_one_in_each_copy_of_its_log),
        cmocka_unit_test(a_record_is_one_with_any_ends_of_lines),
        cmocka_unit_test(a_caller_cannot_name_the_game_of_another_log),
        cmocka_unit_test(a_game_that_was_broken_off_is_kept_with_its_shots),
        cmocka_unit_test(a_record_of_a_game_without_an_end_comes_back),
        cmocka_unit_test(what_was_called_stays_unknown_where_the_log_does_not_tell_it),
        cmocka_unit_test(each_thrower_keeps_the_hand_that_the_order_gives),
        cmocka_unit_test(a_fast_turn_is_thrown_by_all_or_refused_by_name),
        cmocka_unit_test(a_log_with_the_paths_of_all_stones_is_the_game_without_them),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
