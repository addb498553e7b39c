/* Jobs that host a game: it is kept and shown, and the death of the daemon does not touch it. */
#include "tests/api/jobs.h"
#include "tests/programs/host_client.h"

#define JOB(more)                                                                          \
    "{\"kind\":\"host\",\"spec\":{\"engine\":\"fast\",\"ends\":1,\"team1\":\"ai-simple\"," \
    "\"wait\":200" more "}}"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The port of team0, once the job tells it. */
static int port_of(int64_t id)
{
    for (;; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        const json_t *ports = json_object_get(json_object_get(job, "result"), "ports");
        int port = (int)json_integer_value(json_object_get(ports, "team0"));
        json_decref(job);
        if (port > 0)
            return port;
    }
}

/* The job is done: the visitor has lost; its game is among the games. */
static void check_game(int64_t id, const char *reason)
{
    json_t *done = wait_for(id, "done");
    const json_t *result = json_object_get(done, "result");

    assert_string_equal(text_of(result, "end"), "over");
    assert_string_equal(text_of(result, "reason"), reason);
    json_decref(done);
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);
    assert_string_equal(text_of(match, "a"), "dc3:visitor");
    assert_string_equal(text_of(match, "b"), "ai-simple");
    json_t *games =
        get("/v1/matches/%lld/games", (long long)json_integer_value(json_object_get(match, "id")));
    const json_t *game = json_array_get(json_object_get(games, "items"), 0);
    char path[96];
    snprintf(path, sizeof path, "/v1/games/%s", text_of(game, "id"));
    struct reply lines = ask("GET", path, NULL, 200);
    assert_non_null(strstr(lines.text, "\"throws_first\":\"dc3:visitor\""));
    reply_free(&lines);
    json_decref(games);
    json_decref(matches);
}

static void a_game_is_hosted_kept_and_shown(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    client_concede(&client, "team0");
    check_game(id, "concede");
}

/* Plays a shot before and a shot after the daemon is killed; the end is played without it, too. */
static void a_game_outlives_the_daemon_and_is_reported_to_the_next(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    json_decref(client_await_turn(&client, "team0", NULL));
    daemon_end(&daemon_here, SIGKILL);
    peer_say(&client, MOVE);
    client_concede(&client, "team0");
    start_daemon();
    check_game(id, "concede");
}

/* The next daemon finds the game while it still goes on. */
static void a_game_that_goes_on_is_found_by_the_next_daemon(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    daemon_end(&daemon_here, SIGKILL);
    start_daemon();
    json_decref(wait_for(id, "leased"));
    client_concede(&client, "team0");
    check_game(id, "concede");
}

static void a_cancelled_job_ends_its_game(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));
    char path[96];

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
    expect("POST", path, NULL, 202);
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    json_decref(wait_for(id, "cancelled"));
}

static void a_game_that_nobody_came_to_can_be_cancelled(void **state)
{
    int64_t id = add(JOB(""));
    char path[96];

    (void)state;
    port_of(id);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
    expect("POST", path, NULL, 202);
    json_decref(wait_for(id, "cancelled"));
}

static void a_broken_client_fails_the_job_by_name(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, "hello");
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    for (bool ended = false; !ended; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        ended = strcmp(text_of(job, "state"), "buried") == 0;
        if (ended)
            assert_string_equal(text_of(json_object_get(job, "error"), "code"), "broken");
        json_decref(job);
    }
}

static void bad_specs_are_refused_by_the_name_of_the_field(void **state)
{
    (void)state;
    refuses_field("/v1/jobs", JOB(",\"port0\":65536"), "/spec/port0");
    refuses_field("/v1/jobs", JOB(",\"time\":0"), "/spec/time");
    refuses_field("/v1/jobs", JOB(",\"profile\":\"dc4\""), "/spec/profile");
    refuses_field("/v1/jobs", JOB(",\"team0\":\"nobody\""), "/spec/team0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_hosted_kept_and_shown),
        cmocka_unit_test(a_game_outlives_the_daemon_and_is_reported_to_the_next),
        cmocka_unit_test(a_game_that_goes_on_is_found_by_the_next_daemon),
        cmocka_unit_test(a_cancelled_job_ends_its_game),
        cmocka_unit_test(a_game_that_nobody_came_to_can_be_cancelled),
        cmocka_unit_test(a_broken_client_fails_the_job_by_name),
        cmocka_unit_test(bad_specs_are_refused_by_the_name_of_the_field),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
