/* rink-compete host of Digital Curling 4: matches between players of ours, against a client of the
 * test, with clients that break the protocol, and over the death of its process. */
#include "tests/programs/hosted.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The last line of the log of our player of a team. */
static json_t *told_by_player(const char *folder, int team)
{
    char begin[16];
    json_t *ended = NULL;
    DIR *names = opendir(folder);
    const struct dirent *name;

    snprintf(begin, sizeof begin, "team%d", team);
    assert_non_null(names);
    while ((name = readdir(names)) != NULL) {
        int lines;
        size_t length = strlen(name->d_name);
        if (strncmp(name->d_name, begin, strlen(begin)) != 0 || length < 6 ||
            strcmp(name->d_name + length - 6, ".jsonl") != 0)
            continue;
        json_t *last = host_last_line(folder, name->d_name, &lines);
        json_decref(ended);
        ended = json_incref(json_object_get(last, "ended"));
        json_decref(last);
    }
    closedir(names);
    assert_non_null(ended);
    return ended;
}

/* Both of our players have seen the result of the host, and thought about each shot. */
static void check_players(const struct hosted *hosted, const json_t *result)
{
    for (int team = 0; team < 2; team++) {
        json_t *ended = told_by_player(hosted->folder, team);
        assert_string_equal(json_string_value(json_object_get(ended, "end")), "over");
        assert_true(
            json_equal(json_object_get(ended, "points"), json_object_get(result, "points")));
        assert_true(
            json_equal(json_object_get(ended, "winner"), json_object_get(result, "winner")));
        assert_int_equal(json_integer_value(json_object_get(ended, "fallbacks")), 0);
        json_decref(ended);
    }
}

static void matches_of_our_players_end_with_the_scores_that_both_have_seen(void **state)
{
    static const struct {
        const char *profile;
        int shots;
    } kinds[] = {
        {"--profile=dc4", 16}, {"--profile=dc4-no-tick", 16}, {"--profile=dc4-modified", 10}};

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *const options[] = {"--protocol=dc4",    kinds[k].profile, "--team0=ai-simple",
                                       "--team1=ai-simple", "--ends=2",       NULL};
        struct hosted hosted = host_start(*state, options);
        json_t *result = host_end(&hosted, 0, "over", ""), *last;
        int lines, shots = (int)json_integer_value(json_object_get(result, "shots"));

        assert_true(shots >= 2 * kinds[k].shots && shots % kinds[k].shots == 0);
        assert_string_equal(json_string_value(json_object_get(result, "reason")), "score");
        check_players(&hosted, result);
        last = host_last_line(hosted.folder, "records.jsonl", &lines);
        assert_string_equal(json_string_value(json_object_get(last, "record")), "pair");
        assert_int_equal(lines, shots + 2);
        json_decref(last);
        last = host_last_line(hosted.folder, "game.dc4.jsonl", &lines);
        assert_true(json_is_string(json_object_get(json_object_get(last, "state"), "winner_team")));
        assert_true(lines >= 4 + 2 * shots);
        json_decref(last);
        json_decref(result);
    }
}

/* The game of this seed has an extra end. Its clock is short against what was left before: that
 * drop is not a delay of the network, for which the players would leave all of it. */
static void extra_ends_are_thought_about(void **state)
{
    static const char *const protocols[] = {"--protocol=dc3", "--protocol=dc4"};

    for (int k = 0; k < 2; k++) {
        const char *const options[] = {protocols[k], "--team0=ai-simple",   "--team1=ai-simple",
                                       "--seed=4",   "--extra-end-time=60", "--time=20000",
                                       NULL};
        struct hosted hosted = host_start(*state, options);
        json_t *result = host_end(&hosted, 0, "over", "");
        assert_true(json_integer_value(json_object_get(result, "shots")) > 16);
        check_players(&hosted, result);
        json_decref(result);
    }
}

/* ---- a client of the test ---- */

/* Starts a match for a client that plays team0, and opens its stream. */
static struct peer visit(struct hosted *ret_hosted, void **state, const char *option)
{
    const char *const options[] = {"--protocol=dc4", "--team1=ai-simple", option, NULL};

    *ret_hosted = host_start(*state, options);
    json_t *seat = host_ask(ret_hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 200);
    assert_string_equal(json_string_value(seat), "team0");
    json_decref(seat);
    return host_stream(ret_hosted, "me:word");
}

static int total_of(const json_t *state)
{
    return (int)json_integer_value(json_object_get(state, "total_shot_number"));
}

/* The next state in which team0 is to move; NULL: the match is over, *ret_last is its last state.
 */
static json_t *turn_of(struct peer *stream, json_t **ret_last)
{
    for (;;) {
        json_t *state = host_state(stream);
        const char *next = json_string_value(json_object_get(state, "next_shot_team"));
        assert_non_null(state);
        if (next && strcmp(next, "team0") == 0)
            return state;
        if (json_is_string(json_object_get(state, "winner_team"))) {
            *ret_last = state;
            return NULL;
        }
        json_decref(state);
    }
}

/* Throws the same shot to the end of the match; returns its last state. */
static json_t *throw_on(const struct hosted *hosted, struct peer *stream)
{
    json_t *turn, *last = NULL;

    while ((turn = turn_of(stream, &last)) != NULL) {
        json_decref(turn);
        json_decref(host_ask(hosted, "me:word", "POST", SHOTS, SHOT, 200));
    }
    peer_hang_up(stream);
    return last;
}

static void check_members(const json_t *object, const char *const members[])
{
    for (; *members; members++)
        if (!json_object_get(object, *members))
            fail_msg("no %s", *members);
}

static void a_client_is_told_what_the_official_server_tells(void **state)
{
    /* Without a member of them the official clients give up. */
    static const char *const of_match[] = {"match_name",
                                           "time_limit",
                                           "extra_end_time_limit",
                                           "first_team_id",
                                           "second_team_id",
                                           "winner_team_id",
                                           "simulator",
                                           NULL};
    static const char *const of_state[] = {"first_team_name",
                                           "second_team_name",
                                           "end_number",
                                           "team_shot_number",
                                           "shot_number",
                                           "first_team_remaining_time",
                                           "second_team_extra_end_remaining_time",
                                           "mixed_doubles_settings",
                                           "mix_doubles_settings",
                                           "last_move",
                                           NULL};
    struct hosted hosted;
    struct peer stream = visit(&hosted, state, "--time=1000");
    json_t *match = host_ask(&hosted, "", "GET", "/matches/%s", NULL, 200), *last;

    assert_int_equal(json_integer_value(json_object_get(match, "standard_end_count")), 1);
    assert_int_equal(json_integer_value(json_object_get(match, "applied_rule")), 0);
    assert_string_equal(json_string_value(json_object_get(match, "game_mode")), "standard");
    assert_true(json_is_null(json_object_get(match, "winner_team_id")));
    check_members(match, of_match);
    json_decref(match);
    json_t *turn = turn_of(&stream, &last);
    assert_int_equal(total_of(turn), 0);
    check_members(turn, of_state);
    assert_true(json_is_null(json_object_get(turn, "last_move")));
    json_decref(turn);
    json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
    json_t *after = host_state(&stream);
    const json_t *stones = json_object_get(json_object_get(after, "stone_coordinate"), "data");
    const json_t *move = json_object_get(after, "last_move");
    assert_int_equal(total_of(after), 1);
    assert_int_equal(json_array_size(json_object_get(stones, "team0")), 8);
    assert_int_equal(json_array_size(json_object_get(json_object_get(after, "score"), "team1")), 2);
    /* With the error of the hand; the turn as the simulator takes it. */
    double angle = json_number_value(json_object_get(move, "shot_angle"));
    assert_true(fabs(angle - 1.5159) < 0.05 && angle != 1.5159);
    assert_true(json_number_value(json_object_get(move, "angular_velocity")) > 1.57);
    json_decref(after);
    last = throw_on(&hosted, &stream);
    /* The last board: all shots, and the end is not advanced. */
    assert_int_equal(total_of(last), 16);
    json_t *result = host_end(&hosted, 0, "over", "");
    assert_string_equal(json_string_value(json_object_get(last, "winner_team")),
                        json_string_value(json_object_get(result, "winner")));
    json_decref(last);
    json_decref(result);
}

static void a_team_that_is_silent_loses_on_time(void **state)
{
    struct hosted hosted;
    struct peer stream = visit(&hosted, state, "--time=1");
    json_t *last, *turn = turn_of(&stream, &last);

    json_decref(turn);
    turn = turn_of(&stream, &last);
    assert_null(turn);
    assert_string_equal(json_string_value(json_object_get(last, "winner_team")), "team1");
    assert_true(json_number_value(json_object_get(last, "first_team_remaining_time")) == 0.0);
    json_decref(last);
    peer_hang_up(&stream);
    json_t *result = host_end(&hosted, 0, "over", "");
    assert_string_equal(json_string_value(json_object_get(result, "reason")), "time_limit");
    json_decref(result);
}

/* Requests that change nothing, before and during a match that is then played to its end. */
static void wrong_requests_are_refused_and_change_nothing(void **state)
{
    static const struct {
        const char *user, *method, *target, *body;
        int status;
    } wrong[] = {
        {"", "POST", SHOTS, SHOT, 401},
        {"you:word", "POST", SHOTS, SHOT, 401},
        {"me:other", "POST", SHOTS, SHOT, 401},
        {"me:word", "POST", "/shots", SHOT, 404},
        {"me:word", "POST", "/shots?match_id=0190", SHOT, 404},
        {"me:word", "POST", SHOTS, "", 422},
        {"me:word", "POST", SHOTS, "[]", 422},
        {"me:word", "POST", SHOTS, "{\"translational_velocity\":", 422},
        {"me:word", "POST", SHOTS, "{\"translational_velocity\":2.4,\"shot_angle\":1.5}", 422},
        {"me:word", "POST", SHOTS, SHOT_OF("\"2.4\"", "1.5", "1.5"), 422},
        {"me:word", "POST", SHOTS, SHOT_OF("2.4", "null", "1.5"), 422},
        {"me:word", "POST", SHOTS, SHOT_OF("1e300", "1.5", "1.5"), 422},
        {"me:word", "POST", "/matches/%s/end-setup?request=pp_left", NULL, 409},
        {"me:word", "GET", SHOTS, NULL, 404},
        {"me:word", "DELETE", "/matches/%s", NULL, 405},
        {"me:word", "GET", "/matches/%s/", NULL, 404},
        {"me:word", "GET", "/matches/%s/ends/0/shots", NULL, 404},
        {"", "GET", "/matches/%s/stream", NULL, 401},
        {"", "GET", "/matches/%s0", NULL, 404},
        {"", "GET", "/elsewhere", NULL, 404},
        {"", "POST", "/matches", "{}", 409},
        {"", "POST", SEAT0, TEAM_CONFIG, 401},
        {"me:other", "POST", SEAT0, TEAM_CONFIG, 401},
        {"you:word", "POST", SEAT0, TEAM_CONFIG, 409},
        {"you:word", "POST", "/store-team-config?match_id=%s&expected_match_team_name=team2",
         TEAM_CONFIG, 422},
        {"me:word", "POST", SEAT0, "{\"team_name\":7}", 422},
    };
    struct hosted hosted;
    struct peer stream = visit(&hosted, state, "--time=1000");
    json_t *last, *turn = turn_of(&stream, &last);

    json_decref(turn);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        json_decref(host_ask(&hosted, wrong[k].user, wrong[k].method, wrong[k].target,
                             wrong[k].body, wrong[k].status));
    char *large = malloc(100000);
    assert_non_null(large);
    memset(large, '7', 99999);
    large[99999] = '\0';
    json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, large, 413));
    free(large);
    /* Half a request, then nothing more; and one whose client is gone. */
    struct peer half = client_of(hosted.ports[0]), gone = client_of(hosted.ports[0]);
    peer_send(&half, "POST /shots HTTP/1.1\r\nContent-Le", 0);
    peer_send(&gone, "GET /matches HTTP/1.1\r\nHost: a\r\n\r\n", 0);
    peer_hang_up(&gone);
    json_t *newest = host_ask(&hosted, "", "GET", "/matches/%s/latest-state", NULL, 200);
    assert_int_equal(total_of(newest), 0);
    json_t *match = host_ask(&hosted, "", "GET", "/matches/%s", NULL, 200);
    bool is_team1 =
        strcmp(json_string_value(json_object_get(newest, "next_shot_team")), "team1") == 0;
    const json_t *id = json_object_get(match, is_team1 ? "second_team_id" : "first_team_id");
    assert_true(json_equal(json_object_get(newest, "next_shot_team_id"), id));
    assert_true(json_is_null(json_object_get(newest, "winner_team_id")));
    json_decref(match);
    json_decref(newest);
    json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
    /* Sent twice: it may be the other team's turn, or ours again; the end is played in any case. */
    last = throw_on(&hosted, &stream);
    json_decref(last);
    peer_hang_up(&half);
    json_decref(host_end(&hosted, 0, "over", ""));
}

/* Before the match a seat is kept for who is there. */
static void a_seat_that_nobody_sits_in_is_given_to_who_asks(void **state)
{
    const char *const options[] = {"--protocol=dc4", "--team1=ai-simple", NULL};
    struct hosted hosted = host_start(*state, options);
    bool is_ours = false;
    json_t *seat, *last;

    json_decref(host_ask(&hosted, "you:word", "POST", SEAT0, TEAM_CONFIG, 200));
    json_decref(host_ask(&hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 409));
    for (; !is_ours; usleep(100000)) {
        seat = host_ask(&hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 0);
        is_ours = json_is_string(seat);
        json_decref(seat);
    }
    json_decref(host_ask(&hosted, "you:word", "GET", "/matches/%s/stream", NULL, 401));
    struct peer stream = host_stream(&hosted, "me:word");
    json_decref(turn_of(&stream, &last));
    json_decref(host_ask(&hosted, "you:word", "POST", SEAT0, TEAM_CONFIG, 409));
    json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
    json_decref(throw_on(&hosted, &stream));
    json_decref(host_end(&hosted, 0, "over", ""));
}

static void a_team_that_does_not_come_ends_the_wait(void **state)
{
    const char *const options[] = {"--protocol=dc4", "--team1=ai-simple", "--wait=1", NULL};
    struct hosted hosted = host_start(*state, options);

    json_decref(host_end(&hosted, 6, "silent", "was not ready within 1 s"));
}

/* The stones of the power play; a setup out of turn, twice or by the wrong word is refused. */
static void setups_of_mixed_doubles_are_chosen_once(void **state)
{
    const char *const options[] = {"--protocol=dc4", "--profile=dc4-modified", "--team0=ai-simple",
                                   "--pattern=2", NULL};
    struct hosted hosted = host_start(*state, options);
    json_t *seat = host_ask(&hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 200);

    assert_string_equal(json_string_value(seat), "team1"); /* the other seat is taken */
    json_decref(seat);
    struct peer stream = host_stream(&hosted, "me:word");
    json_t *first = host_state(&stream);
    const json_t *settings = json_object_get(first, "mixed_doubles_settings");
    assert_true(json_is_null(json_object_get(first, "total_shot_number")));
    assert_string_equal(json_string_value(json_object_get(settings, "end_setup_team")), "team1");
    json_decref(first);
    json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 409));
    json_decref(
        host_ask(&hosted, "me:word", "POST", "/matches/%s/end-setup?request=left", NULL, 422));
    json_decref(
        host_ask(&hosted, "me:word", "POST", "/matches/%s/end-setup?request=pp_left", NULL, 200));
    json_decref(
        host_ask(&hosted, "me:word", "POST", "/matches/%s/end-setup?request=pp_left", NULL, 409));
    json_t *begun = host_state(&stream);
    const json_t *stones = json_object_get(json_object_get(begun, "stone_coordinate"), "data");
    const json_t *house = json_array_get(json_object_get(stones, "team1"), 0);
    const json_t *guard = json_array_get(json_object_get(stones, "team0"), 0);
    assert_true(fabs(json_number_value(json_object_get(house, "x")) + 1.219) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(guard, "y")) - 34.435) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(stones, "team0")), 6);
    settings = json_object_get(begun, "mixed_doubles_settings");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(settings, "power_play_end"), "team1")),
        0);
    json_decref(begun);
    peer_hang_up(&stream);
    kill(hosted.program.pid, SIGTERM);
    json_decref(host_end(&hosted, 130, "stopped", "during the match"));
}

/* Whether the state asks the team for the setup of its end. */
static bool asks_setup(const json_t *state, const char *team)
{
    const json_t *settings = json_object_get(state, "mixed_doubles_settings");
    const char *chooser = json_string_value(json_object_get(settings, "end_setup_team"));

    return json_is_null(json_object_get(state, "total_shot_number")) &&
           json_is_null(json_object_get(state, "next_shot_team")) && strcmp(chooser, team) == 0;
}

/* An official client asks for the power play in each end. */
static void another_power_play_is_an_ordinary_setup(void **state)
{
    const char *const options[] = {"--protocol=dc4", "--profile=dc4-modified",
                                   "--ends=3",       "--team0=ai-simple",
                                   "--time=2000",    NULL};
    struct hosted hosted = host_start(*state, options);
    int asked = 0;
    bool has_asked = false; /* for the setup of this end */

    json_decref(host_ask(&hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 200));
    struct peer stream = host_stream(&hosted, "me:word");
    for (bool is_over = false; !is_over;) {
        json_t *now = host_state(&stream);
        const char *next = json_string_value(json_object_get(now, "next_shot_team"));
        is_over = json_is_string(json_object_get(now, "winner_team"));
        if (has_asked && next && total_of(now) == 0) {
            const json_t *stones =
                json_object_get(json_object_get(now, "stone_coordinate"), "data");
            const json_t *house = json_array_get(json_object_get(stones, "team1"), 0);
            double x = json_number_value(json_object_get(house, "x"));
            assert_true(fabs(x - (asked == 1 ? 1.219 : 0.0)) < 1e-9);
            has_asked = false;
        }
        if (asks_setup(now, "team1")) {
            asked++;
            has_asked = true;
            json_decref(host_ask(&hosted, "me:word", "POST",
                                 "/matches/%s/end-setup?request=pp_right", NULL, 200));
        } else if (next && strcmp(next, "team1") == 0) {
            json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
        }
        json_decref(now);
    }
    peer_hang_up(&stream);
    json_decref(host_end(&hosted, 0, "over", ""));
    assert_true(asked > 1);
}

/* ---- a host that is killed ---- */

/* The lines of the records without what times differ in. */
static json_t *records_of(const char *folder)
{
    char path[192];
    char *line = NULL;
    size_t size = 0;
    json_t *lines = json_array();

    snprintf(path, sizeof path, "%s/records.jsonl", folder);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        json_t *record = json_loads(line, 0, NULL);
        assert_non_null(record);
        json_object_del(record, "elapsed_s");
        json_object_del(record, "effort");
        json_array_append_new(lines, record);
    }
    free(line);
    fclose(file);
    return lines;
}

/* Plays a match, whose host dies after so many of our shots (< 0: never); returns its records. */
static json_t *play_over(void **state, int death)
{
    const char *const options[] = {"--protocol=dc4", "--team1=ai-simple", "--time=1000", NULL};
    struct hosted hosted;
    struct peer stream = visit(&hosted, state, "--time=1000");
    json_t *turn, *last = NULL;
    int shots = 0, status;

    while ((turn = turn_of(&stream, &last)) != NULL) {
        if (shots++ == death) {
            kill(hosted.program.pid, SIGKILL);
            assert_int_equal(waitpid(hosted.program.pid, &status, 0), hosted.program.pid);
            fclose(hosted.program.to);
            fclose(hosted.program.from);
            peer_hang_up(&stream);
            host_restart(&hosted, options);
            stream = host_stream(&hosted, "me:word");
            json_t *again = turn_of(&stream, &last);
            assert_true(json_equal(again, turn));
            json_decref(again);
        }
        json_decref(turn);
        json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
    }
    json_decref(last);
    peer_hang_up(&stream);
    json_decref(host_end(&hosted, 0, "over", ""));
    return records_of(hosted.folder);
}

static void a_match_goes_on_after_the_death_of_its_host(void **state)
{
    json_t *whole = play_over(state, -1);
    static const int deaths[] = {0, 5};

    for (size_t k = 0; k < sizeof deaths / sizeof deaths[0]; k++) {
        json_t *killed = play_over(state, deaths[k]);
        assert_true(json_equal(killed, whole));
        json_decref(killed);
    }
    json_decref(whole);
}

static void options_that_do_not_fit_are_refused(void **state)
{
    static const char *const wrong[][2] = {{"--protocol=dc5", "--protocol"},
                                           {"--profile=dc4", "is not played by dc3"},
                                           {"--profile=dc2", "--profile"},
                                           {"--pattern=6", "pattern"}};

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const char *const argv[] = {RINK_COMPETE, "host", wrong[k][0], NULL};
        struct program_run run = program_run(argv, "", 0);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.errors, wrong[k][1]));
        program_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_of_our_players_end_with_the_scores_that_both_have_seen),
        cmocka_unit_test(extra_ends_are_thought_about),
        cmocka_unit_test(a_client_is_told_what_the_official_server_tells),
        cmocka_unit_test(a_team_that_is_silent_loses_on_time),
        cmocka_unit_test(wrong_requests_are_refused_and_change_nothing),
        cmocka_unit_test(a_seat_that_nobody_sits_in_is_given_to_who_asks),
        cmocka_unit_test(a_team_that_does_not_come_ends_the_wait),
        cmocka_unit_test(setups_of_mixed_doubles_are_chosen_once),
        cmocka_unit_test(another_power_play_is_an_ordinary_setup),
        cmocka_unit_test(a_match_goes_on_after_the_death_of_its_host),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
