/* Every resource of the HTTP API, asked of the real daemon; each answer has to be one that the
 * contract documents, and at the end every operation of the contract has been called. */
#include "tests/api/client.h"
#include "tests/api/contract.h"
#include "tests/api/daemon.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int start_all(void **state)
{
    contract_load(OPENAPI_YAML);
    return daemon_start_here(state);
}

/* ---- asking ---- */

/* A call whose answer has to have that status and be documented for the path of the contract. */
static struct reply ask_with(const char *method, const char *contract_path, const char *path,
                             const struct client_call *more, long status)
{
    struct client_call call = *more;

    call.method = method;
    call.path = path;
    struct reply reply = client_call(daemon_here.port, &call);
    if (reply.status != status)
        fail_msg("%s %s: %ld, not %ld: %s", method, path, reply.status, status, reply.text);
    contract_met(method, contract_path, status);
    return reply;
}

static struct reply ask(const char *method, const char *contract_path, const char *path,
                        const char *body, long status)
{
    return ask_with(method, contract_path, path, &(struct client_call){.body = body}, status);
}

/* The same where the path has no parts in braces and nobody looks at the answer. */
static void expect(const char *method, const char *contract_path, const char *path,
                   const char *body, long status)
{
    struct reply reply = ask(method, contract_path, path, body, status);
    if (status >= 400)
        assert_non_null(json_object_get(reply.json, "type"));
    reply_free(&reply);
}

/* A browser that has heard the last event is told not to come again. */
static void expect_nothing_more(const char *contract_path, const char *path)
{
    static const char *const headers[] = {"Last-Event-ID: 9000000000000000", NULL};
    struct reply reply =
        ask_with("GET", contract_path, path, &(struct client_call){.header = headers}, 204);
    reply_free(&reply);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The request is refused because of the field. */
static void refuses_field(const char *method, const char *path, const char *body,
                          const char *pointer)
{
    struct reply reply = ask(method, path, path, body, 422);

    assert_problem(&reply, 422, "bad-field");
    json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);
    assert_string_equal(text_of(first, "pointer"), pointer);
    reply_free(&reply);
}

#define NULLS   "[null,null,null,null,null,null,null,null]"
#define NOTHING "{\"team0\":" NULLS ",\"team1\":" NULLS "}"
#define STATE                                                                            \
    "{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]}," \
    "\"stones\":" NOTHING "}"
#define QUERY(more) "{\"profile\":\"dc3\",\"state\":" STATE more "}"
#define MATCH(more)                                                                      \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"generator\",\"pairs\":2," \
    "\"ends\":1,\"limits\":{\"simulations\":20}}" more "}"

/* ---- the service ---- */

/* Browsers get a page, whose files keep their address and their bytes; programs get the index. */
static void the_dashboard_is_served(void **state)
{
    (void)state;
    static const char *const html[] = {"Accept: text/html,*/*;q=0.8", NULL};
    static const char contract[] = "/assets/{version}/{name}";
    char value[256], version[17] = "", path[64];

    struct reply page = ask_with("GET", "/", "/", &(struct client_call){.header = html}, 200);
    assert_string_equal(reply_header(&page, "Content-Type", sizeof value, value),
                        "text/html; charset=utf-8");
    reply_header(&page, "Content-Security-Policy", sizeof value, value);
    assert_non_null(strstr(value, "script-src 'self';"));
    assert_null(strstr(value, "unsafe"));
    const char *at = strstr(page.text, "/assets/");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "/assets/%16[0-9a-f]/", version), 1);
    reply_free(&page);

    snprintf(path, sizeof path, "/assets/%s/app.js", version);
    struct reply script = ask("GET", contract, path, NULL, 200);
    assert_string_equal(reply_header(&script, "Cache-Control", sizeof value, value),
                        "public, max-age=31536000, immutable");
    assert_string_equal(reply_header(&script, "Content-Type", sizeof value, value),
                        "text/javascript; charset=utf-8");
    assert_true(script.bytes > 0);
    reply_free(&script);

    snprintf(path, sizeof path, "/assets/%s/nothing.js", version);
    expect("GET", contract, path, NULL, 404);
    expect("GET", contract, "/assets/0123456789abcdef/app.js", NULL, 404);
}

static void the_service_says_what_it_is(void **state)
{
    (void)state;
    static const char *const paths[] = {"/",           "/healthz",      "/readyz",
                                        "/metrics",    "/openapi.yaml", "/v1/version",
                                        "/v1/schemas", "/v1/workers"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++)
        expect("GET", paths[k], paths[k], NULL, 200);
    expect("GET", "/v1/version", "/v1/version?x=1", NULL, 400);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/shot", NULL, 200);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/match", NULL, 200);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/dance", NULL, 404);

    struct reply backup = ask("POST", "/v1/backup", "/v1/backup", NULL, 201);
    assert_true(json_integer_value(json_object_get(backup.json, "bytes")) > 0);
    reply_free(&backup);
}

/* The schemas of requests are written down in the contract, too, as JSON: the same ones. */
static void the_contract_has_the_schemas_that_are_served(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"shot", "ShotQuery"},
                                           {"train", "TrainSpec"},
                                           {"match", "MatchSpec"},
                                           {"tournament", "TournamentSpec"},
                                           {"exploitability", "ExploitabilitySpec"},
                                           {"diagnose", "DiagnoseSpec"}};
    struct reply list = ask("GET", "/v1/schemas", "/v1/schemas", NULL, 200);
    char path[80];

    assert_int_equal(json_array_size(json_object_get(list.json, "items")),
                     sizeof names / sizeof names[0]);
    reply_free(&list);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(path, sizeof path, "/v1/schemas/%s", names[k][0]);
        struct reply served = ask_with("GET", "/v1/schemas/{kind}", path,
                                       &(struct client_call){.is_direct = true}, 200);
        json_t *documented = contract_schema(OPENAPI_YAML, names[k][1]);
        /* What says where a document of its own is. */
        json_object_del(served.json, "$schema");
        json_object_del(served.json, "$id");
        json_object_del(served.json, "title");
        if (!json_equal(served.json, documented)) {
            /* Indented as it stands there. */
            json_t *should_be =
                json_pack("{s:{s:{s:O}}}", "components", "schemas", names[k][1], served.json);
            char *text = json_dumps(should_be, JSON_INDENT(2));
            print_error("%s should have %s\n", OPENAPI_YAML, text);
            json_decref(should_be);
            free(text);
            fail();
        }
        json_decref(documented);
        reply_free(&served);
    }
}

static void unchanged_resources_are_not_sent_again(void **state)
{
    (void)state;
    struct reply first = ask("GET", "/v1/version", "/v1/version", NULL, 200);
    char tag[80], header[120];

    reply_header(&first, "ETag", sizeof tag, tag);
    snprintf(header, sizeof header, "If-None-Match: %s", tag);
    const char *const headers[] = {header, NULL};
    struct reply second = ask_with("GET", "/v1/version", "/v1/version",
                                   &(struct client_call){.header = headers}, 304);
    assert_int_equal(second.bytes, 0);
    reply_free(&first);
    reply_free(&second);
}

/* ---- shots and positions ---- */

static void shots_are_answered(void **state)
{
    (void)state;
    struct reply shot =
        ask("POST", "/v1/shots", "/v1/shots",
            QUERY(",\"player\":\"generator:samples=4\",\"limits\":{\"simulations\":200}"), 200);

    assert_non_null(json_object_get(json_object_get(shot.json, "shot"), "velocity"));
    reply_free(&shot);
    refuses_field("POST", "/v1/shots", QUERY(",\"player\":\"nobody\""), "/player");
    refuses_field("POST", "/v1/shots", QUERY(",\"colour\":1"), "/colour");
    struct reply broken = ask_with("POST", "/v1/shots", "/v1/shots",
                                   &(struct client_call){.body = "{", .is_direct = true}, 400);
    assert_problem(&broken, 400, "bad-json");
    reply_free(&broken);
}

static void shots_can_be_fetched_later(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: respond-async",
                                          NULL};
    const struct client_call call = {.body = QUERY(",\"player\":\"ai-simple\""), .header = headers};
    struct reply shot = ask_with("POST", "/v1/shots", "/v1/shots", &call, 202);
    char path[80], events[96];

    reply_header(&shot, "Location", sizeof path, path);
    reply_free(&shot);
    snprintf(events, sizeof events, "%s/events", path);
    struct reply heard = ask("GET", "/v1/shots/{id}/events", events, NULL, 200);
    assert_non_null(strstr(heard.text, "event: "));
    reply_free(&heard);
    expect_nothing_more("/v1/shots/{id}/events", events);
    struct reply done = ask("GET", "/v1/shots/{id}", path, NULL, 200);
    assert_string_equal(text_of(done.json, "state"), "done");
    reply_free(&done);
    expect("DELETE", "/v1/shots/{id}", path, NULL, 204);
    expect("GET", "/v1/shots/{id}", "/v1/shots/none", NULL, 404);
}

static void positions_are_judged(void **state)
{
    (void)state;
    struct reply score = ask("POST", "/v1/positions/score", "/v1/positions/score",
                             "{\"profile\":\"dc3\",\"stones\":{\"team0\":" NULLS
                             ",\"team1\":[{\"position\":{\"x\":0.5,\"y\":38.4}},"
                             "{\"position\":{\"x\":-0.5,\"y\":38.4}},null,null,null,null,null,"
                             "null]}}",
                             200);
    assert_int_equal(json_integer_value(json_object_get(score.json, "team0")), 0);
    assert_int_equal(json_integer_value(json_object_get(score.json, "team1")), 2);
    assert_int_equal(json_array_size(json_object_get(score.json, "counting")), 2);
    reply_free(&score);
    refuses_field("POST", "/v1/positions/score", "{\"profile\":\"dc3\"}", "/stones");

    struct reply good =
        ask("POST", "/v1/positions/validate", "/v1/positions/validate", QUERY(""), 200);
    assert_true(json_is_true(json_object_get(good.json, "valid")));
    reply_free(&good);
    struct reply bad = ask("POST", "/v1/positions/validate", "/v1/positions/validate",
                           "{\"profile\":\"dc9\",\"state\":" STATE "}", 200);
    assert_true(json_is_false(json_object_get(bad.json, "valid")));
    reply_free(&bad);
    refuses_field("POST", "/v1/positions/validate", QUERY(",\"player\":\"rink\""), "/player");
}

static void shots_are_thrown(void **state)
{
    (void)state;
#define THROW(profile, shot, more) \
    "{\"profile\":\"" profile "\",\"state\":" STATE ",\"shot\":" shot more "}"
#define DRAW "{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"ccw\"}"
    /* What it answers can be asked again: the state for the next shot, the shot for the same. */
    struct reply thrown =
        ask("POST", "/v1/simulations", "/v1/simulations", THROW("dc3", DRAW, ""), 200);
    json_t *next = json_object_get(thrown.json, "state");
    assert_int_equal(json_integer_value(json_object_get(next, "shot")), 1);
    json_t *body = json_pack("{s:s,s:O,s:O}", "profile", "dc3", "state", next, "shot",
                             json_object_get(thrown.json, "shot"));
    char *text = json_dumps(body, 0);
    struct reply second = ask("POST", "/v1/simulations", "/v1/simulations", text, 200);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(second.json, "state"), "shot")), 2);
    assert_true(
        json_equal(json_object_get(second.json, "shot"), json_object_get(thrown.json, "shot")));
    free(text);
    json_decref(body);
    reply_free(&second);
    reply_free(&thrown);
    refuses_field("POST", "/v1/simulations",
                  THROW("dc2", "{\"native\":{\"vx\":0.1,\"vy\":-29.5,\"spin\":2}}", ""),
                  "/shot/native/spin");
    refuses_field("POST", "/v1/simulations", QUERY(""), "/shot");
    refuses_field("POST", "/v1/simulations", THROW("dc3", DRAW, ",\"model\":\"dc3\""), "/model");

    /* The luck of samples hangs on the seed alone; it is 0 where none is said. */
    struct reply noisy = ask("POST", "/v1/simulations", "/v1/simulations",
                             THROW("dc3", DRAW, ",\"samples\":3,\"trajectory\":1"), 200);
    json_t *samples = json_object_get(noisy.json, "samples");
    json_t *paths = json_object_get(noisy.json, "trajectory");
    assert_int_equal(json_array_size(samples), 3);
    assert_int_equal(json_array_size(json_object_get(paths, "team0")), 8);
    assert_true(json_array_size(json_array_get(json_object_get(paths, "team0"), 0)) > 2);
    struct reply again =
        ask("POST", "/v1/simulations", "/v1/simulations",
            THROW("dc3", DRAW, ",\"id\":5,\"samples\":3,\"trajectory\":1,\"seed\":0"), 200);
    assert_true(json_equal(samples, json_object_get(again.json, "samples")));
    assert_int_equal(json_integer_value(json_object_get(again.json, "id")), 5);
    reply_free(&noisy);
    reply_free(&again);
    refuses_field("POST", "/v1/simulations",
                  THROW("dc3", DRAW, ",\"samples\":2,\"noise\":{\"gat_stddev_x\":1}"),
                  "/noise/gat_stddev_x");
    /* What only the worker finds out. */
    refuses_field("POST", "/v1/simulations",
                  THROW("dc3", DRAW, ",\"samples\":1000,\"trajectory\":0.001"), "/trajectory");
}

/* ---- jobs ---- */

/* A refusal with this sentence. */
static void says(const char *method, const char *route, const char *path, int status,
                 const char *detail)
{
    struct reply reply = ask(method, route, path, NULL, status);

    assert_string_equal(text_of(reply.json, "detail"), detail);
    reply_free(&reply);
}

static void a_match_leaves_results(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = MATCH(""), .header = headers, .most_ms = 60000};
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    long long id = json_integer_value(json_object_get(job.json, "id"));
    char path[160], state_text[48];

    assert_string_equal(text_of(job.json, "state"), "done");
    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    expect("GET", "/v1/jobs/{id}", path, NULL, 200);
    snprintf(path, sizeof path, "/v1/jobs/%lld/events", id);
    expect("GET", "/v1/jobs/{id}/events", path, NULL, 200);
    expect_nothing_more("/v1/jobs/{id}/events", path);
    snprintf(path, sizeof path, "/v1/jobs/%lld/log", id);
    expect("GET", "/v1/jobs/{id}/log", path, NULL, 200);
    expect("GET", "/v1/jobs", "/v1/jobs?kind=match&state=done&limit=1&fields=id", NULL, 200);
    expect("GET", "/v1/jobs", "/v1/jobs?state=asleep", NULL, 400);
    expect("GET", "/v1/jobs", "/v1/jobs?kind=dance", NULL, 400);
    expect("GET", "/v1/jobs", "/v1/jobs?kind=match&fields=id,colour", NULL, 400);
    says("GET", "/v1/jobs/{id}", "/v1/jobs/99999", 404, "there is no job 99999");
    says("GET", "/v1/runs/{id}/checkpoints/{step}", "/v1/runs/x/checkpoints/5", 404,
         "there is no checkpoint 5 of run x");
    says("GET", "/v1/matches/{id}/games", "/v1/matches/77777/games", 404,
         "there is no match 77777");
    says("DELETE", "/v1/models/{name}/aliases/{alias}", "/v1/models/m/aliases/a", 404,
         "there is no alias a of model m");
    snprintf(path, sizeof path, "/v1/jobs/%lld/kick", id);
    snprintf(state_text, sizeof state_text, "job %lld is done", id);
    says("POST", "/v1/jobs/{id}/kick", path, 409, state_text);
    struct reply bad = ask("GET", "/v1/jobs", "/v1/jobs?cursor=zz", NULL, 400);
    assert_string_equal(text_of(bad.json, "detail"), "cursor: not one of this list");
    reply_free(&bad);
    expect("GET", "/v1/matches", "/v1/matches?profile=dc9", NULL, 400);
    expect("GET", "/v1/exploitability", "/v1/exploitability?profile=dc9", NULL, 400);

    expect("GET", "/v1/matches", "/v1/matches?fields=id,colour.a", NULL, 400);
    struct reply parts =
        ask("GET", "/v1/matches", "/v1/matches?fields=id,result.a.games,result.colour", NULL, 200);
    json_t *part = json_array_get(json_object_get(parts.json, "items"), 0);
    assert_int_equal(json_object_size(part), 2);
    part = json_object_get(part, "result");
    assert_int_equal(json_object_size(part), 1);
    part = json_object_get(part, "a");
    assert_int_equal(json_object_size(part), 1);
    assert_true(json_object_size(json_object_get(part, "games")) > 1);
    reply_free(&parts);

    snprintf(path, sizeof path, "/v1/matches?job=%lld", id);
    struct reply matches = ask("GET", "/v1/matches", path, NULL, 200);
    json_t *match = json_array_get(json_object_get(matches.json, "items"), 0);
    long long number = json_integer_value(json_object_get(match, "id"));
    assert_string_equal(text_of(match, "a"), "ai-simple");
    assert_string_equal(text_of(match, "b"), "generator @ 20 simulations");
    reply_free(&matches);
    snprintf(path, sizeof path, "/v1/matches/%lld", number);
    expect("GET", "/v1/matches/{id}", path, NULL, 200);

    /* Two pairs are four games; the second page goes on in the middle of a pair. */
    snprintf(path, sizeof path, "/v1/matches/%lld/games?limit=3", number);
    struct reply games = ask("GET", "/v1/matches/{id}/games", path, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(games.json, "items")), 3);
    snprintf(path, sizeof path, "/v1/matches/%lld/games?cursor=%s", number,
             text_of(games.json, "next_cursor"));
    reply_free(&games);
    games = ask("GET", "/v1/matches/{id}/games", path, NULL, 200);
    json_t *last = json_array_get(json_object_get(games.json, "items"), 0);
    assert_int_equal(json_array_size(json_object_get(games.json, "items")), 1);
    snprintf(path, sizeof path, "/v1/games/%s", text_of(last, "id"));
    reply_free(&games);

    struct reply game = ask("GET", "/v1/games/{id}", path, NULL, 200);
    int lines = 0;
    for (const char *at = game.text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + 16); /* what it is, and the shots of its end */
    reply_free(&game);
    snprintf(path, sizeof path, "/v1/matches/%lld/games?cursor=x", number);
    expect("GET", "/v1/matches/{id}/games", path, NULL, 400);
    expect("GET", "/v1/games/{id}", "/v1/games/1-2", NULL, 404);

    /* The ladder is computed by a job that follows; that of other ends is another one. */
    json_int_t rated = 0;
    for (int k = 0; k < 500 && rated == 0; k++) {
        struct reply ladder = ask("GET", "/v1/ratings", "/v1/ratings?ends=1", NULL, 200);
        rated = (json_int_t)json_array_size(json_object_get(ladder.json, "items"));
        reply_free(&ladder);
        usleep(rated ? 0 : 20000);
    }
    assert_int_equal(rated, 2);
    struct reply ladders = ask("GET", "/v1/jobs", "/v1/jobs?kind=rate", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(ladders.json, "items")), 1);
    reply_free(&ladders);
    struct reply jobs = ask("GET", "/v1/jobs", "/v1/jobs?fields=kind", NULL, 200);
    json_t *items = json_object_get(jobs.json, "items"), *item;
    size_t k;
    json_array_foreach(items, k, item) assert_string_not_equal(text_of(item, "kind"), "rate");
    reply_free(&jobs);
    struct reply ladder = ask("GET", "/v1/ratings", "/v1/ratings?profile=dc2", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(ladder.json, "items")), 0);
    reply_free(&ladder);
    expect("GET", "/v1/ratings", "/v1/ratings?profile=dc9", NULL, 400);
    expect("GET", "/v1/ratings", "/v1/ratings?ends=11", NULL, 400);
    expect("GET", "/v1/ratings", "/v1/ratings?extra_ends=11", NULL, 400);
    expect("GET", "/v1/exploitability", "/v1/exploitability", NULL, 200);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    expect("DELETE", "/v1/jobs/{id}", path, NULL, 204);
    expect("GET", "/v1/jobs/{id}", path, NULL, 404);

    /* The folder goes soon after the commit. */
    snprintf(path, sizeof path, "%s/jobs/%lld", daemon_here.data, id);
    for (int wait = 0; wait < 100 && access(path, F_OK) == 0; wait++)
        usleep(10000);
    assert_int_equal(access(path, F_OK), -1);
}

static void jobs_are_moved_by_callers(void **state)
{
    (void)state;
    static const char *const moves[][2] = {
        {"pause", "paused"}, {"resume", "ready"}, {"cancel", "cancelled"}};
    struct reply job =
        ask("POST", "/v1/jobs", "/v1/jobs", MATCH(",\"delay_s\":3600,\"priority\":3"), 202);
    long long id = json_integer_value(json_object_get(job.json, "id"));
    char path[80], contract[80];

    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    assert_non_null(strstr(text_of(job.json, "waiting_because"), "not to be run for another"));
    reply_free(&job);
    expect("DELETE", "/v1/jobs/{id}", path, NULL, 409);
    for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++) {
        snprintf(path, sizeof path, "/v1/jobs/%lld/%s", id, moves[k][0]);
        snprintf(contract, sizeof contract, "/v1/jobs/{id}/%s", moves[k][0]);
        job = ask("POST", contract, path, NULL, 202);
        assert_string_equal(text_of(job.json, "state"), moves[k][1]);
        reply_free(&job);
        expect("POST", contract, path, NULL, 409);
    }
    snprintf(path, sizeof path, "/v1/jobs/%lld/kick", id);
    expect("POST", "/v1/jobs/{id}/kick", path, NULL, 409);
    id = daemon_bury_job(&daemon_here);
    snprintf(path, sizeof path, "/v1/jobs/%lld/kick", id);
    expect("POST", "/v1/jobs/{id}/kick", path, NULL, 202);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", id);
    expect("POST", "/v1/jobs/{id}/cancel", path, NULL, 202);
    expect("POST", "/v1/jobs/{id}/kick", "/v1/jobs/999999/kick", NULL, 404);
    expect("POST", "/v1/jobs/{id}/cancel", "/v1/jobs/999999/cancel", "{\"why\":1}", 422);
    expect("GET", "/v1/jobs/{id}", "/v1/jobs/x", NULL, 404);
}

static void bad_jobs_are_refused(void **state)
{
    (void)state;
    struct reply dry = ask("POST", "/v1/jobs", "/v1/jobs", MATCH(",\"dry_run\":true"), 200);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(dry.json, "spec"), "threads")), 1);
    reply_free(&dry);
    refuses_field("POST", "/v1/jobs", "{\"kind\":\"dance\",\"spec\":{}}", "/kind");
    refuses_field("POST", "/v1/jobs",
                  "{\"kind\":\"match\",\"spec\":{\"a\":\"nobody\",\"b\":\"rink\"}}", "/spec/a");
}

#define TRAIN(spec, more) "{\"kind\":\"train\",\"spec\":{" spec "}" more "}"

static void training_is_checked_and_gets_a_run_for_each_seed(void **state)
{
    (void)state;
    struct reply dry = ask("POST", "/v1/jobs", "/v1/jobs",
                           TRAIN("\"algorithm\":\"ppo\"", ",\"dry_run\":true"), 200);
    json_t *spec = json_object_get(dry.json, "spec");
    assert_true(json_is_real(json_object_get(json_object_get(spec, "hyper"), "clip_ratio")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(spec, "opponents"), 0)),
                        "ai-simple");
    reply_free(&dry);
    refuses_field("POST", "/v1/jobs", TRAIN("\"network\":{\"channels\":8}", ""),
                  "/spec/network/channels");
    refuses_field("POST", "/v1/jobs", TRAIN("\"opponents\":[\"nobody\"]", ""), "/spec/opponents/0");
    refuses_field("POST", "/v1/jobs",
                  TRAIN("\"from\":{\"run\":\"0123456789abcdef0123456789abcdef\",\"step\":1}", ""),
                  "/spec/from/run");

    struct reply job =
        ask("POST", "/v1/jobs", "/v1/jobs", TRAIN("\"seeds\":[7,3]", ",\"delay_s\":3600"), 202);
    json_t *runs = json_object_get(job.json, "runs");
    assert_int_equal(json_array_size(runs), 2);
    char path[80], body[200];
    snprintf(path, sizeof path, "/v1/runs/%s", json_string_value(json_array_get(runs, 1)));
    snprintf(body, sizeof body, TRAIN("\"from\":{\"run\":\"%s\",\"step\":1}", ""), path + 9);
    struct reply run = ask("GET", "/v1/runs/{id}", path, NULL, 200);
    assert_int_equal(json_integer_value(json_object_get(run.json, "seed")), 3);
    assert_string_equal(text_of(run.json, "state"), "ready");
    assert_int_equal(json_array_size(json_object_get(run.json, "policies")), 0);
    reply_free(&run);
    refuses_field("POST", "/v1/jobs", body, "/spec/from/step");
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel",
             (long long)json_integer_value(json_object_get(job.json, "id")));
    reply_free(&job);
    expect("POST", "/v1/jobs/{id}/cancel", path, NULL, 202);
    path[strlen(path) - strlen("/cancel")] = '\0';
    expect("DELETE", "/v1/jobs/{id}", path, NULL, 204);
}

static void all_jobs_can_be_listened_to(void **state)
{
    (void)state;
    struct reply heard = ask_with("GET", "/v1/events", "/v1/events",
                                  &(struct client_call){.is_direct = true, .most_ms = 300}, 200);
    assert_non_null(strstr(heard.text, "event: reset"));
    reply_free(&heard);
}

/* ---- runs ---- */

static void a_diagnosis_leaves_a_run_with_curves(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}",
                                     .header = headers,
                                     .most_ms = 60000};
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    json_t *first = json_array_get(json_object_get(job.json, "runs"), 0);
    char run[80], path[160], body[160];

    assert_string_equal(text_of(job.json, "state"), "done");
    snprintf(run, sizeof run, "%s", json_string_value(first));
    reply_free(&job);
    expect("GET", "/v1/runs", "/v1/runs?limit=1", NULL, 200);
    snprintf(path, sizeof path, "/v1/runs/%s", run);
    expect("GET", "/v1/runs/{id}", path, NULL, 200);
    expect("PATCH", "/v1/runs/{id}", path, "{\"tags\":{\"who\":7}}", 422);
    struct reply tagged = ask("PATCH", "/v1/runs/{id}", path, "{\"tags\":{\"who\":\"me\"}}", 200);
    assert_string_equal(text_of(json_object_get(tagged.json, "tags"), "who"), "me");
    reply_free(&tagged);
    /* With the one that it has these are too many; nothing of them is kept. */
    char patch[600] = "{\"tags\":{\"t0\":\"\"";
    for (int k = 1; k < 32; k++)
        snprintf(patch + strlen(patch), sizeof patch - strlen(patch), ",\"t%d\":\"\"", k);
    snprintf(patch + strlen(patch), sizeof patch - strlen(patch), "}}");
    expect("PATCH", "/v1/runs/{id}", path, patch, 422);
    tagged = ask("GET", "/v1/runs/{id}", path, NULL, 200);
    assert_int_equal(json_object_size(json_object_get(tagged.json, "tags")), 1);
    reply_free(&tagged);

    snprintf(path, sizeof path, "/v1/runs/%s/metrics", run);
    struct reply curves = ask("GET", "/v1/runs/{id}/metrics", path, NULL, 200);
    assert_true(json_array_size(json_object_get(curves.json, "curves")) > 0);
    reply_free(&curves);
    snprintf(path, sizeof path, "/v1/runs/%s/metrics?names=throws_per_s&format=csv", run);
    struct reply csv = ask("GET", "/v1/runs/{id}/metrics", path, NULL, 200);
    assert_int_equal(strncmp(csv.text, "step,name,value,at_ms\n", 22), 0);
    reply_free(&csv);
    snprintf(path, sizeof path, "/v1/runs/%s/metrics?format=png", run);
    expect("GET", "/v1/runs/{id}/metrics", path, NULL, 400);
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints", run);
    expect("GET", "/v1/runs/{id}/checkpoints", path, NULL, 200);
    daemon_add_checkpoint(&daemon_here, "to go on from");
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints/1", run);
    expect("GET", "/v1/runs/{id}/checkpoints/{step}", path, NULL, 200);
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints/2", run);
    expect("GET", "/v1/runs/{id}/checkpoints/{step}", path, NULL, 404);

    snprintf(body, sizeof body, "{\"runs\":[\"%s\"],\"names\":[\"throws_per_s\",\"x\"]}", run);
    struct reply many = ask("POST", "/v1/metrics/query", "/v1/metrics/query", body, 200);
    assert_int_equal(json_array_size(json_object_get(many.json, "curves")), 2);
    reply_free(&many);
    snprintf(body, sizeof body,
             "{\"runs\":[\"%s\"],\"names\":[\"throws_per_s\"],\"aggregate\":\"mean\"}", run);
    struct reply mean = ask("POST", "/v1/metrics/query", "/v1/metrics/query", body, 200);
    json_t *curve = json_array_get(json_object_get(mean.json, "curves"), 0);
    json_t *point = json_array_get(json_object_get(curve, "points"), 0);
    assert_int_equal(json_array_size(point), 5);
    assert_int_equal(json_integer_value(json_array_get(point, 4)), 1);
    reply_free(&mean);
    expect("POST", "/v1/metrics/query", "/v1/metrics/query",
           "{\"runs\":[\"none\"],\"names\":[\"x\"]}", 404);
    refuses_field("POST", "/v1/metrics/query", "{\"runs\":[],\"names\":[\"x\"]}", "/runs");
}

/* ---- models and players ---- */

/* One tensor of two float32. */
static const char weights[] = "\x39\0\0\0\0\0\0\0"
                              "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   "
                              "\0\0\0\0\0\0\200\77";

static struct reply upload(const char *name, const char *bytes, size_t size, long status)
{
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};
    char path[80];

    snprintf(path, sizeof path, "/v1/models/%s", name);
    return ask_with(
        "PUT", "/v1/models/{name}", path,
        &(struct client_call){.body = bytes, .bytes = size, .header = headers, .is_direct = true},
        status);
}

static void weights_are_kept_and_given_back(void **state)
{
    (void)state;
    const size_t size = sizeof weights - 1;
    struct reply model = upload("small", weights, size, 201);

    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(model.json, "card"), "parameters")), 2);
    reply_free(&model);
    model = upload("small", weights, size, 200);
    reply_free(&model);
    model = upload("short", weights, size - 1, 422);
    reply_free(&model);
    char other[sizeof weights];
    memcpy(other, weights, sizeof weights);
    other[size - 1] ^= 1;
    model = upload("small", other, size, 409);
    assert_problem(&model, 409, "exists");
    reply_free(&model);
    model = upload("Large", weights, size, 400);
    reply_free(&model);
    model = upload("0123456789abcdef0123456789abcdef.average", weights, size, 400);
    reply_free(&model);

    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/best", NULL, 200);
    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/none/aliases/best", NULL, 404);
    model = upload("best", weights, size, 409); /* an alias is not a model */
    reply_free(&model);
    struct reply file = ask_with("GET", "/v1/models/{name}/weights", "/v1/models/best/weights",
                                 &(struct client_call){.is_direct = true}, 200);
    assert_int_equal(file.bytes, size);
    assert_memory_equal(file.text, weights, size);
    reply_free(&file);
    expect("GET", "/v1/models", "/v1/models", NULL, 200);
    expect("GET", "/v1/models/{name}", "/v1/models/best", NULL, 200);
    expect("PATCH", "/v1/models/{name}", "/v1/models/small", "{\"card\":7}", 422);
    model = ask("PATCH", "/v1/models/{name}", "/v1/models/small",
                "{\"card\":{\"about\":\"tiny\",\"dtypes\":null}}", 200);
    assert_string_equal(text_of(json_object_get(model.json, "card"), "about"), "tiny");
    assert_null(json_object_get(json_object_get(model.json, "card"), "dtypes"));
    reply_free(&model);

    expect("DELETE", "/v1/models/{name}", "/v1/models/small", NULL, 409);
    expect("DELETE", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/best", NULL,
           204);
    expect("DELETE", "/v1/models/{name}", "/v1/models/small", NULL, 204);
    expect("GET", "/v1/models/{name}", "/v1/models/small", NULL, 404);
}

static void players_get_names(void **state)
{
    (void)state;
    struct reply player = ask("POST", "/v1/players", "/v1/players",
                              "{\"name\":\"mine\",\"spec\":\"rink:simulations=200\"}", 201);
    reply_free(&player);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"mine\",\"spec\":\"rink\"}", 409);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"rink\",\"spec\":\"rink\"}", 409);
    refuses_field("POST", "/v1/players", "{\"name\":\"other\",\"spec\":\"rink:x=1\"}", "/spec");
    expect("GET", "/v1/players", "/v1/players", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/rink", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/mine", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/none", NULL, 404);

    /* It can be asked and plays under its spec. */
    struct reply job = ask("POST", "/v1/jobs", "/v1/jobs",
                           "{\"kind\":\"match\",\"dry_run\":true,\"spec\":{\"a\":\"mine\","
                           "\"b\":\"random\"}}",
                           200);
    assert_string_equal(text_of(json_object_get(job.json, "spec"), "a"), "rink:simulations=200");
    reply_free(&job);
    struct reply shot = ask("POST", "/v1/shots", "/v1/shots", QUERY(",\"player\":\"mine\""), 200);
    reply_free(&shot);
    expect("DELETE", "/v1/players/{name}", "/v1/players/mine", NULL, 204);
    expect("DELETE", "/v1/players/{name}", "/v1/players/rink", NULL, 409);
}

static void nothing_of_the_contract_was_left_out(void **state)
{
    (void)state;
    contract_assert_all_met(200, 205);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_service_says_what_it_is),
        cmocka_unit_test(the_dashboard_is_served),
        cmocka_unit_test(the_contract_has_the_schemas_that_are_served),
        cmocka_unit_test(unchanged_resources_are_not_sent_again),
        cmocka_unit_test(shots_are_answered),
        cmocka_unit_test(shots_can_be_fetched_later),
        cmocka_unit_test(positions_are_judged),
        cmocka_unit_test(shots_are_thrown),
        cmocka_unit_test(a_match_leaves_results),
        cmocka_unit_test(jobs_are_moved_by_callers),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(training_is_checked_and_gets_a_run_for_each_seed),
        cmocka_unit_test(all_jobs_can_be_listened_to),
        cmocka_unit_test(a_diagnosis_leaves_a_run_with_curves),
        cmocka_unit_test(weights_are_kept_and_given_back),
        cmocka_unit_test(players_get_names),
        cmocka_unit_test(nothing_of_the_contract_was_left_out),
    };
    return cmocka_run_group_tests(tests, start_all, daemon_end_here);
}
