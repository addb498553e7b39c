/* Callers with tokens: whose jobs they may change, their limits, and tokens that expire. */
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Tokens "abc", "abd" and "abe" */
#define ABC  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABD  "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
#define ABE  "d81a65c1de02e17d9cfd88d68a8768fd1e3262f5e2fb859382fe33734b3f3ca8"
#define ANN  "Authorization: Bearer abc"
#define BOB  "Authorization: Bearer abd"
#define ROOT "Authorization: Bearer abe"

#define JOB "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":%d}}"

static void write_tokens(const struct daemon_process *daemon, const char *text, char ret_path[128])
{
    snprintf(ret_path, 128, "%s/tokens", daemon->folder);
    FILE *file = fopen(ret_path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(ret_path, 0600), 0);
}

static struct reply call(const char *token, const char *method, const char *path, const char *body)
{
    const char *const headers[] = {"Content-Type: application/json", token, NULL};

    return client_call(
        daemon_here.port,
        &(struct client_call){.method = method, .path = path, .body = body, .header = headers});
}

static void expect(const char *token, const char *method, const char *path, long status)
{
    struct reply reply = call(token, method, path, NULL);

    if (reply.status != status)
        fail_msg("%s %s: %ld, not %ld: %s", method, path, reply.status, status, reply.text);
    if (status == 403) {
        assert_problem(&reply, 403, "forbidden");
        assert_non_null(json_object_get(reply.json, "detail")); /* says why */
    }
    reply_free(&reply);
}

static int64_t add_job(const char *token, int seconds)
{
    char body[128];

    snprintf(body, sizeof body, JOB, seconds);
    struct reply reply = call(token, "POST", "/v1/jobs", body);
    if (reply.status != 202)
        fail_msg("%ld: %s", reply.status, reply.text);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static const char *path_of(int64_t job, const char *rest)
{
    static char path[128];

    snprintf(path, sizeof path, "/v1/jobs/%lld%s", (long long)job, rest);
    return path;
}

/* The item of this caller; it lives as long as the reply. */
static const json_t *caller_of(const struct reply *reply, const char *name)
{
    const json_t *items = json_object_get(reply->json, "items"), *item;
    size_t k;

    json_array_foreach(items, k, item)
    {
        const char *own = json_string_value(json_object_get(item, "name"));
        if (own ? name && strcmp(own, name) == 0 : !name)
            return item;
    }
    fail_msg("no caller %s: %s", name ? name : "null", reply->text);
    return NULL;
}

static int64_t number_of(const json_t *item, const char *name)
{
    return json_integer_value(json_object_get(item, name));
}

static void start(const char *tokens, const char *workers)
{
    char path[128];

    write_tokens(&daemon_here, tokens, path);
    daemon_start_well(&daemon_here, (const char *[]){"--tokens", path, "--workers", workers, NULL});
    daemon_wait_ready(&daemon_here);
}

static void jobs_belong_to_their_callers(void **state)
{
    static const char *const moves[] = {"/pause", "/resume", "/kick", "/cancel"};

    (void)state;
    /* Before there were tokens */
    daemon_start_well(&daemon_here, (const char *[]){"--workers", "0", NULL});
    int64_t nobodys = add_job(NULL, 1);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);

    start("ann train " ABC "\nbob train " ABD "\nroot train,admin " ABE "\n", "0");
    int64_t job = add_job(ANN, 1);
    for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) {
        expect(BOB, "POST", path_of(job, moves[k]), 403);
        expect(BOB, "POST", path_of(nobodys, moves[k]), 403);
    }
    expect(BOB, "DELETE", path_of(job, ""), 403);
    expect(BOB, "POST", path_of(99, "/cancel"), 404);
    expect(ANN, "POST", path_of(job, "/pause"), 202);
    expect(ROOT, "POST", path_of(job, "/resume"), 202);
    expect(ROOT, "POST", path_of(job, "/cancel"), 202);
    expect(ROOT, "POST", path_of(nobodys, "/cancel"), 202);

    struct reply reply = call(BOB, "GET", path_of(job, "?history=true"), NULL);
    static const char *const by[] = {"ann", "ann", "root", "root"};
    const json_t *history = json_object_get(reply.json, "history");
    assert_string_equal(json_string_value(json_object_get(reply.json, "owner")), "ann");
    assert_int_equal(json_array_size(history), 4);
    for (size_t k = 0; k < 4; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(history, k), "by")),
                            by[k]);
    reply_free(&reply);
    static const struct {
        const char *path;
        size_t found;
    } lists[] = {{"/v1/jobs?owner=ann", 1}, {"/v1/jobs?owner=", 1}, {"/v1/jobs?owner=bob", 0}};
    for (size_t k = 0; k < 3; k++) {
        reply = call(BOB, "GET", lists[k].path, NULL);
        assert_int_equal(json_array_size(json_object_get(reply.json, "items")), lists[k].found);
        reply_free(&reply);
    }
    expect(ANN, "DELETE", path_of(job, ""), 204);
    char *log = daemon_log(&daemon_here);
    assert_non_null(strstr(log, "job deleted"));
    free(log);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static const struct {
    const char *scope, *header, *sha256;
} alone[] = {
    {"read", "Authorization: Bearer abc", ABC},
    {"query", "Authorization: Bearer abd", ABD},
    {"train", "Authorization: Bearer abe", ABE},
    {"work", "Authorization: Bearer abf",
     "431b36f2b16be7471a7cce44b22a6d9d4be6faf0a6f4e5f068a6124b951826a9"},
    {"admin", "Authorization: Bearer abg",
     "fbb43c052acf1843ddace6cdf93f727a96bd8dd30a70ba93ba9a339feb4183e3"},
};

/* The path of the contract with something for each part in braces, of no real thing. */
static void fill_path(const char *path, char ret_path[256])
{
    size_t used = 0;

    for (const char *at = path; *at; at++) {
        if (*at == '{') {
            ret_path[used++] = '9';
            at = strchr(at, '}');
        } else
            ret_path[used++] = *at;
        assert_true(used < 255);
    }
    ret_path[used] = '\0';
}

static void each_scope_may_do_what_the_contract_says_and_no_more(void **state)
{
    char tokens[1024] = "", path[256];
    const char *method, *of;
    int refused = 0, let = 0;

    (void)state;
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        snprintf(tokens + strlen(tokens), sizeof tokens - strlen(tokens), "%s %s %s\n",
                 alone[k].scope, alone[k].scope, alone[k].sha256);
    start(tokens, "0");
    contract_load(OPENAPI_YAML);
    for (int n = 0; contract_operation(n, &method, &of); n++)
        for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) {
            bool may = contract_lets(n, alone[k].scope);
            if (may && strcmp(of, "/v1/events") == 0)
                continue; /* it has no end */
            fill_path(of, path);
            struct reply reply = call(alone[k].header, method, path, NULL);
            if ((reply.status == 403) == may || reply.status == 401)
                fail_msg("%s %s with the scope %s: %ld", method, path, alone[k].scope,
                         reply.status);
            *(may ? &let : &refused) += 1;
            reply_free(&reply);
        }
    assert_true(refused > 100 && let > 100);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static size_t positions_seen(const char *token)
{
    struct reply reply = call(token, "GET", "/v1/library", NULL);
    assert_int_equal(reply.status, 200);
    size_t count = json_array_size(json_object_get(reply.json, "items"));
    reply_free(&reply);
    return count;
}

/* Callers of a competition ask the same service: none sees what another one thinks about. */
static void who_may_only_ask_sees_its_own_alone(void **state)
{
    static const char kept[] = "{\"title\":\"mine\",\"profile\":\"dc2\",\"state\":{\"end\":0,"
                               "\"shot\":0,\"hammer\":\"team0\",\"scores\":{\"team0\":[],\"team1\":"
                               "[]},\"stones\":{\"team0\":[],\"team1\":[]}}}";
    char path[64];

    (void)state;
    start("ann query " ABC "\nbob query " ABD "\nroot read " ABE "\n", "0");
    struct reply reply = call(ANN, "POST", "/v1/library", kept);
    if (reply.status != 201)
        fail_msg("%ld: %s", reply.status, reply.text);
    snprintf(path, sizeof path, "/v1/library/%lld",
             json_integer_value(json_object_get(reply.json, "id")));
    reply_free(&reply);
    expect(ANN, "GET", path, 200);
    expect(BOB, "GET", path, 404);
    expect(ROOT, "GET", path, 200);
    assert_int_equal(positions_seen(ANN), 1);
    assert_int_equal(positions_seen(BOB), 0);
    assert_int_equal(positions_seen(ROOT), 1);
    static const char *const others[] = {"/v1/jobs", "/v1/matches", "/v1/games/1-0-0",
                                         "/v1/runs", "/v1/models",  "/metrics"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        expect(BOB, "GET", others[k], 403);
    expect(BOB, "GET", "/v1/players", 200);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void assert_full(const char *token, int seconds, const char *names)
{
    char body[128], after[16];

    snprintf(body, sizeof body, JOB, seconds);
    struct reply reply = call(token, "POST", "/v1/jobs", body);
    assert_problem(&reply, 429, "limit-full");
    assert_non_null(strstr(json_string_value(json_object_get(reply.json, "detail")), names));
    assert_true(atoi(reply_header(&reply, "Retry-After", sizeof after, after)) > 0);
    reply_free(&reply);
}

static void full_limits_are_named(void **state)
{
    (void)state;
    start("ann train " ABC " jobs=2\nbob train " ABD " bytes=50 cores=2\n"
          "root train,admin " ABE "\n",
          "0");
    int64_t first = add_job(ANN, 1);
    add_job(ANN, 1);
    assert_full(ANN, 1, "jobs");
    expect(ANN, "POST", path_of(first, "/pause"), 202);
    assert_full(ANN, 1, "jobs");
    expect(ANN, "POST", path_of(first, "/cancel"), 202);
    add_job(ANN, 1);
    add_job(BOB, 1);
    assert_full(BOB, 1, "bytes");
    struct reply reply = call(BOB, "POST", "/v1/jobs",
                              "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":"
                              "\"ai-simple\",\"threads\":3}}");
    assert_problem(&reply, 422, "bad-field");
    assert_non_null(strstr(reply.text, "/spec/threads"));
    reply_free(&reply);

    expect(ANN, "GET", "/v1/callers", 403);
    reply = call(ROOT, "GET", "/v1/callers", NULL);
    assert_int_equal(reply.status, 200);
    assert_int_equal(json_array_size(json_object_get(reply.json, "items")), 3);
    const json_t *ann = caller_of(&reply, "ann"), *bob = caller_of(&reply, "bob");
    assert_int_equal(number_of(ann, "waiting"), 2);
    assert_int_equal(number_of(ann, "refused"), 2);
    assert_int_equal(number_of(json_object_get(ann, "limits"), "jobs"), 2);
    assert_true(json_is_null(json_object_get(json_object_get(ann, "limits"), "cores")));
    assert_int_equal(number_of(bob, "refused"), 1);
    assert_int_equal(number_of(json_object_get(bob, "limits"), "bytes"), 50);
    assert_int_equal(number_of(caller_of(&reply, "root"), "refused"), 0);
    reply_free(&reply);
    reply = call(ROOT, "GET", "/metrics", NULL);
    assert_non_null(strstr(reply.text, "rinkd_caller_jobs_waiting{caller=\"ann\"} 2\n"));
    assert_non_null(strstr(reply.text, "rinkd_caller_refused_total{caller=\"bob\"} 1\n"));
    assert_non_null(strstr(reply.text, "rinkd_caller_forbidden_total{caller=\"ann\"} 1\n"));
    assert_non_null(strstr(reply.text, "rinkd_caller_forbidden_total{caller=\"bob\"} 0\n"));
    reply_free(&reply);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void wait_for_state(int64_t job, const char *wanted)
{
    for (bool is_there = false; !is_there;) {
        struct reply reply = call(ROOT, "GET", path_of(job, ""), NULL);
        is_there = strcmp(json_string_value(json_object_get(reply.json, "state")), wanted) == 0;
        reply_free(&reply);
        usleep(20000);
    }
}

static void jobs_wait_for_cores_of_their_caller(void **state)
{
    char path[128];

    (void)state;
    start("ann train " ABC " cores=1\nbob train " ABD "\nroot train,admin " ABE "\n", "3");
    int64_t first = add_job(ANN, 600);
    int64_t second = add_job(ANN, 600);
    int64_t other = add_job(BOB, 600);
    wait_for_state(first, "leased");
    wait_for_state(other, "leased");
    struct reply reply = call(ANN, "GET", path_of(second, ""), NULL);
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "ready");
    assert_non_null(
        strstr(json_string_value(json_object_get(reply.json, "waiting_because")), "cores"));
    reply_free(&reply);
    /* More cores count at once. */
    write_tokens(&daemon_here,
                 "ann train " ABC " cores=2\nbob train " ABD "\nroot train,admin " ABE "\n", path);
    assert_int_equal(kill(daemon_here.pid, SIGHUP), 0);
    wait_for_state(second, "leased");
    reply = call(ROOT, "GET", "/v1/callers", NULL);
    assert_int_equal(number_of(caller_of(&reply, "ann"), "cores"), 2);
    assert_int_equal(number_of(caller_of(&reply, "bob"), "running"), 1);
    reply_free(&reply);
    const int64_t jobs[] = {first, second, other};
    for (size_t k = 0; k < 3; k++)
        expect(ROOT, "POST", path_of(jobs[k], "/cancel"), 202);
    for (size_t k = 0; k < 3; k++)
        wait_for_state(jobs[k], "cancelled");
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void tokens_expire(void **state)
{
    char tokens[512], soon[32];
    time_t later = time(NULL) + 3 * 24 * 3600;

    (void)state;
    strftime(soon, sizeof soon, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&later, &(struct tm){0}));
    snprintf(tokens, sizeof tokens,
             "ann train " ABC " expires=2020-01-31\nbob train " ABD " expires=%s\n"
             "root admin " ABE "\n",
             soon);
    start(tokens, "0");
    struct reply reply = call(ANN, "GET", "/v1/jobs", NULL);
    assert_problem(&reply, 401, "unauthorized");
    assert_string_equal(json_string_value(json_object_get(reply.json, "detail")),
                        "this token expired at 2020-01-31T00:00:00.000Z");
    reply_free(&reply);
    expect(BOB, "GET", "/v1/jobs", 200);
    reply = call(ROOT, "GET", "/v1/callers", NULL);
    assert_string_equal(json_string_value(json_object_get(caller_of(&reply, "ann"), "expires_at")),
                        "2020-01-31T00:00:00.000Z");
    assert_true(json_is_null(json_object_get(caller_of(&reply, "root"), "expires_at")));
    reply_free(&reply);
    for (bool are_told = false; !are_told; usleep(20000)) {
        char *log = daemon_log(&daemon_here);
        are_told = strstr(log, "token has expired name=ann") &&
                   strstr(log, "token expires soon name=bob") && !strstr(log, "name=root");
        free(log);
    }
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

/* Asks for the events of all jobs; returns the connection. */
static int open_stream(const char *token)
{
    char head[256];
    int fd = client_connect(daemon_here.port);
    int size = snprintf(head, sizeof head,
                        "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        "%s\r\n\r\n",
                        token);

    assert_int_equal(send(fd, head, (size_t)size, 0), size);
    return fd;
}

/* Reads a stream until this text has come; NULL: until its end. */
static void read_stream_until(int fd, const char *text)
{
    char heard[16384] = "";
    size_t used = 0;
    ssize_t got = 1;

    while (got > 0 && !(text && strstr(heard, text))) {
        assert_true(used < sizeof heard - 1);
        got = recv(fd, heard + used, sizeof heard - 1 - used, 0);
        used += got > 0 ? (size_t)got : 0;
        heard[used] = '\0';
    }
    if (text ? got <= 0 : got != 0)
        fail_msg("%zd: %s", got, heard);
}

/* A stream has no end of its own: nobody may go on listening with a token that is none any more. */
static void streams_end_with_their_token(void **state)
{
    char tokens[512], soon[32], path[128];
    time_t at = time(NULL) + 2;

    (void)state;
    start("ann read " ABC "\nbob read " ABD "\nroot admin,train " ABE "\n", "0");
    int ann = open_stream(ANN), bob = open_stream(BOB), root = open_stream(ROOT);
    read_stream_until(ann, "event: reset");
    read_stream_until(bob, "event: reset");
    read_stream_until(root, "event: reset");
    strftime(soon, sizeof soon, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &(struct tm){0}));
    snprintf(tokens, sizeof tokens, "ann read " ABC " expires=%s\nroot admin,train " ABE "\n",
             soon);
    write_tokens(&daemon_here, tokens, path);
    assert_int_equal(kill(daemon_here.pid, SIGHUP), 0);
    read_stream_until(bob, NULL); /* revoked */
    read_stream_until(ann, NULL); /* expired */
    add_job(ROOT, 1);
    read_stream_until(root, "event: state");
    close(ann);
    close(bob);
    close(root);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void without_tokens_everybody_is_one_caller(void **state)
{
    (void)state;
    daemon_start_well(&daemon_here, (const char *[]){"--workers", "0", NULL});
    int64_t job = add_job(NULL, 1);
    struct reply reply = client_get(daemon_here.port, "/v1/callers");
    assert_int_equal(reply.status, 200);
    assert_int_equal(json_array_size(json_object_get(reply.json, "items")), 1);
    assert_int_equal(number_of(caller_of(&reply, NULL), "waiting"), 1);
    reply_free(&reply);
    reply = client_get(daemon_here.port, path_of(job, "")); /* with --workers 0 */
    assert_string_equal(json_string_value(json_object_get(reply.json, "waiting_because")),
                        "rinkd works on no jobs here (its setting workers is 0)");
    reply_free(&reply);
    expect(NULL, "POST", path_of(job, "/cancel"), 202);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, daemon_prepare_here, daemon_remove_here)
    const struct CMUnitTest tests[] = {
        SCENE(jobs_belong_to_their_callers),
        SCENE(each_scope_may_do_what_the_contract_says_and_no_more),
        SCENE(who_may_only_ask_sees_its_own_alone),
        SCENE(full_limits_are_named),
        SCENE(jobs_wait_for_cores_of_their_caller),
        SCENE(tokens_expire),
        SCENE(streams_end_with_their_token),
        SCENE(without_tokens_everybody_is_one_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
