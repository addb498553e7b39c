/* Mixed doubles as a client of the daemon sees it: matches, tournaments, measurements, games with
 * their setups, reviews, trainings. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct reply get(const char *path)
{
    return client_ask(daemon_here.port, &(struct client_call){.method = "GET", .path = path}, 200);
}

/* Returns the job once it has ended, however slow the machine is. */
static struct reply work(const char *body)
{
    struct reply job =
        client_ask(daemon_here.port,
                   &(struct client_call){.method = "POST", .path = "/v1/jobs", .body = body}, 202);
    char path[80];

    snprintf(path, sizeof path, "/v1/jobs/%d", (int)client_whole(job.json, "id"));
    for (int k = 0; k < PATIENCE_MS / 50; k++) {
        const char *state = json_string_value(json_object_get(job.json, "state"));
        if (strcmp(state, "done") == 0)
            return job;
        assert_string_not_equal(state, "failed");
        reply_free(&job);
        usleep(50000);
        job = get(path);
    }
    fail_msg("%s has not ended", path);
    return job;
}

static void is_refused(const char *body, const char *pointer, const char *said)
{
    struct reply reply =
        client_ask(daemon_here.port,
                   &(struct client_call){.method = "POST", .path = "/v1/jobs", .body = body}, 422);
    const json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);

    assert_string_equal(json_string_value(json_object_get(first, "pointer")), pointer);
    assert_non_null(strstr(reply.text, said));
    reply_free(&reply);
}

/* Checks the record of a game line by line, and counts the power plays. */
static int check_game(const char *id, int ends)
{
    char path[80];
    int shots = 0, powers = 0;

    snprintf(path, sizeof path, "/v1/games/%s", id);
    struct reply game = get(path);
    char *rest = strchr(game.text, '\n');
    for (char *line = strtok(rest, "\n"); line; line = strtok(NULL, "\n"), shots++) {
        json_t *shot = json_loads(line, 0, NULL);
        const json_t *setup = json_object_get(shot, "setup");
        const json_t *stones = json_object_get(shot, "stones");
        assert_non_null(shot);
        assert_int_equal(client_whole(shot, "shot"), shots % 10);
        assert_int_equal(client_whole(shot, "end"), shots / 10);
        assert_int_equal(setup != NULL, shots % 10 == 0);
        if (setup) {
            const char *choice = json_string_value(json_object_get(setup, "choice"));
            assert_in_range(client_whole(setup, "pattern"), 0, 5);
            assert_in_range(client_whole(setup, "player"), 0, 1);
            powers += strncmp(choice, "pp_", 3) == 0;
            for (size_t k = 0; k < 16; k++)
                assert_int_equal(json_is_null(json_array_get(stones, k)), k >= 2);
        }
        json_decref(shot);
    }
    assert_int_equal(shots, 10 * ends);
    reply_free(&game);
    return powers;
}

static void a_match_is_kept_with_its_setups_and_can_be_reviewed(void **state)
{
    (void)state;
    struct reply job = work("{\"kind\":\"match\",\"spec\":{\"a\":\"doubles-simple\",\"b\":"
                            "\"rink:simulations=100\",\"profile\":\"dc4-modified\",\"ends\":2,"
                            "\"pairs\":1,\"luck\":4,\"seed\":5}}");
    char path[160];
    json_t *game;
    size_t k;
    int powers = 0;

    snprintf(path, sizeof path, "/v1/matches?job=%d", (int)client_whole(job.json, "id"));
    reply_free(&job);
    struct reply matches = get(path);
    const json_t *match = json_array_get(json_object_get(matches.json, "items"), 0);
    assert_string_equal(json_string_value(json_object_get(match, "profile")), "dc4-modified");
    const int number = (int)client_whole(match, "id");
    snprintf(path, sizeof path, "/v1/matches/%d/games", number);
    reply_free(&matches);
    struct reply games = get(path);
    json_array_foreach(json_object_get(games.json, "items"), k, game) powers +=
        check_game(json_string_value(json_object_get(game, "id")), 2);
    assert_int_equal(k, 2);
    assert_true(powers > 0);
    reply_free(&games);

    snprintf(path, sizeof path,
             "{\"kind\":\"review\",\"spec\":{\"game\":\"%d-0-0\",\"throws\":64,"
             "\"judge\":\"rink:simulations=100\"}}",
             number);
    struct reply review = work(path);
    const json_t *result = json_object_get(review.json, "result");
    assert_string_equal(json_string_value(json_object_get(result, "profile")), "dc4-modified");
    assert_int_equal(json_array_size(json_object_get(result, "shots")), 20);
    reply_free(&review);
}

static void the_other_kinds_play_it_too(void **state)
{
    (void)state;
    struct reply tournament =
        work("{\"kind\":\"tournament\",\"spec\":{\"players\":[\"doubles-simple\","
             "\"ai-simple\",\"random\"],\"profile\":\"dc4-modified\",\"ends\":1,\"pairs\":1}}");
    reply_free(&tournament);
    struct reply sprt = work("{\"kind\":\"match\",\"spec\":{\"a\":\"doubles-simple\",\"b\":"
                             "\"random\",\"profile\":\"dc4-modified\",\"pairs\":2,\"sprt\":{}}}");
    reply_free(&sprt);
    struct reply measured =
        work("{\"kind\":\"exploitability\",\"spec\":{\"player\":\"random\",\"profile\":"
             "\"dc4-modified\",\"responders\":[\"doubles-simple\"],\"ends\":2,"
             "\"selection_ends\":2}}");
    assert_non_null(strstr(measured.text, "dc4-modified"));
    reply_free(&measured);
}

/* Trainings of mixed doubles: their policies are judged in matches, and play. */
static void trainings_learn_it(void **state)
{
    (void)state;
    char body[400];

    for (int k = 0; k < 2; k++) {
        snprintf(
            body, sizeof body,
            "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"%s\",\"profile\":\"dc4-modified\","
            "\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"parallel\":4%s},"
            "\"opponents\":[\"doubles-simple\"],\"evaluate_pairs\":1,\"iterations\":20,"
            "\"evaluate_every\":20}}",
            k ? "ppo" : "nfsp", k ? ",\"minibatch\":16" : ",\"candidates\":4,\"warm_up\":32");
        struct reply job = work(body);
        const char *run = json_string_value(json_array_get(json_object_get(job.json, "runs"), 0));
        assert_non_null(run);
        snprintf(body, sizeof body, "/v1/runs/%s", run);
        struct reply shown = get(body);
        assert_non_null(strstr(shown.text, "win_rate/doubles-simple"));
        const json_t *policies = json_object_get(shown.json, "policies");
        snprintf(body, sizeof body,
                 "{\"kind\":\"match\",\"spec\":{\"a\":\"policy:weights=%s\",\"b\":\"random\","
                 "\"profile\":\"dc4-modified\",\"pairs\":1,\"ends\":1}}",
                 json_string_value(json_object_get(json_array_get(policies, 0), "model")));
        struct reply match = work(body);
        reply_free(&match);
        reply_free(&shown);
        reply_free(&job);
    }
}

static void what_cannot_learn_it_refuses_it_by_the_name_of_the_field(void **state)
{
    static const char *const in_rounds[] = {"gpi", "policy-value", "value"};
    char body[160];

    (void)state;
    for (size_t k = 0; k < sizeof in_rounds / sizeof *in_rounds; k++) {
        snprintf(
            body, sizeof body,
            "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"%s\",\"profile\":\"dc4-modified\"}}",
            in_rounds[k]);
        is_refused(body, "/spec/profile", "no profile that this algorithm can learn");
    }
    is_refused("{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\","
               "\"profile\":\"dc5\"}}",
               "/spec/profile", "dc4-modified");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_is_kept_with_its_setups_and_can_be_reviewed),
        cmocka_unit_test(the_other_kinds_play_it_too),
        cmocka_unit_test(trainings_learn_it),
        cmocka_unit_test(what_cannot_learn_it_refuses_it_by_the_name_of_the_field),
    };
    return cmocka_run_group_tests(tests, daemon_start_here, daemon_end_here);
}
