/* Games that go on after a tie, as a client of the daemon sees them: the job, its match, its games,
 * and a separate ladder. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ENDS = 2, PAIRS = 10 };

/* 20 games, some of them level after two ends; the test checks that. */
#define JOB(extra_ends)                                                               \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"ai-simple:epsilon=0.8\"," \
    "\"ends\":2,\"pairs\":10,\"seed\":3" extra_ends "}}"

static struct reply get(const char *path)
{
    return client_ask(daemon_here.port, &(struct client_call){.method = "GET", .path = path}, 200);
}

/* Returns the job once it has ended. */
static struct reply play(const char *body)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    struct reply job = client_ask(daemon_here.port,
                                  &(struct client_call){.method = "POST",
                                                        .path = "/v1/jobs",
                                                        .body = body,
                                                        .header = headers,
                                                        .most_ms = PATIENCE_MS},
                                  200);

    assert_string_equal(json_string_value(json_object_get(job.json, "state")), "done");
    return job;
}

static void assert_pairs(const json_t *result)
{
    const json_t *score = json_object_get(result, "pair_score");

    assert_int_equal(client_whole(score, "wins") + client_whole(score, "draws") +
                         client_whole(score, "losses"),
                     PAIRS);
}

/* Checks the lines of a game: one describes it, the others are shots, each with its end. */
static void check_lines(const char *id, json_int_t ends, int extra_ends)
{
    char path[80], label[32];

    snprintf(path, sizeof path, "/v1/games/%s", id);
    struct reply game = get(path);
    json_t *head = json_loads(game.text, JSON_DISABLE_EOF_CHECK, NULL);
    assert_int_equal(client_whole(head, "ends"), ENDS);
    assert_int_equal(client_whole(head, "extra_ends"), extra_ends);
    json_decref(head);
    int lines = 0;
    for (const char *at = game.text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + 16 * ends);
    snprintf(label, sizeof label, "\"end\":%d,\"shot\":15,", (int)ends - 1);
    assert_non_null(strstr(game.text, label));
    reply_free(&game);
}

static void a_match_with_extra_ends_is_kept_with_all_of_its_ends(void **state)
{
    (void)state;
    struct reply job = play(JOB(",\"extra_ends\":2"));
    const json_t *result = json_object_get(job.json, "result");
    json_int_t went_on = client_whole(result, "games_with_extra_ends"), longer = 0;
    char path[80];
    json_t *game;
    size_t k;

    assert_int_equal(client_whole(json_object_get(job.json, "spec"), "extra_ends"), 2);
    assert_int_equal(client_whole(result, "extra_ends"), 2);
    assert_in_range(went_on, 1, 2 * PAIRS - 1);
    assert_pairs(result);
    snprintf(path, sizeof path, "/v1/matches?job=%d", (int)client_whole(job.json, "id"));
    reply_free(&job);

    struct reply matches = get(path);
    const json_t *match = json_array_get(json_object_get(matches.json, "items"), 0);
    assert_int_equal(client_whole(match, "ends"), ENDS);
    assert_int_equal(client_whole(match, "extra_ends"), 2);
    snprintf(path, sizeof path, "/v1/matches/%d/games", (int)client_whole(match, "id"));
    reply_free(&matches);
    struct reply games = get(path);
    json_array_foreach(json_object_get(games.json, "items"), k, game)
    {
        json_int_t ends = (json_int_t)json_array_size(json_object_get(game, "ends"));
        longer += ends > ENDS;
        if (ends > ENDS)
            check_lines(json_string_value(json_object_get(game, "id")), ends, 2);
    }
    assert_int_equal(longer, went_on);
    reply_free(&games);
}

static json_int_t rated(const char *path, json_int_t extra_ends)
{
    struct reply ladder = get(path);
    json_int_t players = (json_int_t)json_array_size(json_object_get(ladder.json, "items"));

    assert_int_equal(client_whole(ladder.json, "extra_ends"), extra_ends);
    reply_free(&ladder);
    return players;
}

/* The same players without extra ends are rated separately. */
static void a_tie_is_a_draw_by_default_and_has_another_ladder(void **state)
{
    (void)state;
    for (double end_s = 0; rated("/v1/ratings?extra_ends=2", 2) == 0 && patience_left(&end_s);)
        usleep(20000);
    assert_int_equal(rated("/v1/ratings?extra_ends=2", 2), 2);
    assert_int_equal(rated("/v1/ratings", 0), 0);
    assert_int_equal(rated("/v1/ratings?extra_ends=1", 1), 0);

    struct reply job = play(JOB(""));
    const json_t *result = json_object_get(job.json, "result");
    const json_t *games = json_object_get(json_object_get(result, "a"), "games");
    assert_int_equal(client_whole(json_object_get(job.json, "spec"), "extra_ends"), 0);
    assert_int_equal(client_whole(result, "games_with_extra_ends"), 0);
    assert_in_range(client_whole(games, "draws"), 1, 2 * PAIRS - 1);
    assert_pairs(result);
    reply_free(&job);
    for (double end_s = 0; rated("/v1/ratings", 0) == 0 && patience_left(&end_s);)
        usleep(20000);
    assert_int_equal(rated("/v1/ratings", 0), 2);
}

static void too_many_are_refused_by_the_name_of_the_field(void **state)
{
    (void)state;
    static const char *const values[] = {",\"extra_ends\":11", ",\"extra_ends\":-1",
                                         ",\"extra_ends\":\"2\"", ",\"extra_ends\":null"};
    char body[256];

    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        snprintf(body, sizeof body, JOB("%s"), values[k]);
        struct reply reply = client_ask(
            daemon_here.port,
            &(struct client_call){.method = "POST", .path = "/v1/jobs", .body = body}, 422);
        const json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);
        assert_string_equal(json_string_value(json_object_get(first, "pointer")),
                            "/spec/extra_ends");
        reply_free(&reply);
    }
    struct reply reply = client_ask(
        daemon_here.port,
        &(struct client_call){.method = "GET", .path = "/v1/ratings?extra_ends=11"}, 400);
    assert_non_null(strstr(reply.text, "extra_ends"));
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_with_extra_ends_is_kept_with_all_of_its_ends),
        cmocka_unit_test(a_tie_is_a_draw_by_default_and_has_another_ladder),
        cmocka_unit_test(too_many_are_refused_by_the_name_of_the_field),
    };
    return cmocka_run_group_tests(tests, daemon_start_here, daemon_end_here);
}
