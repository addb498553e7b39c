/* Records of matches: a written record reads back, anything else is refused. */
#include "api/curling/match_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct record_name name = {3, 12, 123456789012};
static const struct pair_result result = {
    .game = {{.ends = 2, .end = {{-8, false}, {5, true}}, .half_points = 0},
             {.ends = 0, .half_points = 2, .conceded = true}},
    .effort = {{7, 1000, .125, .25}, {8, 0, 1e-9, 0.0}}};

static char *pair_line(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    match_record_write_pair(out, &name, &result);
    fclose(out);
    return text;
}

static void a_pair_reads_back(void **state)
{
    (void)state;
    struct record_name name_read;
    struct pair_result read;
    char *line = pair_line(), *again = NULL;
    size_t size;

    assert_true(match_record_read_pair(line, strlen(line), &name_read, &read));
    assert_memory_equal(&name_read, &name, sizeof name);
    FILE *out = open_memstream(&again, &size);
    match_record_write_pair(out, &name_read, &read);
    fclose(out);
    assert_string_equal(again, line);
    free(again);
    free(line);
}

static void a_game_is_seen_from_both_sides(void **state)
{
    (void)state;
    const struct pair_game game = {.ends = 2,
                                   .end = {{-8, false}, {5, true}},
                                   .half_points = 0,
                                   .has_luck = true,
                                   .luck = {0.25, -1.5}};
    struct pair_game read, turned = pair_game_turned(game);
    json_t *text = pair_game_json(&turned);

    assert_int_equal(turned.half_points, 2);
    assert_int_equal(turned.end[0].score, 8);
    assert_int_equal(turned.end[1].score, -5);
    assert_true(turned.end[0].hammer && !turned.end[1].hammer);
    assert_true(turned.luck.win == -0.25 && turned.luck.points == 1.5);
    assert_true(pair_game_read(text, &read));
    assert_int_equal(read.ends, 2);
    assert_int_equal(read.half_points, 2);
    assert_int_equal(read.end[0].score, 8);
    json_object_set_new(text, "half_points", json_integer(3));
    assert_false(pair_game_read(text, &read));
    json_decref(text);
}

/* A line cut by a power failure is not a record. */
static void an_incomplete_line_is_refused(void **state)
{
    (void)state;
    struct record_name name_read = {-1, -1, -1};
    struct pair_result read;
    char *line = pair_line();

    for (size_t length = 0; length + 1 < strlen(line); length++)
        assert_false(match_record_read_pair(line, length, &name_read, &read));
    assert_int_equal(name_read.first, -1);
    free(line);
}

static void a_line_is_named_by_its_beginning(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "{}",
        "{\"record\":\"header\",\"version\":1}",
        "{\"record\":\"shot\",\"pairing\":[0,1],\"pair\":7,\"game\":2,",
        "{\"record\":\"shot\",\"pairing\":[0,1],\"pair\":7,\"end\":0,",
        "{\"record\":\"pair\",\"pairing\":[0,-1],\"pair\":7,",
        "{\"record\":\"pair\",\"pairing\":[0,1],\"pair\":1234567890123456789,",
        "{\"record\":\"pair\",\"pairing\":[0,1],\"pair\": 7,"};
    const struct match_record_line shot = {MATCH_RECORD_SHOT, name, 1};
    struct match_record_line read = {.game = -1};
    char *text = NULL, *line = pair_line();
    size_t size;
    FILE *out = open_memstream(&text, &size);

    match_record_begin(out, &shot);
    fclose(out);
    assert_true(match_record_read(text, &read));
    assert_int_equal(read.kind, MATCH_RECORD_SHOT);
    assert_memory_equal(&read.name, &name, sizeof name);
    assert_int_equal(read.game, 1);
    assert_true(match_record_read(line, &read));
    assert_int_equal(read.kind, MATCH_RECORD_PAIR);
    read.game = -1;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        assert_false(match_record_read(others[k], &read));
    assert_int_equal(read.game, -1);
    free(text);
    free(line);
}

static void games_are_shown_as_they_are_written(void **state)
{
    (void)state;
    char *line = pair_line();
    json_t *pair = json_loads(line, 0, NULL);

    for (size_t k = 0; k < 2; k++) {
        json_t *game = pair_game_json(&result.game[k]);
        assert_true(json_equal(game, json_array_get(json_object_get(pair, "games"), k)));
        json_decref(game);
    }
    json_decref(pair);
    free(line);
}

static void players_are_found_in_the_header(void **state)
{
    (void)state;
    json_t *header = json_pack("{s:[s, s, s]}", "players", "rink", "random", "rink");

    assert_int_equal(match_record_player(header, "rink", 0), 0);
    assert_int_equal(match_record_player(header, "rink @ 400 simulations", 1), 2);
    assert_int_equal(match_record_player(header, "rin", 0), -1);
    assert_int_equal(match_record_player(header, NULL, 0), -1);
    assert_int_equal(match_record_player(NULL, "rink", 0), -1);
    json_decref(header);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_reads_back),
        cmocka_unit_test(a_game_is_seen_from_both_sides),
        cmocka_unit_test(an_incomplete_line_is_refused),
        cmocka_unit_test(a_line_is_named_by_its_beginning),
        cmocka_unit_test(games_are_shown_as_they_are_written),
        cmocka_unit_test(players_are_found_in_the_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
