/* A game on somebody's server as a job: played, kept, shown, and not counted by any ladder. */
#include "models/tables/profiles.h"
#include "tests/api/jobs.h"
#include "tests/programs/dc3_host.h"

#include <limits.h>

#define JOB(port, more)                                                                       \
    "{\"kind\":\"compete\",\"spec\":{\"protocol\":\"dc3\",\"server\":\"127.0.0.1:" port "\"," \
    "\"player\":\"ai-simple\",\"silence\":200" more "}}"

/* Returns the id of the game in the only match of a job. */
static void game_of(int64_t job, const struct game *played, char ret_id[64])
{
    json_t *matches = get("/v1/matches?job=%lld", (long long)job);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);

    assert_string_equal(json_string_value(json_object_get(match, "b")), "dc3:rulebased");
    json_t *games = get("/v1/matches/%lld/games", (long long)client_whole(match, "id"));
    const json_t *items = json_object_get(games, "items"), *game = json_array_get(items, 0);
    assert_int_equal(json_array_size(items), 1);
    const json_t *ends = json_object_get(game, "ends");
    assert_int_equal(json_array_size(ends), played->end);
    for (int end = 0; end < played->end; end++)
        assert_int_equal(client_whole(json_array_get(ends, (size_t)end), "score"),
                         played->scores[0][end] - played->scores[1][end]);
    snprintf(ret_id, 64, "%s", json_string_value(json_object_get(game, "id")));
    json_decref(games);
    json_decref(matches);
}

static int count_lines(const char *text)
{
    int count = 0;

    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    return count;
}

enum { WATCHED_SHOTS = 5 };

/* In the midst of the game its shots so far are told, the last one as soon as the program has heard
 * of it. */
static void look_at_game(void *context, int thrown)
{
    const int64_t *job = context;
    char path[64];
    struct reply so_far = {0};

    if (thrown != WATCHED_SHOTS)
        return;
    snprintf(path, sizeof path, "/v1/jobs/%lld/game", (long long)*job);
    for (; so_far.status != 200 || count_lines(so_far.text) <= WATCHED_SHOTS; rest()) {
        reply_free(&so_far);
        so_far =
            client_call(daemon_here.port, &(struct client_call){.method = "GET", .path = path});
    }
    json_t *head = json_loads(so_far.text, JSON_DISABLE_EOF_CHECK, NULL);
    assert_int_equal(count_lines(so_far.text), 1 + WATCHED_SHOTS);
    assert_true(json_is_false(json_object_get(head, "whole")));
    assert_int_equal(client_whole(head, "ends"), 2);
    assert_int_equal(client_whole(head, "job"), *job);
    assert_string_equal(json_string_value(json_object_get(head, "profile")), "dc3");
    assert_string_equal(json_string_value(json_object_get(head, "throws_first")), "ai-simple");
    assert_string_equal(json_string_value(json_object_get(head, "throws_last")), "dc3:rulebased");
    assert_non_null(strstr(so_far.text, "\"intended\""));
    json_decref(head);
    reply_free(&so_far);
}

/* What the program has written becomes the same game once more. */
static void import_log(int64_t job, const char *game)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t room = 0;

    snprintf(path, sizeof path, "%s/jobs/%lld/compete-1.jsonl", daemon_here.data, (long long)job);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_true(getdelim(&text, &room, '\0', file) > 0);
    fclose(file);
    struct reply sent = ask("POST", "/v1/games", text, 202);
    int64_t id = json_integer_value(json_object_get(sent.json, "job"));
    json_decref(wait_for(id, "done"));
    snprintf(path, sizeof path, "/v1/jobs/%lld/game", (long long)id);
    struct reply kept = ask("GET", path, NULL, 200);
    assert_int_equal(count_lines(kept.text), count_lines(game));
    assert_non_null(strstr(kept.text, "\"throws_first\":\"dc3:rink\""));
    for (const char *a = strchr(game, '\n'), *b = strchr(kept.text, '\n'); a[1];
         a = strchr(a + 1, '\n'), b = strchr(b + 1, '\n')) {
        json_t *was = json_loads(a + 1, JSON_DISABLE_EOF_CHECK, NULL);
        json_t *is = json_loads(b + 1, JSON_DISABLE_EOF_CHECK, NULL);
        assert_true(json_equal(json_object_get(was, "stones"), json_object_get(is, "stones")));
        assert_true(json_equal(json_object_get(was, "executed"), json_object_get(is, "executed")));
        json_decref(was);
        json_decref(is);
    }
    reply_free(&kept);
    reply_free(&sent);
    free(text);
}

static void a_game_is_played_kept_and_shown(void **state)
{
    const struct profile *profile = profile_find("dc3");
    int64_t job;
    struct dc3_host host = {
        .ice = profile->ice, .us = 0, .clock_s = 60.0, .watch = look_at_game, .context = &job};
    struct peer peer;
    char body[512], id[64], path[96];

    (void)state;
    peer_listen(&peer, '\n');
    snprintf(body, sizeof body, JOB("%d", ""), peer.port);
    job = add(body);
    assert_int_equal(game_start(&profile->rules, 2, RULES_ENDS_MAX, 1, &host.game), GAME_OK);
    peer_accept(&peer);
    dc3_greet(&peer);
    dc3_host_game(&peer, &host);
    json_t *done = wait_for(job, "done");
    peer_hang_up(&peer);
    const json_t *result = json_object_get(done, "result");
    assert_string_equal(json_string_value(json_object_get(result, "end")), "over");
    json_decref(done);

    game_of(job, &host.game, id);
    snprintf(path, sizeof path, "/v1/games/%s", id);
    struct reply lines = ask("GET", path, NULL, 200);
    assert_int_equal(count_lines(lines.text), 1 + 16 * host.game.end);
    snprintf(path, sizeof path, "/v1/jobs/%lld/game", (long long)job);
    struct reply whole_game = ask("GET", path, NULL, 200);
    assert_non_null(strstr(whole_game.text, "\"whole\":true"));
    assert_string_equal(strchr(whole_game.text, '\n'), strchr(lines.text, '\n'));
    reply_free(&whole_game);
    import_log(job, lines.text);
    reply_free(&lines);
    json_t *ladder = get("/v1/ratings?profile=dc3&ends=2&extra_ends=10");
    assert_int_equal(json_array_size(json_object_get(ladder, "items")), 0);
    json_decref(ladder);
}

static void a_server_that_hangs_up_fails_the_job_with_its_reason(void **state)
{
    struct peer peer;
    char body[512];

    (void)state;
    peer_listen(&peer, '\n');
    snprintf(body, sizeof body, JOB("%d", ""), peer.port);
    int64_t id = add(body);
    peer_accept(&peer);
    peer_hang_up(&peer);
    for (;; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        bool ended = strcmp(json_string_value(json_object_get(job, "state")), "buried") == 0;
        if (ended)
            assert_string_equal(
                json_string_value(json_object_get(json_object_get(job, "error"), "code")),
                "closed");
        json_decref(job);
        if (ended)
            break;
    }
    close(peer.listener);
}

/* The update of a server is a query as it is. */
static void an_update_can_be_posted_whole(void **state)
{
    static const char update[] =
        "{\"cmd\":\"update\",\"last_move\":null,\"next_team\":\"team0\",\"state\":{\"end\":0,"
        "\"extra_end_score\":{\"team0\":null,\"team1\":null},\"game_result\":null,\"hammer\":"
        "\"team1\",\"scores\":{\"team0\":[null],\"team1\":[null]},\"shot\":0,\"stones\":{\"team0\":"
        "[],"
        "\"team1\":[]},\"thinking_time_remaining\":{\"team0\":60.0,\"team1\":60.0}},"
        "\"player\":\"ai-simple\",\"limits\":{\"clock\":true}}";
    struct reply reply = ask("POST", "/v1/shots?format=dc3-update", update, 200);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(reply.json, "side")), "team0");
    reply_free(&reply);
    expect("POST", "/v1/shots", update, 200);
    refuses_field("/v1/shots?format=dc3-update", "{\"profile\":\"dc3\"}", "/cmd");
    expect("POST", "/v1/shots?format=dc5", update, 400);
}

static void bad_specs_are_refused_by_the_name_of_the_field(void **state)
{
    (void)state;
    refuses_field("/v1/jobs", "{\"kind\":\"compete\",\"spec\":{}}", "/spec/server");
    refuses_field("/v1/jobs", JOB("1", ",\"match\":\"x\""), "/spec/match");
    refuses_field("/v1/jobs", JOB("1", ",\"reserve\":1"), "/spec/reserve");
    refuses_field("/v1/jobs", JOB("1", ",\"name\":\"a\\nb\""), "/spec/name");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"compete\",\"spec\":{\"protocol\":\"dc4\",\"server\":\"http://a\","
                  "\"match\":\"b\"}}",
                  "/spec/user");
}

static void no_password_is_read_from_another_folder(void **state)
{
    static const char *const names[] = {"../rinkd.db", ".", "a/b", "missing"};

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char body[512];
        snprintf(body, sizeof body,
                 "{\"kind\":\"compete\",\"spec\":{\"protocol\":\"dc4\",\"server\":\"http://"
                 "127.0.0.1:1\","
                 "\"match\":\"b\",\"user\":\"u\",\"credentials\":\"%s\"}}",
                 names[k]);
        refuses_field("/v1/jobs", body, "/spec/credentials");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_played_kept_and_shown),
        cmocka_unit_test(a_server_that_hangs_up_fails_the_job_with_its_reason),
        cmocka_unit_test(an_update_can_be_posted_whole),
        cmocka_unit_test(bad_specs_are_refused_by_the_name_of_the_field),
        cmocka_unit_test(no_password_is_read_from_another_folder),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
