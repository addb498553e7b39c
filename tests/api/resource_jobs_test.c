/* Jobs and their results: matches, ratings, runs and their curves, requested from the real daemon;
 * at the end every such operation of the contract has been called. */
#include "tests/api/resources.h"

#include <math.h>

#include "tests/patience.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MATCH(more)                                                                      \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"generator\",\"pairs\":2," \
    "\"ends\":1,\"limits\":{\"simulations\":20}}" more "}"

static int start_all(void **state)
{
    contract_load(OPENAPI_YAML);
    return daemon_start_here(state);
}

/* ---- jobs ---- */

/* Checks for a refusal with this sentence. */
static void says(const char *method, const char *route, const char *path, int status,
                 const char *detail)
{
    struct reply reply = ask(method, route, path, NULL, status);

    assert_string_equal(text_of(reply.json, "detail"), detail);
    reply_free(&reply);
}

/* Submits a job, waits for its end and returns it. */
static struct reply work(const char *body)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = body, .header = headers, .most_ms = PATIENCE_MS};
    return ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
}

/* Frees the reply of a job and deletes the job. */
static void drop(struct reply *job)
{
    char path[80];

    snprintf(path, sizeof path, "/v1/jobs/%lld",
             json_integer_value(json_object_get(job->json, "id")));
    reply_free(job);
    expect("DELETE", "/v1/jobs/{id}", path, NULL, 204);
}

/* The calls of a review that cost most become puzzles, each once, with the better shot. */
static void check_puzzles(const struct reply *job)
{
    static const char contract[] = "/v1/reviews/{id}/puzzles";
    const json_t *keys = json_object_get(json_object_get(job->json, "result"), "key");
    long long id = json_integer_value(json_object_get(job->json, "id"));
    char path[80];

    assert_int_equal(json_array_size(keys), 5);
    snprintf(path, sizeof path, "/v1/reviews/%lld/puzzles", id);
    struct reply one = ask("POST", contract, path, "{\"most\":1}", 200);
    assert_int_equal(json_array_size(json_object_get(one.json, "items")), 1);
    reply_free(&one);
    struct reply all = ask("POST", contract, path, NULL, 200);
    const json_t *items = json_object_get(all.json, "items");
    assert_int_equal(json_array_size(items), 5);
    for (size_t k = 0; k < 5; k++) {
        const json_t *item = json_array_get(items, 4 - k), *key = json_array_get(keys, k);
        const json_t *best = json_object_get(json_object_get(key, "best"), "shot");
        assert_true(json_is_true(json_object_get(item, "puzzle")));
        assert_int_equal(json_integer_value(json_object_get(item, "review")), id);
        assert_true(json_equal(json_object_get(item, "number"), json_object_get(key, "number")));
        assert_true(json_equal(json_object_get(json_object_get(item, "state"), "shot"),
                               json_object_get(key, "shot")));
        if (best)
            assert_true(json_equal(json_object_get(item, "best"), best));
    }
    reply_free(&all);
    expect("POST", contract, path, "{\"most\":0}", 422);
    says("POST", contract, "/v1/reviews/99999/puzzles", 404, "there is no review 99999");
}

/* A game is reviewed, and the review is a page, too; one that is not there is refused. */
static void check_review(const char *game, long long match_job)
{
    char body[256], path[80];

    snprintf(body, sizeof body,
             "{\"kind\":\"review\",\"spec\":{\"game\":\"%s\",\"throws\":64,\"judge\":"
             "\"rink:opponent=best,simulations=100\"}}",
             game);
    struct reply job = work(body);
    assert_string_equal(text_of(job.json, "state"), "done");
    const json_t *result = json_object_get(job.json, "result");
    const json_t *off = json_object_get(json_object_get(result, "sums"), "imbalance");
    assert_true(fabs(json_number_value(json_object_get(off, "win"))) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(result, "shots")), 16);
    check_puzzles(&job);
    snprintf(path, sizeof path, "/v1/reviews/%lld.html",
             json_integer_value(json_object_get(job.json, "id")));
    reply_free(&job);
    struct reply page = ask("GET", "/v1/reviews/{report}", path, NULL, 200);
    assert_non_null(strstr(page.text, "The calls that cost most"));
    assert_null(strstr(page.text, "<script"));
    reply_free(&page);
    snprintf(path, sizeof path, "/v1/reviews/%lld.html", match_job);
    expect("GET", "/v1/reviews/{report}", path, NULL, 404);
    expect("GET", "/v1/reviews/{report}", "/v1/reviews/1", NULL, 404);

    refuses_field("POST", "/v1/jobs", "{\"kind\":\"review\",\"spec\":{\"game\":\"1-999-0\"}}",
                  "/spec/game");
    refuses_field(
        "POST", "/v1/jobs",
        "{\"kind\":\"review\",\"spec\":{\"record\":[{\"profile\":\"dc2\",\"ends\":1},{}]}}",
        "/spec/record/1/end");
    snprintf(body, sizeof body,
             "{\"kind\":\"review\",\"spec\":{\"game\":\"%s\",\"judge\":\"ai-simple\"},"
             "\"dry_run\":true}",
             game);
    refuses_field("POST", "/v1/jobs", body, "/spec/judge");
    refuses_field("POST", "/v1/jobs", "{\"kind\":\"review\",\"spec\":{}}", "/spec");
    refuses_field("POST", "/v1/jobs", "{\"kind\":\"review\",\"spec\":{\"game\":\"7\"}}",
                  "/spec/game");
    refuses_field("POST", "/v1/jobs", "{\"kind\":\"review\",\"spec\":{\"record\":[1,2]}}",
                  "/spec/record/0");
}

static void a_match_leaves_results(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = MATCH(""), .header = headers, .most_ms = PATIENCE_MS};
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    long long id = json_integer_value(json_object_get(job.json, "id"));
    char path[160], state_text[48];

    assert_string_equal(text_of(job.json, "state"), "done");
    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    expect("GET", "/v1/jobs/{id}", path, NULL, 200);
    snprintf(path, sizeof path, "/v1/jobs/%lld/events", id);
    struct reply heard = ask("GET", "/v1/jobs/{id}/events", path, NULL, 200);
    expect_nothing_more("/v1/jobs/{id}/events", path, heard.text);
    reply_free(&heard);
    snprintf(path, sizeof path, "/v1/jobs/%lld/log", id);
    expect("GET", "/v1/jobs/{id}/log", path, NULL, 200);
    snprintf(path, sizeof path, "/v1/jobs/%lld/game", id);
    struct reply newest = ask("GET", "/v1/jobs/{id}/game", path, NULL, 200);
    assert_int_equal(strncmp(newest.text, "{\"record\":\"game\"", 16), 0);
    assert_non_null(strstr(newest.text, "\"game\":1,"));
    assert_null(strstr(newest.text, "\"game\":0,"));
    reply_free(&newest);
    snprintf(path, sizeof path, "/v1/jobs/%lld/tasks?limit=5", id);
    expect("GET", "/v1/jobs/{id}/tasks", path, NULL, 200);
    says("GET", "/v1/jobs/{id}/tasks", "/v1/jobs/99999/tasks", 404, "there is no job 99999");
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
    static const char *const cursors[] = {"zz",     "",        "-1",
                                          "1",      "jobs-",   "jobs--1",
                                          "jobs-0", "jobs-1x", "jobs-99999999999999999999",
                                          "runs-1"};
    for (size_t k = 0; k < sizeof cursors / sizeof *cursors; k++) {
        snprintf(path, sizeof path, "/v1/jobs?cursor=%s", cursors[k]);
        says("GET", "/v1/jobs", path, 400, "cursor: not from this list");
    }
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

    /* Two pairs are four games; the second page starts in the middle of a pair. */
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
    assert_int_equal(lines, 1 + 16); /* the header and the shots of its end */
    reply_free(&game);
    check_review(strrchr(path, '/') + 1, id);
    snprintf(path, sizeof path, "/v1/matches/%lld/games?cursor=x", number);
    expect("GET", "/v1/matches/{id}/games", path, NULL, 400);
    expect("GET", "/v1/games/{id}", "/v1/games/1-2", NULL, 404);

    /* A follow-up job computes the ladder; games of another length have another ladder. */
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

    /* The folder is removed soon after the commit. */
    snprintf(path, sizeof path, "%s/jobs/%lld", daemon_here.data, id);
    for (int wait = 0; wait < 100 && access(path, F_OK) == 0; wait++)
        usleep(10000);
    assert_int_equal(access(path, F_OK), -1);
}

/* Returns what a job's stream says after an event, NULL if there is nothing more; the caller frees
 * it. */
static char *heard_after(const char *path, int64_t last_id)
{
    char header[64];
    const char *const headers[] = {header, NULL};

    snprintf(header, sizeof header, "Last-Event-ID: %lld", (long long)last_id);
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.path = path, .header = headers});
    char *text = reply.status == 204 ? NULL : strdup(reply.text);
    assert_true(reply.status == 200 || reply.status == 204);
    reply_free(&reply);
    return text;
}

/* Returns the id of the event whose text contains this; 0: none. */
static int64_t id_of_event(const char *text, const char *part)
{
    long long id = 0, found = 0;

    for (const char *at = text, *end; (end = strstr(at, "\n\n")) != NULL; at = end + 2) {
        const char *has = strstr(at, part);
        assert_int_equal(sscanf(at, "id: %lld\n", &id), 1);
        if (has && has < end)
            found = id;
    }
    return found;
}

/* A client gets the events after the commit of the end from any Last-Event-ID. */
static void a_reconnecting_client_gets_the_end_of_a_job(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = MATCH(""), .header = headers, .most_ms = PATIENCE_MS};
    struct timespec now;
    char path[80];

    (void)state;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t before =
        (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000; /* in the form of event ids */
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    snprintf(path, sizeof path, "/v1/jobs/%lld/events",
             (long long)json_integer_value(json_object_get(job.json, "id")));
    reply_free(&job);
    /* The answer may arrive before the last events are published. */
    char *all = heard_after(path, before);
    for (int k = 0; k < 1000 && !(all && strstr(all, "event: done\n")); k++) {
        free(all);
        usleep(10000);
        all = heard_after(path, before);
    }
    assert_non_null(all);
    int64_t state_id = id_of_event(all, "\"state\":\"done\"");
    int64_t done_id = id_of_event(all, "event: done\n");
    free(all);
    assert_in_range(state_id, before, done_id - 1);
    char *rest = heard_after(path, state_id);
    assert_non_null(rest);
    assert_int_equal(id_of_event(rest, "\"result\":{"), done_id);
    assert_int_equal(id_of_event(rest, "event: state\n"), 0);
    free(rest);
    assert_null(heard_after(path, done_id));

    /* A client with an unknown event id gets the job's current state, once. */
    char *end = heard_after(path, 1);
    assert_non_null(end);
    int64_t end_id = id_of_event(end, "event: state\n");
    assert_int_equal(id_of_event(end, "\"result\":{"), end_id);
    free(end);
    assert_null(heard_after(path, end_id));
}

/* The reason appears to later readers and in the log. */
static void the_reason_of_a_cancel_is_kept(void **state)
{
    struct reply job = ask("POST", "/v1/jobs", "/v1/jobs", MATCH(",\"delay_s\":3600"), 202);
    long long id = json_integer_value(json_object_get(job.json, "id"));
    char path[80];

    (void)state;
    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", id);
    job = ask("POST", "/v1/jobs/{id}/cancel", path, "{\"reason\":\"wrong seed\"}", 202);
    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    assert_null(json_object_get(job.json, "history"));
    reply_free(&job);
    strcat(path, "?history=maybe");
    job = ask("GET", "/v1/jobs/{id}", path, NULL, 400);
    reply_free(&job);
    snprintf(path, sizeof path, "/v1/jobs/%lld?history=true", id);
    job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    const json_t *history = json_object_get(job.json, "history");
    assert_int_equal(json_array_size(history), 2);
    assert_string_equal(text_of(json_array_get(history, 0), "kind"), "added");
    assert_string_equal(text_of(json_array_get(history, 1), "kind"), "cancelled");
    assert_string_equal(text_of(json_array_get(history, 1), "detail"), "wrong seed");
    reply_free(&job);
    char *log = daemon_log(&daemon_here);
    assert_non_null(strstr(log, "wanted=cancelled caller=anonymous reason=\"wrong seed\""));
    free(log);
}

static void a_player_against_itself_has_games(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {
        .body = "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"ai-simple\","
                "\"pairs\":2,\"ends\":2}}",
        .header = headers,
        .most_ms = 60000};
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    char path[80];

    (void)state;
    snprintf(path, sizeof path, "/v1/matches?job=%lld",
             (long long)json_integer_value(json_object_get(job.json, "id")));
    reply_free(&job);
    struct reply matches = ask("GET", "/v1/matches", path, NULL, 200);
    json_t *match = json_array_get(json_object_get(matches.json, "items"), 0);
    snprintf(path, sizeof path, "/v1/matches/%lld/games",
             (long long)json_integer_value(json_object_get(match, "id")));
    reply_free(&matches);
    struct reply games = ask("GET", "/v1/matches/{id}/games", path, NULL, 200);
    const json_t *items = json_object_get(games.json, "items");
    assert_int_equal(json_array_size(items), 4);
    snprintf(path, sizeof path, "/v1/games/%s", text_of(json_array_get(items, 3), "id"));
    reply_free(&games);
    struct reply game = ask("GET", "/v1/games/{id}", path, NULL, 200);
    assert_non_null(strstr(game.text, "\"record\":\"shot\""));
    reply_free(&game);
}

static int64_t play(const char *body)
{
    static const char *const wait[] = {"Content-Type: application/json", "Prefer: wait=300", NULL};
    struct reply reply = client_call(
        daemon_here.port,
        &(struct client_call){.method = "POST", .path = "/v1/jobs", .body = body, .header = wait});

    assert_string_equal(text_of(reply.json, "state"), "done");
    int64_t id = (int64_t)json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static void delete_job(int64_t id)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    expect("DELETE", "/v1/jobs/{id}", path, NULL, 204);
}

/* Waits until the ladder of games of 3 ends has so many players. */
static void wait_for_players(size_t count)
{
    for (size_t got = count + 1; got != count; usleep(10000)) {
        struct reply ladder = ask("GET", "/v1/ratings", "/v1/ratings?ends=3", NULL, 200);
        got = json_array_size(json_object_get(ladder.json, "items"));
        reply_free(&ladder);
    }
}

static void ratings_forget_deleted_matches(void **state)
{
    (void)state;
    int64_t one = play("{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"ai-simple\","
                       "\"ends\":3,\"pairs\":1}}");
    int64_t two =
        play("{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"generator:samples=4\","
             "\"ends\":3,\"pairs\":1}}");

    wait_for_players(3);
    delete_job(two);
    wait_for_players(2);
    delete_job(one);
    wait_for_players(0);
    struct reply buried = ask("GET", "/v1/jobs", "/v1/jobs?state=buried", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(buried.json, "items")), 0);
    reply_free(&buried);
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
    assert_non_null(strstr(text_of(job.json, "waiting_because"), "it may start in"));
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
                  "{\"kind\":\"match\",\"spec\":{\"profile\":\"dc2\",\"a\":\"ai-simple\","
                  "\"b\":\"switch:random|nobody,every=2\"}}",
                  "/spec/b");
    refuses_field("POST", "/v1/jobs",
                  "{\"kind\":\"exploitability\",\"spec\":{\"profile\":\"dc2\","
                  "\"player\":\"switch:random|ai-simple,every=2\"}}",
                  "/spec/player");
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

static void a_job_is_answered_in_part(void **state)
{
    (void)state;
    struct reply added =
        ask("POST", "/v1/jobs", "/v1/jobs",
            "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1},\"delay_s\":3600}", 202);
    long long id = (long long)json_integer_value(json_object_get(added.json, "id"));
    char path[100];

    snprintf(path, sizeof path, "/v1/jobs/%lld?fields=kind,spec.seconds,nothing", id);
    struct reply part = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    assert_int_equal(json_object_size(part.json), 2);
    assert_string_equal(text_of(part.json, "kind"), "diagnose");
    json_t *spec = json_object_get(part.json, "spec");
    assert_int_equal(json_object_size(spec), 1);
    assert_int_equal(json_integer_value(json_object_get(spec, "seconds")), 1);
    reply_free(&added);
    reply_free(&part);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", id);
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

/* 256 ids may be asked for. */
static void refuses_many_ids(void)
{
    char path[20 + 2 * 257] = "/v1/runs?ids=";
    size_t end = strlen(path);

    for (int k = 0; k < 257; k++)
        end += (size_t)snprintf(path + end, sizeof path - end, "x,");
    path[end - 1] = '\0';
    says("GET", "/v1/runs", path, 400, "at most 256 ids at a time");
    path[end - 3] = '\0';
    expect("GET", "/v1/runs", path, NULL, 200);
}

static void a_diagnosis_leaves_a_run_with_curves(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body = "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}",
                                     .header = headers,
                                     .most_ms = PATIENCE_MS};
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    json_t *first = json_array_get(json_object_get(job.json, "runs"), 0);
    char run[80], path[160], body[160];

    assert_string_equal(text_of(job.json, "state"), "done");
    snprintf(run, sizeof run, "%s", json_string_value(first));
    reply_free(&job);
    expect("GET", "/v1/runs", "/v1/runs?limit=1", NULL, 200);
    snprintf(path, sizeof path, "/v1/runs?ids=%s,nobody&fields=id,highest_values", run);
    struct reply named = ask("GET", "/v1/runs", path, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(named.json, "items")), 1);
    reply_free(&named);
    refuses_many_ids();
    snprintf(path, sizeof path, "/v1/runs/%s", run);
    expect("GET", "/v1/runs/{id}", path, NULL, 200);
    expect("PATCH", "/v1/runs/{id}", path, "{\"tags\":{\"who\":7}}", 422);
    struct reply tagged = ask("PATCH", "/v1/runs/{id}", path, "{\"tags\":{\"who\":\"me\"}}", 200);
    assert_string_equal(text_of(json_object_get(tagged.json, "tags"), "who"), "me");
    reply_free(&tagged);
    /* Together with its present tag these are too many; none is stored. */
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
    /* A name that is there in no run, or no more, is told. */
    snprintf(path, sizeof path, "/v1/runs/%s/metrics?names=throws_per_s,throws", run);
    expect("GET", "/v1/runs/{id}/metrics", path, NULL, 404);
    snprintf(path, sizeof path, "/v1/runs/%s/metrics?format=png", run);
    expect("GET", "/v1/runs/{id}/metrics", path, NULL, 400);
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints", run);
    expect("GET", "/v1/runs/{id}/checkpoints", path, NULL, 200);
    daemon_add_checkpoint(&daemon_here, "to go on from");
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints/1", run);
    expect("GET", "/v1/runs/{id}/checkpoints/{step}", path, NULL, 200);
    snprintf(path, sizeof path, "/v1/runs/%s/checkpoints/2", run);
    expect("GET", "/v1/runs/{id}/checkpoints/{step}", path, NULL, 404);

    snprintf(body, sizeof body, "{\"runs\":[\"%s\"],\"names\":[\"throws_per_s\",\"loss\"]}", run);
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
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof body,
                 "{\"runs\":[\"%s\"],\"names\":[\"throws_per_s\",\"x\"],\"aggregate\":\"%s\"}", run,
                 k ? "mean" : "none");
        struct reply unknown = ask("POST", "/v1/metrics/query", "/v1/metrics/query", body, 404);
        assert_non_null(strstr(text_of(unknown.json, "detail"), "\"x\""));
        reply_free(&unknown);
    }
    expect("POST", "/v1/metrics/query", "/v1/metrics/query",
           "{\"runs\":[\"none\"],\"names\":[\"x\"]}", 404);
    refuses_field("POST", "/v1/metrics/query", "{\"runs\":[],\"names\":[\"x\"]}", "/runs");
}

static const char *const until_the_end[] = {"Prefer: wait=300", NULL};
static const struct client_call wait_for_the_end = {.header = until_the_end, .most_ms = 300000};

static long long add_waiting(const char *more)
{
    char body[256];

    snprintf(body, sizeof body, MATCH("%s"), more);
    struct reply job = ask("POST", "/v1/jobs", "/v1/jobs", body, 202);
    long long id = json_integer_value(json_object_get(job.json, "id"));
    reply_free(&job);
    return id;
}

/* Sends a request for many jobs; returns how many have moved. */
static long long move_many(const char *path, const char *body)
{
    struct reply moved = ask("POST", path, path, body, 200);
    assert_true(json_is_true(json_object_get(moved.json, "complete")));
    long long count = json_integer_value(json_object_get(moved.json, "count"));
    reply_free(&moved);
    return count;
}

static void files_of_tasks_go_with_jobs_that_are_cancelled_by_one_request(void **state)
{
    long long id = add_waiting(",\"delay_s\":3600"), other = add_waiting(",\"delay_s\":3600");
    char path[160], body[160], sql[160];

    (void)state;
    snprintf(sql, sizeof sql,
             "INSERT INTO task (job, number, state, spec, cores, run_at_ms)"
             " VALUES (%lld, 1, 'ready', '{}', 1, 0)",
             id);
    daemon_change_database(&daemon_here, sql);
    snprintf(path, sizeof path, "%s/jobs", daemon_here.data);
    mkdir(path, 0700); /* may exist */
    snprintf(path, sizeof path, "%s/jobs/%lld", daemon_here.data, id);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/jobs/%lld/task-1.x", daemon_here.data, id);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    snprintf(body, sizeof body, "{\"ids\":[%lld,%lld]}", other, id);
    assert_int_equal(move_many("/v1/jobs/cancel", body), 2);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(move_many("/v1/jobs/delete", body), 2);
}

static void many_jobs_are_moved_by_one_request(void **state)
{
    long long id = add_waiting(",\"delay_s\":3600"), other = add_waiting(",\"delay_s\":3600");
    char path[80], body[160];

    (void)state;
    snprintf(path, sizeof path, "/v1/jobs/%lld/priority", id);
    expect("POST", "/v1/jobs/{id}/priority", path, "{\"priority\":-5}", 202);
    expect("POST", "/v1/jobs/{id}/priority", path, "{\"priority\":1001}", 422);
    expect("POST", "/v1/jobs/{id}/priority", path, "{\"priority\":1,\"to\":2}", 422);
    snprintf(body, sizeof body, "{\"ids\":[%lld,%lld],\"priority\":7}", id, other);
    assert_int_equal(move_many("/v1/jobs/priority", body), 2);
    snprintf(body, sizeof body, "{\"ids\":[%lld,%lld,%lld],\"dry_run\":true}", id, other, id);
    assert_int_equal(move_many("/v1/jobs/cancel", body), 2);
    snprintf(body, sizeof body, "{\"ids\":[%lld,%lld,%lld],\"state\":\"ready\"}", id, other, id);
    assert_int_equal(move_many("/v1/jobs/cancel", body), 2);
    assert_int_equal(move_many("/v1/jobs/cancel", body), 0);
    snprintf(body, sizeof body, "{\"ids\":[%lld],\"kind\":\"train\"}", id);
    assert_int_equal(move_many("/v1/jobs/delete", body), 0);
    snprintf(body, sizeof body, "{\"ids\":[%lld,%lld]}", id, other);
    assert_int_equal(move_many("/v1/jobs/delete", body), 2);
    refuses_field("POST", "/v1/jobs/cancel", "{}", "/all");
    refuses_field("POST", "/v1/jobs/cancel", "{\"all\":true,\"kind\":\"match\"}", "/all");
    refuses_field("POST", "/v1/jobs/cancel", "{\"state\":\"done\"}", "/state");
    refuses_field("POST", "/v1/jobs/delete", "{\"all\":true,\"reason\":\"x\"}", "/reason");
    refuses_field("POST", "/v1/jobs/delete", "{\"kind\":\"dance\"}", "/kind");
    refuses_field("POST", "/v1/jobs/delete", "{\"submitted_before\":\"2026-02-30T12:00:00Z\"}",
                  "/submitted_before");
    refuses_field("POST", "/v1/jobs/priority", "{\"all\":true}", "/priority");
}

static void a_job_is_repeated_with_another_seed(void **state)
{
    long long id = add_waiting(",\"delay_s\":3600,\"priority\":3");
    char path[80];

    (void)state;
    snprintf(path, sizeof path, "/v1/jobs/%lld/repeat", id);
    struct reply again =
        ask("POST", "/v1/jobs/{id}/repeat", path, "{\"spec\":{\"seed\":8},\"delay_s\":3600}", 202);
    assert_int_equal(json_integer_value(json_object_get(again.json, "repeat_of")), id);
    const json_t *spec = json_object_get(again.json, "spec");
    assert_int_equal(json_integer_value(json_object_get(spec, "seed")), 8);
    long long other = json_integer_value(json_object_get(again.json, "id"));
    reply_free(&again);
    expect("POST", "/v1/jobs/{id}/repeat", path, "{\"dry_run\":true}", 200);
    expect("POST", "/v1/jobs/{id}/repeat", path, "{\"spec\":{\"sed\":8}}", 422);
    expect("POST", "/v1/jobs/{id}/repeat", "/v1/jobs/999999/repeat", "{\"sed\":8}", 422);
    snprintf(path, sizeof path, "/v1/jobs/%lld", other);
    struct reply job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    assert_int_equal(json_integer_value(json_object_get(job.json, "priority")), 3);
    assert_int_equal(json_integer_value(json_object_get(job.json, "repeat_of")), id);
    reply_free(&job);
    move_many("/v1/jobs/cancel", "{\"state\":\"ready\",\"kind\":\"match\"}");
}

static void a_job_waits_for_others(void **state)
{
    long long id = add_waiting(",\"delay_s\":3600");
    char more[64], path[80], words[64];

    (void)state;
    snprintf(more, sizeof more, ",\"after\":[%lld]", id);
    long long next = add_waiting(more);
    snprintf(path, sizeof path, "/v1/jobs/%lld", next);
    struct reply job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    snprintf(words, sizeof words, "job %lld has not ended", id);
    assert_string_equal(text_of(job.json, "waiting_because"), words);
    assert_string_equal(text_of(job.json, "after_failure"), "cancel");
    reply_free(&job);
    refuses_field("POST", "/v1/jobs", MATCH(",\"after\":[999999]"), "/after/0");
    refuses_field("POST", "/v1/jobs", MATCH(",\"after_failure\":\"run\""), "/after_failure");
    snprintf(more, sizeof more, "/v1/jobs/%lld/cancel", id);
    expect("POST", "/v1/jobs/{id}/cancel", more, NULL, 202);
    struct reply end = ask_with("GET", "/v1/jobs/{id}", path, &wait_for_the_end, 200);
    assert_string_equal(text_of(end.json, "state"), "cancelled");
    reply_free(&end);
}

/* ---- games that were played elsewhere ---- */

/* The log of a game between two of our players, as the host wrote it; the caller frees it. */
static char *hosted_log(void)
{
    static const size_t most = 1 << 20;
    char path[160];
    struct reply job = work("{\"kind\":\"host\",\"spec\":{\"engine\":\"fast\",\"ends\":1,"
                            "\"team0\":\"ai-simple\",\"team1\":\"ai-simple\"}}");

    assert_string_equal(text_of(job.json, "state"), "done");
    snprintf(path, sizeof path, "%s/jobs/%lld/game.dcl2", daemon_here.data,
             json_integer_value(json_object_get(job.json, "id")));
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char *text = calloc(1, most);
    assert_non_null(text);
    assert_in_range(fread(text, 1, most - 1, file), 1, most - 2);
    fclose(file);
    drop(&job);
    return text;
}

static void a_file_of_a_game_is_imported_once(void **state)
{
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};
    char *log = hosted_log(), path[80];
    const struct client_call file = {.body = log, .header = headers};
    struct reply first = ask_with("POST", "/v1/games", "/v1/games", &file, 202);
    long long id = json_integer_value(json_object_get(first.json, "job"));

    (void)state;
    assert_int_equal(json_array_size(json_object_get(first.json, "skipped")), 0);
    reply_free(&first);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    struct reply job = ask_with("GET", "/v1/jobs/{id}", path, &wait_for_the_end, 200);
    assert_string_equal(text_of(job.json, "state"), "done");
    assert_string_equal(text_of(job.json, "kind"), "import");
    struct reply again = ask_with("POST", "/v1/games", "/v1/games", &file, 200);
    assert_int_equal(json_integer_value(json_object_get(again.json, "job")), id);
    const json_t *games = json_object_get(again.json, "games");
    assert_int_equal(json_array_size(games), 1);
    snprintf(path, sizeof path, "/v1/games/%s", json_string_value(json_array_get(games, 0)));
    expect("GET", "/v1/games/{id}", path, NULL, 200);
    reply_free(&again);
    drop(&job);
    free(log);
}

static void every_operation_of_the_contract_was_called(void **state)
{
    (void)state;
    contract_assert_all_met(200, 205, is_of_jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_leaves_results),
        cmocka_unit_test(a_reconnecting_client_gets_the_end_of_a_job),
        cmocka_unit_test(the_reason_of_a_cancel_is_kept),
        cmocka_unit_test(a_player_against_itself_has_games),
        cmocka_unit_test(ratings_forget_deleted_matches),
        cmocka_unit_test(jobs_are_moved_by_callers),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(training_is_checked_and_gets_a_run_for_each_seed),
        cmocka_unit_test(a_job_is_answered_in_part),
        cmocka_unit_test(all_jobs_can_be_listened_to),
        cmocka_unit_test(a_diagnosis_leaves_a_run_with_curves),
        cmocka_unit_test(files_of_tasks_go_with_jobs_that_are_cancelled_by_one_request),
        cmocka_unit_test(many_jobs_are_moved_by_one_request),
        cmocka_unit_test(a_job_is_repeated_with_another_seed),
        cmocka_unit_test(a_job_waits_for_others),
        cmocka_unit_test(a_file_of_a_game_is_imported_once),
        cmocka_unit_test(every_operation_of_the_contract_was_called),
    };
    return cmocka_run_group_tests(tests, start_all, daemon_end_here);
}
