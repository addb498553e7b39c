/* Jobs against programs of others: they play for the ladder, and what they do wrong costs them the
 * game and nothing else. The program is rink-compete, by a command of the administrator. */
#include "tests/api/jobs.h"

#include <limits.h>
#include <sys/stat.h>

#define JOB(program, profile, more)                                                       \
    "{\"kind\":\"external\",\"spec\":{\"program\":\"" program "\",\"profile\":\"" profile \
    "\",\"player\":\"ai-simple\",\"engine\":\"fast\",\"ends\":1" more "}}"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void register_program(const char *name, const char *text)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/external", daemon_here.data);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/external/%s.json", daemon_here.data, name);
    FILE *file = fopen(path, "we");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int register_all(void **state)
{
    static const char dc3[] =
        "{\"protocol\":\"dc3\",\"command\":[\"" RINK_COMPETE
        "\",\"dc3\",\"{host}\",\"{port}\",\"--player=ai-simple\",\"--log={folder}/{team}.log\"],"
        "\"memory_mb\":0,\"time_s\":600}"; /* AddressSanitizer maps terabytes */
    static const char dc4[] =
        "{\"protocol\":\"dc4\",\"command\":[\"" RINK_COMPETE
        "\",\"dc4\",\"{url}\",\"--match={match}\",\"--team={team}\",\"--user={user}\","
        "\"--password-file={password_file}\",\"--player=ai-simple\",\"--rate=0\","
        "\"--log={folder}/{team}.log\"],\"memory_mb\":0,\"time_s\":600}";

    set_up(state);
    register_program("simple", dc3);
    register_program("twin", dc3);
    register_program("simple-4", dc4);
    register_program("dies", "{\"protocol\":\"dc3\",\"command\":[\"/bin/sh\",\"-c\",\"exit 3\"]}");
    register_program(
        "dies-4", "{\"protocol\":\"dc4\",\"command\":[\"/bin/sh\",\"-c\",\"echo here; exit 3\"]}");
    /* Greets, and leaves in the game. */
    register_program(
        "leaves", "{\"protocol\":\"dc3\",\"command\":[\"/bin/bash\",\"-c\",\""
                  "echo here; exec 3<>/dev/tcp/{host}/{port}; read -u 3 -r dc; "
                  "printf '%s\\\\n' '{\\\"cmd\\\":\\\"dc_ok\\\",\\\"name\\\":\\\"leaves\\\"}' >&3; "
                  "read -u 3 -r ready; printf '%s\\\\n' "
                  "'{\\\"cmd\\\":\\\"ready_ok\\\",\\\"player_order\\\":[0,1,2,3]}' >&3; "
                  "read -u 3 -r game; read -u 3 -r update\"]}");
    register_program("nowhere", "{\"protocol\":\"dc3\",\"command\":[\"/nonexistent/client\"]}");
    register_program("floods", "{\"protocol\":\"dc3\",\"command\":[\"/usr/bin/yes\",\"full\"]}");
    register_program("hangs",
                     "{\"protocol\":\"dc3\",\"command\":[\"/bin/sh\",\"-c\",\"sleep 5000 & "
                     "sleep 5000\"],\"start_s\":1}");
    register_program("greedy", "{\"protocol\":\"dc3\",\"command\":[\"" RINK_COMPETE
                               "\",\"dc3\",\"{host}\",\"{port}\"],\"memory_mb\":1}");
    register_program("broken", "{\"protocol\":\"dc3\",\"command\":\"/bin/true\"}");
    register_program("wrong", "{\"protocol\":\"dc2\",\"command\":[\"/bin/true\"]}");
    return 0;
}

/* The games of a match are kept, each side threw first in half of them. */
static void check_games(int64_t id, const char *program, int pairs)
{
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);
    json_t *games =
        get("/v1/matches/%lld/games", (long long)json_integer_value(json_object_get(match, "id")));
    const json_t *list = json_object_get(games, "items"), *game;
    size_t k;
    int first = 0;

    assert_string_equal(text_of(match, "b"), program);
    assert_int_equal(json_array_size(list), 2 * pairs);
    json_array_foreach(list, k, game)
    {
        char path[96];
        first += strcmp(text_of(game, "throws_first"), program) == 0;
        snprintf(path, sizeof path, "/v1/games/%s", text_of(game, "id"));
        struct reply lines = ask("GET", path, NULL, 200);
        const char *rest = lines.text;
        int shots = 0;
        while ((rest = strstr(rest, "\"executed\"")) != NULL && rest++)
            shots++;
        assert_true(shots >= 16 && shots % 16 == 0);
        reply_free(&lines);
    }
    assert_int_equal(first, pairs);
    json_decref(games);
    json_decref(matches);
}

static void programs_play_for_the_ladder(void **state)
{
    static const struct {
        const char *job, *name, *ladder;
    } programs[] = {
        {JOB("simple", "dc3", ",\"pairs\":1"), "external:simple @ 600 s a game",
         "/v1/ratings?profile=dc3&ends=1&extra_ends=10"},
        {JOB("simple-4", "dc4", ",\"pairs\":1"), "external:simple-4 @ 600 s a game",
         "/v1/ratings?profile=dc4&ends=1&extra_ends=10"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
        int64_t id = add(programs[k].job);
        json_t *done = wait_for(id, "done");
        const json_t *result = json_object_get(done, "result");
        const json_t *b = json_object_get(result, "b");
        int64_t games = json_integer_value(json_object_get(b, "wins")) +
                        json_integer_value(json_object_get(b, "draws")) +
                        json_integer_value(json_object_get(b, "losses"));
        assert_string_equal(text_of(b, "player"), programs[k].name);
        assert_int_equal(games, 2);
        assert_int_equal(json_array_size(json_object_get(result, "faults")), 0);
        json_decref(done);
        check_games(id, programs[k].name, 1);
        for (bool is_rated = false; !is_rated; rest()) {
            struct reply ladder =
                client_call(daemon_here.port,
                            &(struct client_call){.method = "GET", .path = programs[k].ladder});
            is_rated = ladder.status == 200 && strstr(ladder.text, programs[k].name);
            reply_free(&ladder);
        }
    }
}

/* The program's folder of a game has what it said. */
static void check_output(int64_t id, const char *folder, const char *said)
{
    char path[PATH_MAX], text[256] = "";

    snprintf(path, sizeof path, "%s/jobs/%lld/%s/team1.out", daemon_here.data, (long long)id,
             folder);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) >= strlen(said));
    fclose(file);
    assert_non_null(strstr(text, said));
}

/* Each game is lost, told, and what the program said is kept; the job itself is done. */
static void faults_lose_the_game_and_are_told(void **state)
{
    int64_t id = add(JOB("leaves", "dc3", ",\"pairs\":1"));
    json_t *done = wait_for(id, "done");
    const json_t *result = json_object_get(done, "result");
    const json_t *faults = json_object_get(result, "faults"), *fault = json_array_get(faults, 0);
    const json_t *b = json_object_get(result, "b");

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(b, "losses")), 2);
    assert_int_equal(json_integer_value(json_object_get(b, "faults")), 2);
    assert_int_equal(json_array_size(faults), 2);
    if (!strstr(text_of(fault, "why"), "hung up"))
        fail_msg("%s", text_of(fault, "why"));
    check_output(id, text_of(fault, "folder"), "here");
    json_decref(done);
}

/* It has not played, so nothing is rated; the job says what the program said. */
static void a_program_that_was_never_ready_fails_the_job(void **state)
{
    static const struct {
        const char *job, *why, *said;
    } bad[] = {
        {JOB("dies", "dc3", ",\"pairs\":1"), "ended before", ""},
        {JOB("dies-4", "dc4", ",\"pairs\":1"), "ended before", "here"},
        {JOB("hangs", "dc3", ",\"pairs\":1"), "was not ready within 1 s", ""},
        {JOB("greedy", "dc3", ",\"pairs\":1"), "ended before", ""},
        {JOB("nowhere", "dc3", ",\"pairs\":1"), "ended before", "the program cannot be started"}};

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        int64_t id = add(bad[k].job);
        json_t *job = wait_for(id, "buried");
        const json_t *error = json_object_get(job, "error");
        const char *detail = text_of(error, "detail");
        assert_string_equal(text_of(error, "code"), "not-ready");
        assert_int_equal(json_integer_value(json_object_get(job, "attempt")), 1);
        if (!strstr(detail, bad[k].why) || !strstr(detail, bad[k].said))
            fail_msg("%s", detail);
        check_output(id, "fault-0-0", bad[k].said);
        json_decref(job);
        json_t *matches = get("/v1/matches?job=%lld", (long long)id);
        assert_int_equal(json_array_size(json_object_get(matches, "items")), 0);
        json_decref(matches);
    }
}

static void wrong_programs_are_refused_by_name(void **state)
{
    static const struct {
        const char *job, *detail;
    } wrong[] = {
        {JOB("nobody", "dc3", ""), "/program: external/nobody.json: No such file"},
        {JOB("broken", "dc3", ""), "/program: external/broken.json: /command"},
        {JOB("wrong", "dc3", ""), "/program: external/wrong.json: /protocol"},
        {JOB("simple", "dc4", ""), "/profile: is not played by dc3"},
        {JOB("simple", "dc3", ",\"against\":\"simple-4\""), "/against: speaks dc4"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct reply reply = ask("POST", "/v1/jobs", wrong[k].job, 422);
        if (!strstr(text_of(reply.json, "detail"), wrong[k].detail))
            fail_msg("%s instead of %s", reply.text, wrong[k].detail);
        reply_free(&reply);
    }
    refuses_field("/v1/jobs", JOB("../simple", "dc3", ""), "/spec/program");
    refuses_field("/v1/jobs", JOB("simple", "dc3", ",\"against\":\"a/b\""), "/spec/against");
    refuses_field("/v1/jobs", JOB("simple", "dc2", ""), "/spec/profile");
    refuses_field("/v1/jobs", JOB("simple", "dc3", ",\"command\":[\"/bin/sh\"]"), "/spec/command");
}

/* Two programs, and a daemon that dies in between. */
static void a_match_of_two_programs_goes_on_after_a_kill(void **state)
{
    int64_t id = add(JOB("simple", "dc3", ",\"against\":\"twin\",\"pairs\":2"));

    (void)state;
    for (bool has_begun = false; !has_begun; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        has_begun =
            json_integer_value(json_object_get(json_object_get(job, "result"), "pairs")) > 0 ||
            strcmp(text_of(job, "state"), "done") == 0;
        json_decref(job);
    }
    daemon_end(&daemon_here, SIGKILL);
    start_daemon();
    json_t *done = wait_for(id, "done");
    const json_t *result = json_object_get(done, "result");
    assert_int_equal(json_integer_value(json_object_get(result, "pairs")), 2);
    assert_string_equal(text_of(json_object_get(result, "a"), "player"),
                        "external:twin @ 600 s a game");
    json_decref(done);
    check_games(id, "external:simple @ 600 s a game", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_play_for_the_ladder),
        cmocka_unit_test(faults_lose_the_game_and_are_told),
        cmocka_unit_test(a_program_that_was_never_ready_fails_the_job),
        cmocka_unit_test(wrong_programs_are_refused_by_name),
        cmocka_unit_test(a_match_of_two_programs_goes_on_after_a_kill),
    };
    return cmocka_run_group_tests(tests, register_all, daemon_end_here);
}
