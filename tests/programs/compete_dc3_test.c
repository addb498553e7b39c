/* rink-compete dc3 against a simulated server: whole games, recorded lines, and servers that break
 * the protocol. */
#include "api/curling/game_json.h"
#include "models/tables/profiles.h"
#include "tests/programs/dc3_host.h"
#include "tests/programs/usage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const quick[] = {"--player=ai-simple", "--silence=200", NULL};

/* ---- whole games ---- */

static void check_points(const json_t *result, const struct game *game)
{
    const json_t *points = json_object_get(result, "points");

    for (int team = 0; team < 2; team++)
        assert_int_equal(json_integer_value(json_object_get(points, game_team_name(team))),
                         game_total(game, team));
    assert_string_equal(json_string_value(json_object_get(result, "winner")),
                        game_team_name(game->result.winner));
}

/* The last thought knows the other team's throws of this game; `least`: where the server does not
 * tell the last stones of ends. */
static void check_opponent(const char *log, int least, int most)
{
    FILE *file = fopen(log, "r");
    char *line = NULL;
    size_t size = 0;
    json_int_t throws = -1;

    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        json_t *object = json_loads(line, 0, NULL);
        const json_t *opponent = json_object_get(json_object_get(object, "thought"), "opponent");
        if (opponent)
            throws = json_integer_value(json_object_get(opponent, "throws"));
        json_decref(object);
    }
    free(line);
    fclose(file);
    if (throws < least || throws > most)
        fail_msg("%lld throws of the other team", (long long)throws);
}

/* `fallbacks_max`: searches that may be stopped by the clock, on a slow machine. */
static void play_whole(const char *folder, const char *const *options, double clock_s,
                       int fallbacks_max)
{
    const struct profile *profile = profile_find("dc3");
    struct dc3_host host = {.ice = profile->ice, .us = 0, .clock_s = clock_s};
    struct peer peer;

    assert_int_equal(game_start(&profile->rules, 2, RULES_ENDS_MAX, 1, &host.game), GAME_OK);
    peer_start(&peer, "dc3", folder, options);
    peer_accept(&peer);
    dc3_greet(&peer);
    int shots = dc3_host_game(&peer, &host);
    json_t *result = peer_end(&peer, 0, "over");
    assert_int_equal(json_integer_value(json_object_get(result, "decisions")), shots);
    assert_true(json_integer_value(json_object_get(result, "fallbacks")) <= fallbacks_max);
    check_points(result, &host.game);
    json_decref(result);
    check_opponent(peer.log, shots - 3, shots);
    peer_check_replay(&peer, shots);
    free(peer.log);
}

static void a_game_is_played_to_its_end_with_equal_scores(void **state)
{
    play_whole(*state, quick, 60.0, 0);
}

static void a_search_with_a_clock_repeats_from_its_log(void **state)
{
    const char *const options[] = {"--player=rink", "--seed=5", "--silence=200", NULL};
    play_whole(*state, options, 2.0, RULES_ENDS_MAX);
}

/* ---- odd but good ---- */

static void long_lines_in_small_pieces_are_put_together(void **state)
{
    struct peer peer;
    char *line = NULL;

    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    dc3_greet(&peer);
    /* 40 KB, with a member that nobody knows */
    assert_true(asprintf(&line, "{\"filler\":\"%040000d\",%s\n", 0, &UPDATE[1]) > 0);
    peer_send(&peer, line, 1000);
    free(line);
    json_decref(peer_hear_cmd(&peer, "move"));
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    free(peer.log);
}

/* Waits until the log of a program has this text. */
static void await_in_log(const struct peer *peer, const char *text)
{
    char line[8192];
    bool is_told = false;

    for (; !is_told; usleep(10000)) {
        FILE *file = fopen(peer->log, "re");
        while (file && !is_told && fgets(line, sizeof line, file))
            is_told = strstr(line, text) != NULL;
        if (file)
            fclose(file);
    }
}

static void what_servers_add_or_leave_out_is_told_and_played(void **state)
{
    static const char is_ready[] =
        "{\"cmd\":\"is_ready\",\"team\":\"team0\",\"round\":3,\"game\":{\"rule\":\"normal\","
        "\"setting\":{\"max_end\":2},\"simulator\":{\"type\":\"fcv1\"},\"players\":{\"team0\":["
        "{\"name\":\"Lead\",\"type\":\"normal_dist\",\"max_speed\":4.0,\"stddev_speed\":0.0076,"
        "\"stddev_angle\":0.0018,\"seed\":null}," IDENTICAL "," HAND "," HAND "]}}}";
    struct peer peer;

    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    peer_say(&peer, DC);
    json_decref(peer_hear_cmd(&peer, "dc_ok"));
    peer_say(&peer, "{\"cmd\":\"news\"}");
    peer_say(&peer, is_ready);
    json_decref(peer_hear_cmd(&peer, "ready_ok"));
    peer_say(&peer, NEW_GAME);
    peer_say(&peer, UPDATE);
    json_decref(peer_hear_cmd(&peer, "move"));
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    await_in_log(&peer, "the unknown command news is ignored");
    await_in_log(&peer, ".game.players.team0.0.name");
    await_in_log(&peer, ".game.setting.five_rock_rule = true");
    await_in_log(&peer, ".game.players.team1 = four usual hands");
    free(peer.log);
}

/* A mute server speaks after it was told of: it may be slow, and the game goes on. */
static void a_server_that_does_not_greet_is_told_after_a_while(void **state)
{
    struct peer peer;

    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    await_in_log(&peer, "connected, but the server says nothing; is it the wrong port");
    dc3_greet(&peer);
    peer_say(&peer, UPDATE);
    json_decref(peer_hear_cmd(&peer, "move"));
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    free(peer.log);
}

/* The usual silence of a game, an hour, begins with its first word. */
static void a_server_that_never_greets_is_given_up_as_one_that_never_comes(void **state)
{
    const char *const options[] = {"--player=ai-simple", "--wait=1", NULL};
    struct peer peer;

    peer_start(&peer, "dc3", *state, options);
    peer_accept(&peer);
    json_t *result = peer_end(&peer, 6, "silent");
    assert_non_null(strstr(json_string_value(json_object_get(result, "why")),
                           "the server says nothing; is it the wrong port"));
    json_decref(result);
    free(peer.log);
}

static void stones_that_cannot_lie_so_are_taken_off_and_told(void **state)
{
    struct peer peer;
    char text[8192] = "";

    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    dc3_greet(&peer);
    peer_say(&peer, UPDATE_OF("\"team0\"", "2", "null",
                              "{\"angle\":0,\"position\":{\"x\":0.0,\"y\":99.0}},null,null,null,"
                              "null,null,null,null"));
    json_decref(peer_hear_cmd(&peer, "move"));
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    FILE *file = fopen(peer.log, "re");
    bool told = false;
    while (fgets(text, sizeof text, file))
        told = told || strstr(text, "\"note\":\"stones taken off: stones.team0[0]");
    fclose(file);
    assert_true(told);
    free(peer.log);
}

static void a_game_lost_on_time_has_a_status_of_its_own(void **state)
{
    struct peer peer;

    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    dc3_greet(&peer);
    peer_say(&peer,
             UPDATE_OF("null", "1", "{\"winner\":\"team1\",\"reason\":\"time_limit\"}", NULLS));
    peer_say(&peer, "{\"cmd\":\"game_over\"}");
    json_decref(peer_end(&peer, 7, "late"));
    free(peer.log);
}

/* ---- refusals ---- */

static void games_that_cannot_be_played_are_refused_by_name(void **state)
{
    static const struct {
        const char *line, *why;
    } games[] = {{IS_READY_OF("mix", "4.75", "fcv1"), "cannot play with rule \"mix\""},
                 {IS_READY_OF("normal", "5.5", "fcv1"), "cannot play with sheet_width 5.5"},
                 {IS_READY_OF("normal", "4.75", "ideal"), "cannot play with simulator"}};

    for (size_t k = 0; k < sizeof games / sizeof games[0]; k++) {
        struct peer peer;
        peer_start(&peer, "dc3", *state, quick);
        peer_accept(&peer);
        peer_say(&peer, DC);
        json_decref(peer_hear_cmd(&peer, "dc_ok"));
        peer_say(&peer, games[k].line);
        assert_null(peer_hear(&peer)); /* nothing is promised */
        json_t *result = peer_end(&peer, 3, "refused");
        assert_non_null(strstr(json_string_value(json_object_get(result, "why")), games[k].why));
        json_decref(result);
        free(peer.log);
    }
}

/* ---- servers that break the protocol ---- */

static void broken_servers_end_the_game_and_are_told(void **state)
{
    static const struct {
        const char *text;
        bool greeted, hangs_up;
        int status;
        const char *word, *why;
    } broken[] = {
        {"{\"cmd\":\"dc\",", false, true, 5, "closed", "in the middle of a message"},
        {"", false, true, 5, "closed", "closed the connection"},
        {"hello\n", false, false, 4, "broken", "not a JSON object"},
        {"[1,2]\n", false, false, 4, "broken", "not a JSON object"},
        {"{\"command\":\"dc\"}\n", false, false, 4, "broken", "without cmd"},
        {UPDATE "\n", false, false, 4, "broken", "update at the wrong time"},
        {"{\"cmd\":\"dc\",\"version\":{\"major\":2}}\n", false, false, 3, "refused", "version 2"},
        {"{\"cmd\":\"dc\",\"version\":\"one\"}\n", false, false, 4, "broken", "dc.version"},
        {UPDATE_OF("\"team1\"", "0", "null", NULLS) "\n", true, false, 4, "broken",
         "update.next_team"},
        {UPDATE_OF("\"team0\"", "\"three\"", "null", NULLS) "\n", true, false, 4, "broken",
         "update.state.shot"},
        {UPDATE_OF("\"team0\"", "0", "null", "7,null") "\n", true, false, 4, "broken",
         "update.state.stones"},
        {"{\"cmd\":\"update\",\"state\":17}\n", true, false, 4, "broken", "update.state"},
        {"{\"cmd\":\"game_over\"}\n", true, false, 4, "broken", "without a result"},
        {"{\"cmd\":\"\xff\xfe\"}\n", true, false, 4, "broken", "not a JSON object"},
        {UPDATE, true, true, 5, "closed", "in the middle of a message"},
    };

    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        struct peer peer;
        peer_start(&peer, "dc3", *state, quick);
        peer_accept(&peer);
        if (broken[k].greeted)
            dc3_greet(&peer);
        peer_send(&peer, broken[k].text, 0);
        if (broken[k].hangs_up)
            peer_hang_up(&peer);
        json_t *result = peer_end(&peer, broken[k].status, broken[k].word);
        const char *why = json_string_value(json_object_get(result, "why"));
        if (!strstr(why, broken[k].why))
            fail_msg("case %zu: '%s' without '%s'", k, why, broken[k].why);
        json_decref(result);
        free(peer.log);
    }
}

static void a_silent_server_is_given_up(void **state)
{
    const char *const options[] = {"--player=ai-simple", "--silence=1", NULL};
    struct peer peer;

    peer_start(&peer, "dc3", *state, options);
    peer_accept(&peer);
    dc3_greet(&peer);
    json_decref(peer_end(&peer, 6, "silent"));
    free(peer.log);
}

static void a_message_without_end_is_given_up(void **state)
{
    struct peer peer;
    char *text = malloc((6 << 20) + 2);

    assert_non_null(text);
    memset(text, 'x', 6 << 20);
    strcpy(text + (6 << 20), "\n");
    peer_start(&peer, "dc3", *state, quick);
    peer_accept(&peer);
    peer_send(&peer, text, 0);
    free(text);
    json_t *result = peer_end(&peer, 4, "broken");
    assert_string_equal(json_string_value(json_object_get(result, "why")), "a message is too long");
    json_decref(result);
    free(peer.log);
}

/* A server that repeats itself while the program thinks gets one answer to the newest position. */
static void a_storm_of_updates_gets_answers_and_no_hang(void **state)
{
    const char *const options[] = {"--player=rink:simulations=20000", "--silence=200", NULL};
    struct peer peer;

    peer_start(&peer, "dc3", *state, options);
    peer_accept(&peer);
    dc3_greet(&peer);
    for (int k = 0; k < 200; k++)
        peer_say(&peer, UPDATE);
    json_decref(peer_hear_cmd(&peer, "move"));
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    free(peer.log);
}

/* ---- the program ---- */

static struct program_run compete(const char *const *more)
{
    const char *argv[8] = {RINK_COMPETE};

    for (int k = 0; more[k]; k++)
        argv[1 + k] = more[k];
    return program_run(argv, "", 0);
}

static void wrong_usage_is_refused(void **state)
{
    static const char *const usages[][7] = {
        {"dc3", "localhost", NULL},
        {"dc3", "a", "b", "c", NULL},
        {"dc3", "a", "1", "--reserve=95%", NULL},
        {"dc3", "a", "1", "--player=nobody", NULL},
        {"dc4", "http://a", NULL},
        {"dc4", "http://a", "--match=../x", "--user=u", "--password-file=f", NULL},
        {"replay", NULL},
        {"replay", "/nonexistent/log", NULL},
    };

    (void)state;
    for (size_t k = 0; k < sizeof usages / sizeof usages[0]; k++) {
        struct program_run run = compete(usages[k]);
        if (run.status != 1 || run.errors[0] == '\0')
            fail_msg("usage %zu: status %d, %s", k, run.status, run.errors);
        program_free(&run);
    }
}

static void a_log_is_never_written_over(void **state)
{
    char path[512], option[600];
    snprintf(path, sizeof path, "%s/taken", (const char *)*state);
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    fclose(file);
    snprintf(option, sizeof option, "--log=%s", path);
    const char *const more[] = {"dc3", "127.0.0.1", "1", option, "--player=ai-simple", NULL};
    struct program_run run = compete(more);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "File exists"));
    program_free(&run);
}

static void nobody_who_listens_is_told(void **state)
{
    char option[600];
    snprintf(option, sizeof option, "--log=%s/nobody", (const char *)*state);
    const char *const more[] = {"dc3",      "127.0.0.1",          "1", option,
                                "--wait=0", "--player=ai-simple", NULL};
    struct program_run run = compete(more);

    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "Connection refused"));
    program_free(&run);
}

static void the_manual_page_names_every_option(void **state)
{
    static const char *const commands[] = {"dc2", "dc3", "dc4", "replay"};
    char *page = usage_page(RINK_COMPETE_PAGE);

    (void)state;
    usage_is_told(RINK_COMPETE, "rink-compete", "Usage: rink-compete COMMAND [OPTION...]\n");
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        const char *const more[] = {commands[k], "--help", NULL};
        struct program_run help = compete(more);
        assert_true(usage_page_has_options(page, help.output) > 0);
        program_free(&help);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_played_to_its_end_with_equal_scores),
        cmocka_unit_test(a_search_with_a_clock_repeats_from_its_log),
        cmocka_unit_test(long_lines_in_small_pieces_are_put_together),
        cmocka_unit_test(what_servers_add_or_leave_out_is_told_and_played),
        cmocka_unit_test(a_server_that_does_not_greet_is_told_after_a_while),
        cmocka_unit_test(a_server_that_never_greets_is_given_up_as_one_that_never_comes),
        cmocka_unit_test(stones_that_cannot_lie_so_are_taken_off_and_told),
        cmocka_unit_test(a_game_lost_on_time_has_a_status_of_its_own),
        cmocka_unit_test(games_that_cannot_be_played_are_refused_by_name),
        cmocka_unit_test(broken_servers_end_the_game_and_are_told),
        cmocka_unit_test(a_silent_server_is_given_up),
        cmocka_unit_test(a_message_without_end_is_given_up),
        cmocka_unit_test(a_storm_of_updates_gets_answers_and_no_hang),
        cmocka_unit_test(wrong_usage_is_refused),
        cmocka_unit_test(a_log_is_never_written_over),
        cmocka_unit_test(nobody_who_listens_is_told),
        cmocka_unit_test(the_manual_page_names_every_option),
    };

    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
