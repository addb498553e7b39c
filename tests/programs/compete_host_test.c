/* rink-compete host of Digital Curling 3: games between players of ours, against clients of the
 * test, and with clients that break the protocol. */
#include "tests/programs/hosted.h"
#include "tests/programs/usage.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- whole games ---- */

static void players_of_ours_play_to_the_end_and_the_logs_are_whole(void **state)
{
    const char *const options[] = {"--team0=ai-simple", "--team1=ai-simple", "--ends=2", NULL};
    struct hosted hosted = host_start(*state, options);
    json_t *result = host_end(&hosted, 0, "over", "");
    int lines, shots = (int)json_integer_value(json_object_get(result, "shots"));
    char path[192];

    assert_string_equal(json_string_value(json_object_get(result, "reason")), "score");
    assert_true(shots >= 32);
    json_t *last = host_last_line(hosted.folder, "game.dcl2", &lines);
    assert_string_equal(json_string_value(json_object_get(json_object_get(last, "log"), "cmd")),
                        "game_over");
    assert_true(lines >= 6 + 2 * shots);
    json_decref(last);
    last = host_last_line(hosted.folder, "records.jsonl", &lines);
    assert_string_equal(json_string_value(json_object_get(last, "record")), "pair");
    assert_int_equal(lines, shots + 2);
    json_decref(last);
    snprintf(path, sizeof path, "%s/shot_e001s15.json", hosted.folder);
    json_t *shot = json_load_file(path, 0, NULL);
    const json_t *way = json_object_get(json_object_get(shot, "log"), "trajectory");
    assert_true(json_array_size(json_object_get(way, "frames")) > 50);
    json_decref(shot);
    json_decref(result);
}

static void the_same_seed_gives_the_same_game(void **state)
{
    const char *const options[] = {"--team0=ai-simple", "--team1=ai-simple", NULL};
    json_t *points[2];

    for (int k = 0; k < 2; k++) {
        struct hosted hosted = host_start(*state, options);
        json_t *result = host_end(&hosted, 0, "over", "");
        char path[192];
        snprintf(path, sizeof path, "%s/shot_e000s15.json", hosted.folder);
        json_t *shot = json_load_file(path, 0, NULL);
        points[k] = json_incref(
            json_object_get(json_object_get(json_object_get(shot, "log"), "trajectory"), "finish"));
        assert_non_null(points[k]);
        json_decref(shot);
        json_decref(result);
    }
    assert_true(json_equal(points[0], points[1]));
    json_decref(points[0]);
    json_decref(points[1]);
}

/* The client plays team0 and looks at what it is told. */
static void a_client_is_told_what_the_official_server_tells(void **state)
{
    const char *const options[] = {"--team1=ai-simple", "--trajectory=kept", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer client = client_of(hosted.ports[0]);
    json_t *update, *last;
    char *text = NULL;

    client_greet(&client);
    update = client_await_turn(&client, "team0", NULL);
    assert_true(json_is_null(json_object_get(update, "last_move")));
    json_decref(update);
    /* 40 KB, with members that nobody knows, in pieces */
    assert_true(asprintf(&text, "{\"filler\":\"%040000d\",%s\r\n", 0, &MOVE[1]) > 0);
    peer_send(&client, text, 1000);
    free(text);
    update = client_await_turn(&client, "team0", NULL);
    const json_t *board = json_object_get(update, "state");
    assert_int_equal(json_integer_value(json_object_get(board, "shot")), 2);
    assert_string_equal(json_string_value(json_object_get(board, "hammer")), "team1");
    assert_true(json_is_null(json_object_get(board, "game_result")));
    const json_t *stones = json_object_get(board, "stones"), *list, *stone;
    const char *team;
    size_t k;
    int lying = 0;
    json_object_foreach((json_t *)stones, team, list)
    {
        assert_int_equal(json_array_size(list), 8);
        json_array_foreach(list, k, stone)
        {
            assert_true(json_is_null(stone) || json_is_number(json_object_get(stone, "angle")));
            lying += json_is_object(stone);
        }
    }
    assert_true(lying > 0);
    json_decref(update);
    peer_say(&client, CONCEDE);
    assert_null(client_await_turn(&client, "team0", &last));
    const json_t *end = json_object_get(json_object_get(last, "state"), "game_result");
    assert_string_equal(json_string_value(json_object_get(end, "reason")), "concede");
    assert_string_equal(json_string_value(json_object_get(end, "winner")), "team1");
    json_decref(last);
    peer_hang_up(&client);
    json_t *result = host_end(&hosted, 0, "over", "");
    assert_string_equal(json_string_value(json_object_get(result, "winner")), "team1");
    json_decref(result);
}

static void a_team_that_is_silent_loses_on_time(void **state)
{
    const char *const options[] = {"--team1=ai-simple", "--time=1", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer client = client_of(hosted.ports[0]);
    json_t *last;

    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    assert_null(client_await_turn(&client, "team0", &last));
    const json_t *end = json_object_get(json_object_get(last, "state"), "game_result");
    assert_string_equal(json_string_value(json_object_get(end, "reason")), "time_limit");
    assert_string_equal(json_string_value(json_object_get(end, "winner")), "team1");
    json_decref(last);
    peer_hang_up(&client);
    json_decref(host_end(&hosted, 0, "over", ""));
}

/* It has played to the end, even if it does not hear it. */
static void a_client_may_hang_up_with_its_last_word(void **state)
{
    const char *const options[] = {"--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer client = client_of(hosted.ports[0]);

    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, CONCEDE);
    peer_hang_up(&client);
    json_decref(host_end(&hosted, 0, "over", ""));
}

/* ---- clients that break the protocol ---- */

/* What somebody may say who is no client, or one with a mistake: every message of the protocol, in
 * and out of turn, whole and half, and what other programs say to a port. */
static const char *const words_of_strangers[] = {
    "",
    "\n",
    "hello\n",
    "GET / HTTP/1.1\r\nHost: here\r\n\r\n",
    "\x16\x03\x01\x02\n",
    "null\n",
    "[]\n",
    "{}\n",
    "{\"cmd\":7}\n",
    "{\"cmd\":\"\xff\"}\n",
    "{\"cmd\":\"dc_ok\"",
    "{\"cmd\":\"dc_ok\",\"dialogue_id\":1}\n",
    "{\"cmd\":\"dc_ok\",\"name\":null}\n",
    "{\"cmd\":\"dc_ok\",\"name\":[\"visitor\"]}\n",
    DC_OK "\n",
    DC_OK "\n" DC_OK "\n",
    DC_OK "\n{\"cmd\":\"ready_ok\"",
    "{\"cmd\":\"ready_ok\"}\n",
    "{\"cmd\":\"ready_ok\",\"player_order\":[0,1,2]}\n",
    "{\"cmd\":\"ready_ok\",\"player_order\":[0,1,2,2]}\n",
    "{\"cmd\":\"ready_ok\",\"player_order\":[0,1,2,9]}\n",
    "{\"cmd\":\"ready_ok\",\"player_order\":\"0123\"}\n",
    READY_OK "\n",
    READY_OK "\n" MOVE "\n",
    MOVE "\n",
    CONCEDE "\n",
    "{\"cmd\":\"dc\",\"version\":{\"major\":1}}\n",
    "{\"cmd\":\"is_ready\",\"team\":\"team0\"}\n",
    "{\"cmd\":\"new_game\"}\n",
    "{\"cmd\":\"update\"}\n",
    "{\"cmd\":\"game_over\"}\n",
};
enum { STRANGERS = sizeof words_of_strangers / sizeof words_of_strangers[0], HUGE_WORDS = 2 };

/* The words with this number, also lines longer than any of the protocol; the caller frees them. */
static char *stranger_words(size_t number)
{
    char *text = NULL;

    if (number < STRANGERS)
        text = strdup(words_of_strangers[number]);
    else
        assert_true(asprintf(&text, "%070000d%s", 0, number == STRANGERS ? "" : "\n") > 0);
    assert_non_null(text);
    return text;
}

/* Brings a client to a phase before the game: connected, named, ready. */
static void reach(struct peer *client, int phase)
{
    json_decref(peer_hear_cmd(client, "dc"));
    if (phase == 0)
        return;
    peer_say(client, DC_OK);
    json_decref(peer_hear_cmd(client, "is_ready"));
    if (phase > 1)
        peer_say(client, READY_OK);
}

static void strangers_end_nothing(void **state)
{
    const char *const none[] = {NULL};
    struct hosted hosted = host_start(*state, none);
    struct peer client = client_of(hosted.ports[0]), other;

    for (int phase = 0; phase < 2; phase++)
        for (size_t k = 0; k < STRANGERS + HUGE_WORDS; k++) {
            char *words = stranger_words(k);
            reach(&client, phase);
            /* Who says all that is right would be a client. */
            if (phase == 0 || strncmp(words, READY_OK, strlen(READY_OK)) != 0)
                peer_send(&client, words, 0);
            peer_hang_up(&client);
            client = client_of(hosted.ports[0]);
            free(words);
        }
    for (size_t k = 0; k < STRANGERS + HUGE_WORDS; k++) {
        char *words = stranger_words(k);
        reach(&client, 2);
        peer_send(&client, words, 0);
        peer_hang_up(&client);
        client = client_of(hosted.ports[0]);
        free(words);
    }
    other = client_of(hosted.ports[1]);
    reach(&other, 2);
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    /* In the game they wait behind the client, and are not heard. */
    struct peer stranger = client_of(hosted.ports[0]);
    peer_say(&stranger, MOVE);
    peer_hang_up(&stranger);
    peer_say(&client, CONCEDE);
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    peer_hang_up(&other);
    json_t *result = host_end(&hosted, 0, "over", "");
    json_t *names = json_object_get(result, "names");
    assert_string_equal(json_string_value(json_object_get(names, "team0")), "visitor");
    json_decref(result);
}

/* A client may have lost its connection, too: it comes again, and the log tells each team once. */
static void a_client_may_come_again_before_the_game(void **state)
{
    const char *const options[] = {"--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    char path[192], line[4096];
    int greetings = 0;

    for (int phase = 1; phase >= 0; phase--) {
        struct peer client = client_of(hosted.ports[0]);
        reach(&client, phase);
        peer_hang_up(&client);
    }
    struct peer client = client_of(hosted.ports[0]);
    client_greet(&client);
    client_concede(&client, "team0");
    json_decref(host_end(&hosted, 0, "over", ""));
    snprintf(path, sizeof path, "%s/game.dcl2", hosted.folder);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        greetings += strstr(line, "\"dc_ok\"") || strstr(line, "\"ready_ok\"");
    fclose(file);
    assert_int_equal(greetings, 4);
}

static void nobody_takes_the_seat_of_our_player(void **state)
{
    const char *const options[] = {"--team0=ai-simple", "--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer stranger = client_of(hosted.ports[1]);
    char *text = peer_hear(&stranger);

    /* The player may have come first: then nobody hears the stranger. */
    if (text)
        peer_say(&stranger, DC_OK);
    free(text);
    text = text ? peer_hear(&stranger) : NULL;
    assert_null(text);
    peer_hang_up(&stranger);
    json_t *result = host_end(&hosted, 0, "over", "");
    const json_t *names = json_object_get(result, "names");
    assert_string_equal(json_string_value(json_object_get(names, "team1")), "ai-simple");
    json_decref(result);
}

static void broken_clients_end_the_game_and_are_named(void **state)
{
    static const struct {
        const char *text;
        bool hangs_up;
        int status;
        const char *end, *why;
    } broken[] = {
        {"{\"cmd\":\"move\",", true, 5, "closed", "team0 hung up during the game"},
        {"", true, 5, "closed", "team0 hung up during the game"},
        {"hello\n", false, 4, "broken", "team0 said a line that is no JSON object"},
        {"[1]\n", false, 4, "broken", "no JSON object"},
        {"\n", false, 4, "broken", "no JSON object"},
        {"{\"cmd\":\"\xff\"}\n", false, 4, "broken", "no JSON object"},
        {DC_OK "\n", false, 4, "broken", "said 'dc_ok' instead of move"},
        {"{\"cmd\":\"move\"}\n", false, 4, "broken", "move/move"},
        {"{\"cmd\":\"move\",\"move\":{\"type\":\"pass\"}}\n", false, 4, "broken", "move/move/type"},
        {MOVE_OF("\"a\"", "2.4", "\"cw\"") "\n", false, 4, "broken", "move/move/velocity/x"},
        {MOVE_OF("0.1", "1e300", "\"cw\"") "\n", false, 4, "broken", "move/move/velocity/y"},
        {MOVE_OF("0.1", "2.4", "7") "\n", false, 4, "broken", "move/move/rotation"},
        {MOVE "\n" MOVE "\n", false, 4, "broken", "team0 spoke while team1 was to move"},
    };

    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        const char *const none[] = {NULL};
        struct hosted hosted = host_start(*state, none);
        struct peer clients[2];
        for (int team = 0; team < 2; team++)
            clients[team] = client_of(hosted.ports[team]);
        for (int team = 0; team < 2; team++) {
            json_decref(peer_hear_cmd(&clients[team], "dc"));
            peer_say(&clients[team], DC_OK);
            json_decref(peer_hear_cmd(&clients[team], "is_ready"));
            peer_say(&clients[team], READY_OK);
        }
        json_decref(client_await_turn(&clients[0], "team0", NULL) /* new_game */);
        json_decref(client_await_turn(&clients[0], "team0", NULL));
        peer_send(&clients[0], broken[k].text, 0);
        if (broken[k].hangs_up)
            peer_hang_up(&clients[0]);
        json_decref(host_end(&hosted, broken[k].status, broken[k].end, broken[k].why));
        for (int team = 0; team < 2; team++)
            if (clients[team].fd >= 0)
                peer_hang_up(&clients[team]);
    }
}

static void a_line_without_end_ends_the_game(void **state)
{
    const char *const options[] = {"--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer client = client_of(hosted.ports[0]);
    char *text = NULL;

    client_greet(&client);
    assert_true(asprintf(&text, "%070000d", 0) > 0);
    peer_send(&client, text, 0);
    free(text);
    json_decref(host_end(&hosted, 4, "broken", "team0 said a line of more than 65536 bytes"));
    peer_hang_up(&client);
}

static void a_team_that_does_not_come_ends_the_wait(void **state)
{
    const char *const options[] = {"--team1=ai-simple", "--wait=1", NULL};
    struct hosted hosted = host_start(*state, options);
    struct peer client = client_of(hosted.ports[0]);

    peer_send(&client, "{\"cmd\":\"move\"}\n", 0);
    peer_hang_up(&client);
    json_decref(host_end(&hosted, 6, "silent", "team0 was not ready within 1 s"));
}

static void a_folder_takes_one_game(void **state)
{
    const char *const options[] = {"--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    const char *const again[] = {RINK_COMPETE, "host", "--folder", hosted.folder, NULL};
    struct program_run run = program_run(again, "", 0);

    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "a game is hosted there"));
    program_free(&run);
    struct peer client = client_of(hosted.ports[0]);
    client_greet(&client);
    client_concede(&client, "team0");
    json_decref(host_end(&hosted, 0, "over", ""));
}

static void the_manual_page_names_every_option(void **state)
{
    const char *const help_of[] = {RINK_COMPETE, "host", "--help", NULL};
    char *page = usage_page(RINK_COMPETE_PAGE);
    struct program_run help = program_run(help_of, "", 0);

    (void)state;
    assert_true(usage_page_has_options(page, help.output) > 15);
    program_free(&help);
    free(page);
}

static void a_new_folder_is_made(void **state)
{
    char folder[PATH_MAX], game[PATH_MAX + 16];
    const char *const argv[] = {RINK_COMPETE, "host",    "--folder",  folder,   "--team0",
                                "ai-simple",  "--team1", "ai-simple", "--ends", "1",
                                "--engine",   "fast",    NULL};

    snprintf(folder, sizeof folder, "%s/new", (const char *)*state);
    snprintf(game, sizeof game, "%s/game.dcl2", folder);
    struct program_run run = program_run(argv, "", 0);
    assert_int_equal(run.status, 0);
    assert_int_equal(access(game, R_OK), 0);
    program_free(&run);
    strcat(folder, "/none/deep");
    run = program_run(argv, "", 0);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "--folder "));
    program_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(players_of_ours_play_to_the_end_and_the_logs_are_whole),
        cmocka_unit_test(the_same_seed_gives_the_same_game),
        cmocka_unit_test(a_client_is_told_what_the_official_server_tells),
        cmocka_unit_test(a_team_that_is_silent_loses_on_time),
        cmocka_unit_test(a_client_may_hang_up_with_its_last_word),
        cmocka_unit_test(strangers_end_nothing),
        cmocka_unit_test(a_client_may_come_again_before_the_game),
        cmocka_unit_test(nobody_takes_the_seat_of_our_player),
        cmocka_unit_test(broken_clients_end_the_game_and_are_named),
        cmocka_unit_test(a_line_without_end_ends_the_game),
        cmocka_unit_test(a_team_that_does_not_come_ends_the_wait),
        cmocka_unit_test(a_folder_takes_one_game),
        cmocka_unit_test(a_new_folder_is_made),
        cmocka_unit_test(the_manual_page_names_every_option),
    };
    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
