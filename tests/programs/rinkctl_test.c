/* rinkctl as its users run it: against the real daemon, and, for what a sound daemon on a sound
 * line does not do, against a stand-in. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/programs/http_stand_in.h"
#include "tests/programs/program.h"

#include <jansson.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS_MAX = 24 };

#define WORDS(...) ((const char *const[WORDS_MAX]){__VA_ARGS__})

static const char state_json[] =
    "{\"end\":0,\"shot\":3,\"hammer\":\"team1\",\"scores\":{\"team0\":[null,null],\"team1\":[null,"
    "null]},\"stones\":{\"team0\":[{\"position\":{\"x\":0.12,\"y\":38.1},\"angle\":0},null,null,"
    "null,null,null,null,null],\"team1\":[{\"position\":{\"x\":-0.5,\"y\":37.9},\"angle\":0},null,"
    "null,null,null,null,null,null]}}";

static struct daemon_process service;

static void use_port(int port)
{
    char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    assert_int_equal(setenv("RINKCTL_SERVER", url, 1), 0);
}

static struct program_run rinkctl(const char *const words[WORDS_MAX], const char *input)
{
    const char *argv[WORDS_MAX + 2] = {RINKCTL};

    for (int k = 0; k < WORDS_MAX && words[k]; k++)
        argv[k + 1] = words[k];
    return program_run(argv, input, strlen(input));
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* Runs it; the exit status has to be this, and the parts (NULL: any) have to be in its output and
 * among its complaints. */
static void expect(const char *const words[WORDS_MAX], int status, const char *output,
                   const char *errors)
{
    struct program_run run = rinkctl(words, "");

    if (run.status != status)
        fail_msg("status %d, not %d: %s%s", run.status, status, run.output, run.errors);
    if (output)
        assert_has(run.output, output);
    if (errors)
        assert_has(run.errors, errors);
    program_free(&run);
}

static json_t *json_of(const char *const words[WORDS_MAX], const char *input)
{
    struct program_run run = rinkctl(words, input);

    if (run.status != 0)
        fail_msg("status %d: %s", run.status, run.errors);
    json_t *document = json_loads(run.output, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    program_free(&run);
    return document;
}

static long long whole_of(const json_t *object, const char *name)
{
    assert_true(json_is_integer(json_object_get(object, name)));
    return json_integer_value(json_object_get(object, name));
}

/* Adds a job that waits for an hour; its number. */
static void add_waiting_job(char ret_id[24])
{
    json_t *added = json_of(WORDS("submit", "match", "--a", "random", "--b", "ai-simple",
                                  "--delay-s", "3600", "--json"),
                            "");

    snprintf(ret_id, 24, "%lld", whole_of(added, "id"));
    json_decref(added);
}

static size_t count_jobs(void)
{
    json_t *list = json_of(WORDS("jobs", "--limit", "1000", "--json"), "");
    size_t count = json_array_size(json_object_get(list, "items"));

    json_decref(list);
    return count;
}

/* ---- against the daemon ---- */

static int start_service(void **state)
{
    int status;

    (void)state;
    daemon_prepare(&service);
    if (!daemon_start(&service, NULL, &status))
        return -1;
    daemon_wait_ready(&service);
    return 0;
}

static int use_service(void **state)
{
    (void)state;
    use_port(service.port);
    return 0;
}

static int end_service(void **state)
{
    (void)state;
    daemon_remove(&service);
    return 0;
}

static void status_says_how_the_service_is(void **state)
{
    (void)state;
    expect(WORDS("status"), 0, "ready    yes\n", NULL);
    expect(WORDS("status"), 0, " leased, ", NULL);
    json_t *status = json_of(WORDS("--json", "status"), "");
    assert_true(json_is_true(json_object_get(status, "ready")));
    assert_int_equal(whole_of(json_object_get(status, "jobs"), "buried"), 0);
    assert_true(json_is_array(json_object_get(status, "workers")));
    json_decref(status);
}

static void a_shot_is_shown_and_can_be_had_as_json(void **state)
{
    (void)state;
    struct program_run run =
        rinkctl(WORDS("shot", "-", "--profile", "dc2", "--simulations", "3000"), state_json);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "shot         velocity (");
    assert_has(run.output, "for dc2      vx ");
    assert_has(run.output, "side         team1\n");
    assert_has(run.output, "% of the games\n");
    assert_has(run.output, "player       rink, ");
    assert_string_equal(run.errors, "");
    program_free(&run);

    /* A whole query, of which an option changes a part, and the bare state mean the same. */
    char query[1024];
    snprintf(query, sizeof query,
             "{\"profile\":\"dc3\",\"state\":%s,\"seed\":5,\"top_k\":2,\"limits\":{\"simulations\":"
             "1}}",
             state_json);
    json_t *whole = json_of(WORDS("shot", "--simulations", "3000", "--json"), query);
    json_t *bare =
        json_of(WORDS("shot", "--simulations=3000", "--seed=5", "--top-k=2", "--json"), state_json);
    assert_int_equal(json_array_size(json_object_get(whole, "candidates")), 2);
    assert_true(
        json_equal(json_object_get(whole, "candidates"), json_object_get(bare, "candidates")));
    assert_true(json_equal(json_object_get(whole, "shot"), json_object_get(bare, "shot")));
    json_decref(whole);
    json_decref(bare);
}

static void a_match_is_followed_to_its_end_and_found_again(void **state)
{
    (void)state;
    struct program_run run = rinkctl(WORDS("submit", "match", "--a=ai-simple", "--b=random",
                                           "--pairs=20", "--seed=3", "--extra-ends=2", "--watch"),
                                     "");
    if (run.status != 0)
        fail_msg("status %d: %s", run.status, run.errors);
    assert_has(run.output, "kind            match\n");
    assert_has(run.output, "\"extra_ends\":2,");
    assert_has(run.output, "\ngames with extra ends     ");
    assert_has(run.output, "\na wins, pairs by score    ");
    assert_has(run.output, "\na wins ");
    assert_has(run.output, "\nai-simple ");
    assert_has(run.errors, " done");
    assert_null(strchr(run.errors, '\r')); /* no bar where there is no terminal */
    program_free(&run);

    json_t *jobs = json_of(WORDS("jobs", "--kind", "match", "--state", "done", "--json"), "");
    json_t *job = json_array_get(json_object_get(jobs, "items"), 0);
    char id[24];
    snprintf(id, sizeof id, "%lld", whole_of(job, "id"));
    json_decref(jobs);
    expect(WORDS("jobs"), 0, "match", NULL);
    expect(WORDS("job", id), 0, "\na wins ", NULL);
    expect(WORDS("watch", id), 0, "\na wins ", "done");
    expect(WORDS("log", id), 0, NULL, NULL);
    expect(WORDS("matches", "--job", id), 0, "ai-simple  random     20  ", NULL);
    expect(WORDS("players"), 0, "kr-uct         yes ", NULL);
    expect(WORDS("models"), 0, NULL, "there are no models");
}

static void a_measurement_leaves_a_run_with_curves(void **state)
{
    (void)state;
    expect(WORDS("submit", "diagnose", "--seconds", "2", "--watch"), 0, "throws  ", NULL);
    json_t *runs = json_of(WORDS("runs", "--json"), "");
    const char *run =
        json_string_value(json_object_get(json_array_get(json_object_get(runs, "items"), 0), "id"));
    assert_non_null(run);
    expect(WORDS("runs"), 0, run, NULL);
    expect(WORDS("run", run), 0, "kind         diagnose\n", NULL);
    expect(WORDS("metrics", run), 0, "throws_per_s ", NULL);
    expect(WORDS("metrics", run, "throws_per_s"), 0, "throws_per_s     1  ", NULL);
    expect(WORDS("metrics", run, "throws_per_s", "--from-step=1", "--csv"), 0,
           "step,name,value,at_ms\n1,\"throws_per_s\",", NULL);
    json_t *curves = json_of(WORDS("metrics", run, "throws_per_s", "nothing", "--json"), "");
    json_t *first = json_array_get(json_object_get(curves, "curves"), 0);
    assert_int_equal(json_array_size(json_object_get(first, "points")), 2);
    json_decref(curves);
    json_decref(runs);
}

static void jobs_are_moved(void **state)
{
    char id[24], other[24];

    (void)state;
    add_waiting_job(id);
    add_waiting_job(other);
    expect(WORDS("job", id), 0, "waits because", NULL);
    expect(WORDS("pause", id, other), 0, ": paused\n", NULL);
    expect(WORDS("jobs", "--state=paused"), 0, " paused ", NULL);
    expect(WORDS("resume", id), 0, ": ready\n", NULL);
    expect(WORDS("kick", id), 2, NULL, "Not possible in the present state");
    expect(WORDS("delete", id), 2, NULL, "status 409");
    expect(WORDS("job", id), 0, "\"threads\":1,\"limits\":{}}\n", NULL);
    expect(WORDS("cancel", "--reason=a test", id, other), 0, ": cancelled\n", NULL);
    expect(WORDS("watch", id), 1, NULL, "was cancelled");
    /* One that fails does not keep the others from being done. */
    expect(WORDS("delete", "999999", id, other), 2, ": deleted\n", "DELETE /v1/jobs/999999");
    expect(WORDS("job", other), 2, NULL, "status 404");
}

static void a_file_is_submitted(void **state)
{
    (void)state;
    static const char body[] = "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}";
    size_t before = count_jobs();
    struct program_run run = rinkctl(WORDS("submit", "-", "--dry-run"), body);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "\"profile\":\"dc2\"");
    program_free(&run);
    assert_int_equal(count_jobs(), before);
    run = rinkctl(WORDS("submit", "--delay-s=3600", "-"), body);
    assert_int_equal(run.status, 0);
    program_free(&run);
    assert_int_equal(count_jobs(), before + 1);
}

/* A training with options of every form; it is only checked. */
static void a_training_is_put_together(void **state)
{
    (void)state;
    json_t *answer =
        json_of(WORDS("submit", "train", "--algorithm=dqn", "--hidden=8", "--hidden=4", "--seed=7",
                      "--seed=3", "--hyper=rate=0.25", "--hyper=optimiser=adam",
                      "--opponent=random", "--dry-run", "--json"),
                "");
    const json_t *spec = json_object_get(answer, "spec"), *hyper = json_object_get(spec, "hyper");
    json_t *seeds = json_pack("[i, i]", 7, 3);
    json_t *network = json_pack("{s:s, s:[i, i]}", "architecture", "mlp", "hidden", 8, 4);

    assert_true(json_equal(json_object_get(spec, "seeds"), seeds));
    assert_true(json_equal(json_object_get(spec, "network"), network));
    assert_true(json_real_value(json_object_get(hyper, "rate")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(hyper, "optimiser")), "adam");
    json_decref(seeds);
    json_decref(network);
    json_decref(answer);
    expect(WORDS("submit", "train", "--from=0123456789abcdef0123456789abcdef:7"), 2, NULL,
           "\n  spec.from.run: there is no such run");
    expect(WORDS("submit", "train", "--from=7"), 1, NULL, "'7' is not RUN:STEP");
    expect(WORDS("submit", "train", "--hyper=rate"), 1, NULL, "'rate' is not NAME=VALUE");
}

/* The server's refusal names the fields; nothing has happened. */
static void what_the_server_refuses_is_named(void **state)
{
    (void)state;
    size_t before = count_jobs();
    expect(WORDS("submit", "match", "--a=nobody", "--b=rink", "--pairs=0"), 2, NULL,
           "\n  spec.pairs: 0 is not in ");
    expect(WORDS("submit", "match", "--a=nobody", "--b=rink"), 2, NULL, "\n  spec.a: no player ");
    expect(WORDS("submit", "tournament", "rink", "rink"), 2, NULL, "\n  spec.players.1: ");
    expect(WORDS("submit", "tournament", "rink", "random", "--extra-ends=11"), 2, NULL,
           "\n  spec.extra_ends: ");
    expect(WORDS("submit", "match", "--a=rink", "--b=random", "--elo0=5", "--elo1=4"), 2, NULL,
           "\n  spec.sprt.elo1: ");
    expect(WORDS("submit", "exploitability", "--player=rink", "--responder=x", "--time-ms=0"), 2,
           NULL, "\n  spec.limits.time_ms: ");
    expect(WORDS("jobs", "--state=asleep"), 2, NULL, "no such state: asleep");
    expect(WORDS("run", "no/such run?"), 2, NULL, "GET /v1/runs/no%2Fsuch%20run%3F");
    struct program_run run = rinkctl(WORDS("shot"), "{\"state\":{\"end\":-1}}");
    assert_int_equal(run.status, 2);
    assert_has(run.errors, "\n  state.end: ");
    program_free(&run);
    assert_int_equal(count_jobs(), before);
}

/* The program's own complaints name the option; the server hears nothing of it. */
static void wrong_usage_is_named(void **state)
{
    (void)state;
    expect(WORDS(NULL), 1, NULL, "a command is missing");
    expect(WORDS("fly"), 1, NULL, "there is no command 'fly'");
    expect(WORDS("jobs", "--limit=0"), 1, NULL, "--limit must be a whole number in 1..");
    expect(WORDS("jobs", "now"), 1, NULL, "'now' is one argument too many");
    expect(WORDS("shot", "--time-ms=1e3"), 1, NULL, "--time-ms must be a whole number");
    expect(WORDS("shot", "/nonexistent"), 1, NULL, "/nonexistent: No such file");
    expect(
        WORDS("submit", "frob"), 1, NULL,
        "'frob' is neither a KIND (train, match, tournament, exploitability, diagnose) nor a FILE");
    expect(WORDS("submit"), 1, NULL, "a KIND or a FILE is missing");
    expect(WORDS("submit", "match", "--a=rink"), 1, NULL, "two players are needed");
    expect(WORDS("submit", "match", "--seconds=1"), 1, NULL, "--seconds");
    expect(WORDS("submit", "tournament", "rink"), 1, NULL, "at least two players");
    expect(WORDS("submit", "match", "--a=a", "--b=b", "--elo0=0x1"), 1, NULL,
           "--elo0 must be a number, not '0x1'");
    expect(WORDS("submit", "match", "--a=a", "--b=b", "--pairs=99999999999999999999"), 1, NULL,
           "--pairs must be");
    expect(WORDS("watch", "7x"), 1, NULL, "'7x' is not the number of a job");
    expect(WORDS("cancel"), 1, NULL, "the number of a job is missing");
    expect(WORDS("metrics", "r", "--csv", "--json"), 1, NULL, "--csv and --json exclude");
    expect(WORDS("--server=ftp://x", "status"), 1, NULL, "--server has to be like http://");
    expect(WORDS("--server=http://x/?y", "status"), 1, NULL, "--server has to be like http://");
    expect(WORDS("--token-file=/nonexistent", "status"), 1, NULL, "--token-file /nonexistent: ");
    expect(WORDS("--token-file=/dev/null", "status"), 1, NULL, "no token of 1 to ");
    expect(WORDS("--retries=-1", "status"), 1, NULL, "--retries must be a whole number in 0..");
    struct program_run run = rinkctl(WORDS("shot"), "{\"profile\": }");
    assert_int_equal(run.status, 1);
    assert_has(run.errors, "standard input, line 1, column 13: ");
    program_free(&run);
}

/* The next line of the program; the test's own time limit ends it if none comes. */
static void expect_line(struct program_talk *talk, const char *part)
{
    char line[256];

    do
        assert_non_null(fgets(line, sizeof line, talk->from));
    while (!strstr(line, part));
}

static void watching_goes_on_after_a_restart(void **state)
{
    char id[24], address[32], words[512];
    int status;

    (void)state;
    add_waiting_job(id);
    snprintf(words, sizeof words, "exec %s watch %s 2>&1", RINKCTL, id);
    struct program_talk talk = program_start(WORDS("/bin/sh", "-c", words));
    expect_line(&talk, " ready");
    assert_int_equal(daemon_end(&service, SIGTERM), 0);
    expect_line(&talk, "the server is away; waiting for it");
    snprintf(address, sizeof address, "127.0.0.1:%d", service.port);
    assert_true(daemon_start(&service, WORDS("--listen", address), &status));
    expect(WORDS("cancel", id), 0, ": cancelled\n", NULL);
    expect_line(&talk, " cancelled");
    expect_line(&talk, " was cancelled");
    assert_int_equal(program_finish(&talk), 1);
}

static void an_interrupted_watch_leaves_the_job(void **state)
{
    char id[24], words[512];

    (void)state;
    add_waiting_job(id);
    snprintf(words, sizeof words, "exec %s watch %s 2>&1", RINKCTL, id);
    struct program_talk talk = program_start(WORDS("/bin/sh", "-c", words));
    expect_line(&talk, " ready");
    assert_int_equal(kill(talk.pid, SIGINT), 0);
    expect_line(&talk, "is not watched any more; it goes on");
    assert_int_equal(program_finish(&talk), 130);
    expect(WORDS("job", id), 0, "state             ready\n", NULL);
}

/* ---- against the stand-in ---- */

static struct http_stand_in stand_in;

static void stage(const char *const *answers)
{
    stand_in_start(&stand_in, answers);
    use_port(stand_in.port);
}

/* The Idempotency-Key of a request, "" if it has none. */
static void key_of(const char *request, char ret_key[64])
{
    const char *head = strstr(request, "\r\nIdempotency-Key: ");

    *ret_key = '\0';
    if (head)
        assert_int_equal(sscanf(head, "\r\nIdempotency-Key: %63[^\r]", ret_key), 1);
}

/* Cut off, then busy, then accepted: one job, as all three requests have the same key and body. */
static void a_post_is_sent_again_with_the_same_key(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "", STAND_IN_ANSWER("503", "Retry-After: 1\r\n", "{\"title\":\"Everything is busy\"}"),
        STAND_IN_ANSWER("202", "Content-Type: application/json\r\n", "{\"id\":7,\"kind\":\"x\"}"),
        STAND_IN_ANSWER("202", "Content-Type: application/json\r\n", "{\"id\":8,\"kind\":\"x\"}"),
        NULL};
    char key[64], other[64];

    stage(answers);
    struct program_run run = rinkctl(WORDS("submit", "diagnose", "--seconds", "1"), "");
    assert_int_equal(run.status, 0);
    assert_has(run.output, "job   7\n");
    assert_has(run.errors, "the server is busy (status 503); trying again in 1 s");
    program_free(&run);
    expect(WORDS("submit", "diagnose", "--seconds", "1"), 0, NULL, NULL);
    stand_in_end(&stand_in);
    assert_int_equal(stand_in.count, 4);
    key_of(stand_in.requests[0], key);
    assert_int_equal(strlen(key), 32);
    assert_string_equal(stand_in.requests[0], stand_in.requests[1]);
    assert_string_equal(stand_in.requests[0], stand_in.requests[2]);
    assert_has(stand_in.requests[0], "\r\n\r\n{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}");
    key_of(stand_in.requests[3], other);
    assert_string_not_equal(key, other);
}

static void a_post_is_not_sent_again_for_ever(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("503", "", "{\"title\":\"The service is shutting down\"}"),
        STAND_IN_ANSWER("503", "", "{\"title\":\"The service is shutting down\"}"), "", NULL};

    stage(answers);
    expect(WORDS("--retries=1", "submit", "diagnose"), 2, NULL, "The service is shutting down");
    expect(WORDS("--retries=0", "submit", "diagnose"), 3, NULL, "no answer from http://127.0.0.1:");
    stand_in_end(&stand_in);
    assert_int_equal(stand_in.count, 3);
}

/* A mistake of the caller does not get better by asking again. */
static void a_refused_post_is_not_sent_again(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("422", "", "{\"title\":\"no\",\"detail\":\"because\"}"), NULL};

    stage(answers);
    expect(WORDS("submit", "diagnose"), 2, NULL,
           "rinkctl submit diagnose: no: because (POST /v1/jobs: status 422)\n");
    stand_in_end(&stand_in);
}

static void without_a_server_the_status_is_3(void **state)
{
    static const char *const answers[] = {NULL};

    (void)state;
    stage(answers);
    stand_in_end(&stand_in); /* nobody listens there now */
    expect(WORDS("jobs"), 3, NULL, "no answer from http://127.0.0.1:");
    expect(WORDS("status"), 3, NULL, "no answer from");
    expect(WORDS("watch", "7"), 3, NULL, "no answer from");
}

static void the_token_goes_with_the_request(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "", "{\"items\":[],\"next_cursor\":null}"),
        STAND_IN_ANSWER("403", "", "{\"title\":\"The token does not allow this\"}"),
        STAND_IN_ANSWER("200", "", "{\"items\":[],\"next_cursor\":null}"), NULL};
    char path[] = "/tmp/rinkctl-token-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0 && write(file, "from-a-file\nmore\n", 17) == 17 && close(file) == 0);
    stage(answers);
    assert_int_equal(setenv("RINKCTL_TOKEN", "from-the-environment", 1), 0);
    expect(WORDS("jobs"), 0, NULL, NULL);
    expect(WORDS("jobs", "--token-file", path), 2, NULL, "The token does not allow this");
    assert_int_equal(unsetenv("RINKCTL_TOKEN"), 0);
    expect(WORDS("jobs"), 0, NULL, NULL);
    stand_in_end(&stand_in);
    assert_has(stand_in.requests[0], "\r\nAuthorization: Bearer from-the-environment\r\n");
    assert_has(stand_in.requests[1], "\r\nAuthorization: Bearer from-a-file\r\n");
    assert_null(strstr(stand_in.requests[2], "Authorization"));
    assert_int_equal(unlink(path), 0);
}

static void lists_go_over_pages(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "", "{\"items\":[{\"id\":3},{\"id\":2}],\"next_cursor\":\"a&b\"}"),
        STAND_IN_ANSWER("200", "", "{\"items\":[{\"id\":1}],\"next_cursor\":\"c\"}"), NULL};

    stage(answers);
    struct program_run run = rinkctl(WORDS("jobs", "--state=done", "--limit=3"), "");
    assert_int_equal(run.status, 0);
    assert_has(run.output, "\n  3  ");
    assert_has(run.output, "\n  1  ");
    assert_has(run.errors, "there are more");
    program_free(&run);
    stand_in_end(&stand_in);
    assert_has(stand_in.requests[0], "GET /v1/jobs?state=done&limit=3 HTTP");
    assert_has(stand_in.requests[1], "GET /v1/jobs?state=done&limit=1&cursor=a%26b HTTP");
}

/* What a player or worker wrote must not steer the terminal. */
static void texts_cannot_steer_the_terminal(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "",
                        "{\"id\":1,\"kind\":\"x\",\"error\":{\"detail\":\"a\\u001b[2Jb\\nc\"}}"),
        STAND_IN_ANSWER("200", "", "line\n\033]0;title\007\n"),
        STAND_IN_ANSWER("404", "", "{\"title\":\"x\\u001b[2J\"}"), NULL};

    stage(answers);
    expect(WORDS("job", "1"), 0, "a?[2Jb?c\n", NULL);
    expect(WORDS("log", "1"), 0, "line\n?]0;title?\n", NULL);
    expect(WORDS("log", "1"), 2, NULL, "x?[2J (GET");
    stand_in_end(&stand_in);
}

#define LEASED STAND_IN_ANSWER("200", "", "{\"id\":7,\"state\":\"leased\",\"progress\":0.1}")
#define DONE                                                                      \
    STAND_IN_ANSWER("200", "",                                                    \
                    "{\"id\":7,\"kind\":\"match\",\"state\":\"done\",\"result\":" \
                    "{\"profile\":\"dc3\"}}")
#define STREAM(events) STAND_IN_ANSWER("200", "Content-Type: text/event-stream\r\n", events)

static void a_stream_of_events_is_followed(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED,
        STREAM(":\n\nid: 5\nevent: reset\ndata: {\"state\":\"leased\",\"progress\":0.25}\n\n"
               "id: 6\r\nevent: progress\r\ndata: {\"progress\":0.75,\"eta_s\":90}\r\n\r\n"
               "event: unknown\ndata: {\"progress\":0.99}\n\nevent: progress\ndata: not json\n\n"
               "event: state\ndata: {\"state\":\"done\"}\n\nevent: done\ndata: {}\n\n"),
        DONE, NULL};

    stage(answers);
    struct program_run run = rinkctl(WORDS("watch", "7"), "");
    stand_in_end(&stand_in);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.errors, "job 7 leased, 10.0 %\njob 7 leased, 25.0 %\n"
                                    "job 7 leased, 75.0 %, 1 min 30 s left\njob 7 done, 75.0 %\n");
    assert_has(run.output, "profile  dc3\n");
    program_free(&run);
    assert_has(stand_in.requests[1], "GET /v1/jobs/7/events HTTP");
}

/* Where events do not come through it asks again and again. */
static void without_events_it_asks(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED, STAND_IN_ANSWER("502", "", "no"), LEASED, "", DONE, NULL};

    stage(answers);
    expect(WORDS("watch", "7"), 0, "profile  dc3\n", "job 7 leased, 10.0 %\njob 7 done");
    stand_in_end(&stand_in);
}

static void patience_ends(void **state)
{
    (void)state;
    static const char *const answers[] = {LEASED, STREAM(""), NULL};

    stage(answers);
    expect(WORDS("watch", "7", "--patience=0"), 3, NULL, "no answer from http://127.0.0.1:");
    stand_in_end(&stand_in);
}

static void a_job_that_is_deleted_ends_the_watching(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED, STREAM(""), STAND_IN_ANSWER("404", "", "{\"title\":\"There is nothing here\"}"),
        NULL};

    stage(answers);
    expect(WORDS("watch", "7"), 2, NULL, "There is nothing here (GET /v1/jobs/7: status 404)");
    stand_in_end(&stand_in);
}

/* Reads all that a program writes to its terminal; its exit status. */
static int run_on_terminal(const char *const *argv, size_t size, char *ret_text)
{
    size_t used = 0;
    ssize_t got;
    int terminal, status;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

    assert_true(pid >= 0);
    if (pid == 0) {
        execv(argv[0], (char *const *)(size_t)argv);
        _exit(127);
    }
    while (used < size - 1 && (got = read(terminal, ret_text + used, size - 1 - used)) > 0)
        used += (size_t)got; /* -1, EIO: the other side is closed */
    ret_text[used] = '\0';
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_terminal_gets_a_bar(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED,
        STREAM("event: progress\ndata: {\"progress\":0.5,\"eta_s\":3700}\n\n"
               "event: done\ndata: {}\n\n"),
        DONE, NULL};
    char text[8192];

    stage(answers);
    assert_int_equal(run_on_terminal(WORDS(RINKCTL, "watch", "7"), sizeof text, text), 0);
    stand_in_end(&stand_in);
    assert_has(text, "\rjob 7 [###---------------------------] 10.0 %, leased");
    assert_has(text, "\rjob 7 [###############---------------] 50.0 %, leased, 1 h 01 min left");
    assert_has(text, "\r\033[Kprofile  dc3\r\n"); /* gone before the result */
}

/* ---- what is written about it ---- */

/* A file without the backslashes of "\-"; the caller's. */
static char *text_of_file(const char *path)
{
    FILE *file = fopen(path, "re");
    const size_t most = 1 << 20;
    char *text = malloc(most), *written = text;

    assert_true(file && text);
    text[fread(text, 1, most - 1, file)] = '\0';
    fclose(file);
    for (char *at = text; *at; at++)
        if (!(at[0] == '\\' && at[1] == '-'))
            *written++ = *at;
    *written = '\0';
    return text;
}

static const char *const commands[] = {"shot",    "submit",  "watch",  "jobs",    "job",
                                       "log",     "cancel",  "pause",  "resume",  "kick",
                                       "delete",  "runs",    "run",    "metrics", "elo",
                                       "matches", "players", "models", "status",  "backup"};
static const char *const kinds[] = {"train", "match", "tournament", "exploitability", "diagnose"};

static void options_are_written_about(const char *const words[WORDS_MAX])
{
    static const char *const paths[] = {RINKCTL_PAGE, RINKCTL_BASH, RINKCTL_ZSH};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    struct program_run help = rinkctl(words, "");
    int options = 0;

    assert_int_equal(help.status, 0);
    for (size_t p = 0; p < 3; p++) {
        char *text = text_of_file(paths[p]);
        for (const char *at = help.output; (at = strstr(at, "  --")) != NULL; at += 4, options++) {
            char option[64];
            snprintf(option, sizeof option, "--%.*s", (int)strspn(at + 4, letters), at + 4);
            if (!strstr(text, option))
                fail_msg("%s is not in %s", option, paths[p]);
        }
        free(text);
    }
    assert_true(options >= 3 * 5);
    program_free(&help);
}

static void the_page_and_the_completions_have_everything(void **state)
{
    (void)state;
    struct program_run help = rinkctl(WORDS("--help"), "");
    size_t count = sizeof commands / sizeof *commands, lines = 0;
    const char *list = strstr(help.output, "Commands:\n");

    assert_non_null(list);
    for (list = strchr(list, '\n') + 1; *list == ' '; list = strchr(list, '\n') + 1)
        lines++;
    assert_int_equal(lines, count); /* none is missing in the list of this test */
    program_free(&help);
    char *page = text_of_file(RINKCTL_PAGE);
    for (size_t k = 0; k < count; k++) {
        assert_has(page, commands[k]);
        options_are_written_about(WORDS(commands[k], "--help"));
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        assert_has(page, kinds[k]);
        options_are_written_about(WORDS("submit", kinds[k], "--help"));
    }
    free(page);
}

/* What bash would offer behind these words, one a line. */
static void expect_completion(const char *words, const char *offered)
{
    static const char script[] =
        "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
        "_rinkctl; printf '%s\\n' \"${COMPREPLY[@]}\"";
    char text[256], *word = text;
    const char *argv[WORDS_MAX] = {"/bin/bash", "-c", script, "bash", RINKCTL_BASH};
    int count = 5;

    snprintf(text, sizeof text, "%s", words);
    while (word)
        argv[count++] = strsep(&word, " ");
    struct program_run run = program_run(argv, "", 0);
    assert_string_equal(run.errors, "");
    assert_string_equal(run.output, offered);
    program_free(&run);
}

static void bash_completes(void **state)
{
    char all[512] = "";

    (void)state;
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", commands[k]);
    expect_completion("rinkctl ", all);
    expect_completion("rinkctl job", "jobs\njob\n");
    expect_completion("rinkctl --server x submit tou", "tournament\n");
    expect_completion("rinkctl submit match --el", "--elo0\n--elo1\n");
    expect_completion("rinkctl submit train --alg", "--algorithm\n");
    expect_completion("rinkctl submit tournament --ex", "--extra-ends\n");
    expect_completion("rinkctl submit diagnose --el", "\n");
    expect_completion("rinkctl jobs --state ca", "cancelled\n");
    expect_completion("rinkctl jobs --state = ca", "cancelled\n");
}

int main(void)
{
    static const struct CMUnitTest with_service[] = {
        cmocka_unit_test_setup(status_says_how_the_service_is, use_service),
        cmocka_unit_test_setup(a_shot_is_shown_and_can_be_had_as_json, use_service),
        cmocka_unit_test_setup(a_match_is_followed_to_its_end_and_found_again, use_service),
        cmocka_unit_test_setup(a_measurement_leaves_a_run_with_curves, use_service),
        cmocka_unit_test_setup(jobs_are_moved, use_service),
        cmocka_unit_test_setup(a_file_is_submitted, use_service),
        cmocka_unit_test_setup(a_training_is_put_together, use_service),
        cmocka_unit_test_setup(what_the_server_refuses_is_named, use_service),
        cmocka_unit_test_setup(wrong_usage_is_named, use_service),
        cmocka_unit_test_setup(an_interrupted_watch_leaves_the_job, use_service),
        cmocka_unit_test_setup(watching_goes_on_after_a_restart, use_service),
    };
    static const struct CMUnitTest with_stand_in[] = {
        cmocka_unit_test(a_post_is_sent_again_with_the_same_key),
        cmocka_unit_test(a_post_is_not_sent_again_for_ever),
        cmocka_unit_test(a_refused_post_is_not_sent_again),
        cmocka_unit_test(without_a_server_the_status_is_3),
        cmocka_unit_test(the_token_goes_with_the_request),
        cmocka_unit_test(lists_go_over_pages),
        cmocka_unit_test(texts_cannot_steer_the_terminal),
        cmocka_unit_test(a_stream_of_events_is_followed),
        cmocka_unit_test(without_events_it_asks),
        cmocka_unit_test(patience_ends),
        cmocka_unit_test(a_job_that_is_deleted_ends_the_watching),
        cmocka_unit_test(a_terminal_gets_a_bar),
        cmocka_unit_test(the_page_and_the_completions_have_everything),
        cmocka_unit_test(bash_completes),
    };

    return cmocka_run_group_tests(with_stand_in, NULL, NULL) +
           cmocka_run_group_tests(with_service, start_service, end_service);
}
