/* The HTTP side with routes of its own: a real server on any free port, a real core and store. */
#include "service/config.h"
#include "service/core.h"
#include "service/events.h"
#include "service/http.h"
#include "service/metrics.h"
#include "service/server.h"
#include "service/store/registry.h"
#include "tests/api/client.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the server under test ---- */

static struct config config;
static struct server server = {.config = &config};
static struct store *store;
static pthread_t core_thread;
static int port;

/* The request that waits, and how often its client was heard to hang up; core thread. */
static struct http_request *waiting;
static atomic_int hang_ups, holds;

/* Writes that were committed. */
static atomic_int commits;

static enum api_error run_args(struct http_request *request, struct store *reader)
{
    struct store_page page;

    (void)reader;
    if (http_page(request, &page) != API_OK)
        return API_BAD_PARAMETER;
    return http_json(request, 200,
                     json_pack("{s:s, s:s, s:i, s:s?, s:s?, s:s}", "a", request->arg[0], "b",
                               request->arg[1], "limit", page.limit, "cursor", page.cursor, "x",
                               http_parameter(request, "x"), "caller", request->caller));
}

static enum api_error run_id(struct http_request *request, struct store *reader)
{
    int64_t id;

    (void)reader;
    if (http_id(request, 0, &id) != API_OK)
        return API_NOT_FOUND;
    return http_json(request, 200, json_pack("{s:I}", "id", (json_int_t)id));
}

static enum api_error run_echo(struct http_request *request, struct store *reader)
{
    (void)reader;
    return http_json(request, 200, request->body ? json_incref(request->body) : json_null());
}

static void after_write(struct http_request *request)
{
    (void)request;
    atomic_fetch_add(&commits, 1);
}

/* {"name": …}: adds a player; a name that is there already is refused by the store, after which an
 * answer of success would be a lie. */
static enum api_error run_write(struct http_request *request, struct store *writer)
{
    struct player_new player = {.name = json_string_value(json_object_get(request->body, "name")),
                                .spec = "random",
                                .about = ""};
    char location[128];
    enum api_error error = player_store_add(writer, &player, request->now_ms);

    http_after_commit(request, after_write);
    if (error == API_OK && json_object_get(request->body, "fail"))
        return http_field(request, "/fail", "value", "was asked for");
    if (error != API_OK)
        return http_problem(request, error, NULL);
    snprintf(location, sizeof location, "/write/%s", player.name);
    http_add_header(request, "Location", location);
    return http_json(request, 202, json_pack("{s:s}", "name", player.name));
}

static enum api_error run_written(struct http_request *request, struct store *reader)
{
    json_t *player;
    enum api_error error = player_store_get(reader, request->arg[0], &player);

    return error == API_OK ? http_json(request, 200, player) : http_problem(request, error, NULL);
}

static enum api_error run_upload(struct http_request *request, struct store *writer)
{
    (void)writer;
    assert_int_equal(access(request->file_path, R_OK), 0);
    return http_json(request, 201,
                     json_pack("{s:s, s:I}", "sha256", request->file_sha256, "bytes",
                               (json_int_t)request->file_bytes));
}

static enum api_error run_download(struct http_request *request, struct store *reader)
{
    char path[4200];

    (void)reader;
    snprintf(path, sizeof path, "%s/%s", config.data, request->arg[0]);
    return http_file(request, path, "text/plain", request->arg[0]);
}

static enum api_error run_nothing(struct http_request *request, struct store *reader)
{
    (void)request;
    (void)reader;
    return API_OK;
}

static enum api_error run_twice(struct http_request *request, struct store *reader)
{
    (void)reader;
    http_json(request, 200, json_object());
    return http_no_content(request);
}

static void on_hang_up(struct http_request *request, void *context)
{
    atomic_int *count = context;

    atomic_fetch_add(count, 1);
    waiting = NULL;
    http_no_content(request);
    http_release(request);
}

static enum api_error run_hold(struct http_request *request, struct store *none)
{
    assert_null(none);
    enum api_error error = http_hold(request, on_hang_up, &hang_ups);
    if (error == API_OK) {
        waiting = request;
        atomic_fetch_add(&holds, 1);
    }
    return error;
}

static enum api_error run_release(struct http_request *request, struct store *none)
{
    (void)none;
    if (!waiting)
        return http_problem(request, API_STATE, NULL);
    http_json(waiting, 200, json_pack("{s:b}", "released", 1));
    http_release(waiting);
    waiting = NULL;
    return http_no_content(request);
}

static enum api_error run_events(struct http_request *request, struct store *reader)
{
    (void)reader;
    return http_events(request, request->arg[0], json_pack("{s:s}", "now", "this"));
}

static const char *const page_parameters[] = {"x", "limit", "cursor", NULL};

const struct route routes[] = {
    {"GET", "/args/{a}/{b}", SCOPE_NONE, ROUTE_READ, BODY_NONE, NULL, run_args, page_parameters},
    {"GET", "/id/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_id, NULL},
    {"POST", "/echo", SCOPE_QUERY, ROUTE_READ, BODY_JSON, NULL, run_echo, NULL},
    {"POST", "/maybe", SCOPE_QUERY, ROUTE_READ, BODY_OPTIONAL_JSON, NULL, run_echo, NULL},
    {"DELETE", "/echo", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, run_echo, NULL},
    {"POST", "/write", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, NULL, run_write, NULL},
    {"GET", "/write/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_written, NULL},
    {"PUT", "/file", SCOPE_ADMIN, ROUTE_WRITE, BODY_FILE, NULL, run_upload, NULL},
    {"GET", "/file/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_download, NULL},
    {"GET", "/nothing", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_nothing, NULL},
    {"GET", "/twice", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_twice, NULL},
    {"GET", "/hold", SCOPE_READ, ROUTE_CORE, BODY_NONE, NULL, run_hold, NULL},
    {"POST", "/release", SCOPE_READ, ROUTE_CORE, BODY_NONE, NULL, run_release, NULL},
    {"GET", "/events/{topic}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_events, NULL},
    {0},
};

static void *run_core(void *context)
{
    core_run(context);
    return NULL;
}

static int start(void **state)
{
    char error[STORE_ERROR_MAX];

    (void)state;
    config = (struct config){.address = "127.0.0.1", .connections_max = 512};
    snprintf(config.data, sizeof config.data, "/tmp/rinkd-http-XXXXXX");
    assert_non_null(mkdtemp(config.data));
    assert_int_equal(store_open(config.data, &store, error), API_OK);
    server.metrics = metrics_open();
    server.events = events_open(1);
    assert_non_null(server.metrics);
    assert_non_null(server.events);
    assert_int_equal(core_open(&server, store, &server.core), API_OK);
    assert_int_equal(http_start(&server, &server.http, &port, error), API_OK);
    assert_int_equal(pthread_create(&core_thread, NULL, run_core, server.core), 0);
    atomic_store(&hang_ups, 0);
    atomic_store(&holds, 0);
    return 0;
}

static enum api_error stop_core(struct core_task *task, struct store *none)
{
    (void)task;
    (void)none;
    core_stop(server.core);
    return API_OK;
}

static void stop_finished(struct core_task *task, enum api_error result)
{
    (void)task;
    (void)result;
}

static int stop(void **state)
{
    struct core_task last = {.run = stop_core, .finish = stop_finished};
    char command[4200];

    (void)state;
    http_drain(server.http);
    http_close(server.http);
    core_submit_own(server.core, &last);
    pthread_join(core_thread, NULL);
    http_stop(server.http);
    core_close(server.core);
    events_close(server.events);
    metrics_close(server.metrics);
    store_close(store);
    snprintf(command, sizeof command, "rm -r '%s'", config.data);
    return system(command);
}

/* Waits until the counter is there; a test that never gets there runs into its time limit. */
static void wait_for(atomic_int *counter, int value)
{
    while (atomic_load(counter) < value)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static const char *text_of(const struct reply *reply, const char *key)
{
    const char *text = json_string_value(json_object_get(reply->json, key));

    return text ? text : "";
}

/* ---- targets and routes ---- */

static void parts_and_parameters_are_decoded(void **state)
{
    struct reply reply = client_get(port, "/args/a%20b/%C3%A9?x=1+2%2B&limit=7&cursor=c");

    (void)state;
    assert_int_equal(reply.status, 200);
    assert_string_equal(text_of(&reply, "a"), "a b");
    assert_string_equal(text_of(&reply, "b"), "\xc3\xa9");
    assert_string_equal(text_of(&reply, "x"), "1 2+");
    assert_int_equal(json_integer_value(json_object_get(reply.json, "limit")), 7);
    reply_free(&reply);
}

static void bad_targets_are_refused(void **state)
{
    static const char *const bad[] = {
        "/args/%zz/b",         "/args/%00/b",        "/args/%ff/b",       "/args/a%0ab/c",
        "/args/a/b?x=%f",      "/args/a/b?y=1",      "/args/a/b?x=1&x=2", "/args/a/b?limit=0",
        "/args/a/b?limit=501", "/args/a/b?limit=1x", "/args/a/b?limit="};

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct reply reply = client_get(port, bad[k]);
        assert_problem(&reply, 400, "bad-parameter");
        reply_free(&reply);
    }
}

static void unknown_paths_are_not_found(void **state)
{
    static const char *const unknown[] = {"/",           "/args",    "/args/a",
                                          "/args/a/b/c", "/args//b", "/echo/",
                                          "/id/0",       "/id/x",    "/id/9223372036854775808",
                                          "/id/1%2f"};

    (void)state;
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        struct reply reply = client_get(port, unknown[k]);
        assert_problem(&reply, 404, "not-found");
        reply_free(&reply);
    }
}

static void other_methods_are_told_which_there_are(void **state)
{
    char allow[64];
    struct reply reply = client_call(port, &(struct client_call){.method = "PUT", .path = "/echo"});

    (void)state;
    assert_problem(&reply, 405, "method-not-allowed");
    assert_string_equal(reply_header(&reply, "Allow", sizeof allow, allow),
                        "POST, DELETE, OPTIONS");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.method = "OPTIONS", .path = "/id/1"});
    assert_int_equal(reply.status, 204);
    assert_string_equal(reply_header(&reply, "Allow", sizeof allow, allow), "GET, HEAD, OPTIONS");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.method = "HEAD", .path = "/id/1"});
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.bytes, 0);
    assert_string_not_equal(reply_header(&reply, "ETag", sizeof allow, allow), "");
    reply_free(&reply);
}

static void the_request_id_is_the_clients_or_ours(void **state)
{
    static const char *const good[] = {"X-Request-Id: my-1", NULL};
    static const char *const bad[] = {"X-Request-Id: \"} x", NULL};
    char id[64];
    struct reply reply = client_call(port, &(struct client_call){.path = "/id/1", .header = good});

    (void)state;
    assert_string_equal(reply_header(&reply, "X-Request-Id", sizeof id, id), "my-1");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/id/1", .header = bad});
    assert_int_equal(strlen(reply_header(&reply, "X-Request-Id", sizeof id, id)), 24);
    reply_free(&reply);
}

static void an_etag_saves_the_second_answer(void **state)
{
    struct reply reply = client_get(port, "/id/5");
    char tag[80], header[120];
    const char *headers[] = {header, NULL};

    (void)state;
    reply_header(&reply, "ETag", sizeof tag, tag);
    reply_free(&reply);
    snprintf(header, sizeof header, "If-None-Match: \"other\", W/%s", tag);
    reply = client_call(port, &(struct client_call){.path = "/id/5", .header = headers});
    assert_int_equal(reply.status, 304);
    assert_int_equal(reply.bytes, 0);
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/id/6", .header = headers});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void not_exactly_one_answer_is_our_mistake(void **state)
{
    struct reply reply = client_get(port, "/nothing");

    (void)state;
    assert_problem(&reply, 500, "internal");
    reply_free(&reply);
    reply = client_get(port, "/twice");
    assert_problem(&reply, 500, "internal");
    reply_free(&reply);
}

/* ---- bodies ---- */

static void a_body_is_json_of_that_type(void **state)
{
    static const char *const form[] = {"Content-Type: application/x-www-form-urlencoded", NULL};
    static const char *const coded[] = {"Content-Type: application/json", "Content-Encoding: gzip",
                                        NULL};
    static const char *const more[] = {"Content-Type: Application/JSON; charset=utf-8", NULL};
    static const char *const chunked[] = {"Content-Type: application/problem+json",
                                          "Transfer-Encoding: chunked", NULL};
    struct client_call call = {.method = "POST", .path = "/echo", .body = "{\"a\":[1]}"};
    struct reply reply = client_call(port, &call);

    (void)state;
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.text, "{\"a\":[1]}\n");
    reply_free(&reply);
    call.header = more;
    reply = client_call(port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.header = chunked;
    reply = client_call(port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.header = form;
    reply = client_call(port, &call);
    assert_problem(&reply, 415, "media-type");
    reply_free(&reply);
    call.header = coded;
    reply = client_call(port, &call);
    assert_problem(&reply, 415, "media-type");
    reply_free(&reply);
}

static void broken_bodies_are_refused(void **state)
{
    static const char *const bad[] = {"", "{", "{\"a\":1,\"a\":2}", "{\"a\":NaN}", "\xff", "{} {}"};
    char deep[2 * 10000 + 1];

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct reply reply = client_post(port, "/echo", bad[k]);
        assert_problem(&reply, 400, "bad-json");
        reply_free(&reply);
    }
    memset(deep, '[', 10000);
    memset(deep + 10000, ']', 10000);
    deep[20000] = '\0';
    struct reply reply = client_post(port, "/echo", deep);
    assert_problem(&reply, 400, "bad-json");
    reply_free(&reply);
    reply =
        client_call(port, &(struct client_call){.method = "DELETE", .path = "/echo", .body = "{}"});
    assert_problem(&reply, 400, "bad-json");
    reply_free(&reply);
}

static void an_optional_body_may_be_missing(void **state)
{
    struct reply reply =
        client_call(port, &(struct client_call){.method = "POST", .path = "/maybe"});

    (void)state;
    assert_string_equal(reply.text, "null\n");
    reply_free(&reply);
    reply = client_post(port, "/maybe", "{\"a\":1}");
    assert_string_equal(reply.text, "{\"a\":1}\n");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.method = "POST", .path = "/echo"});
    assert_problem(&reply, 411, "length-required");
    reply_free(&reply);
}

static void large_bodies_are_refused(void **state)
{
    static const char *const chunked[] = {"Content-Type: application/json",
                                          "Expect:", "Transfer-Encoding: chunked", NULL};
    size_t size = 8u << 20;
    char *body = malloc(size + 1);
    struct client_call call = {.method = "POST", .path = "/echo", .body = body};

    (void)state;
    assert_non_null(body);
    memset(body, ' ', size);
    body[size] = '\0';
    memcpy(body, "{}", 2);
    call.bytes = HTTP_BODY_MAX;
    struct reply reply = client_call(port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.bytes = HTTP_BODY_MAX + 1;
    reply = client_call(port, &call);
    assert_problem(&reply, 413, "too-large");
    reply_free(&reply);
    call.header = chunked; /* so large only shows when it has come */
    reply = client_call(port, &call);
    assert_problem(&reply, 413, "too-large");
    reply_free(&reply);
    call.bytes = size; /* larger than what we read for politeness */
    reply = client_call(port, &call);
    assert_true(reply.status == 413 || reply.status == 0);
    reply_free(&reply);
    free(body);
    reply = client_get(port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void large_heads_are_refused(void **state)
{
    char header[30000];
    const char *headers[] = {header, NULL};

    (void)state;
    memset(header, 'a', sizeof header);
    memcpy(header, "X-A: ", 5);
    header[15000] = '\0';
    struct reply reply =
        client_call(port, &(struct client_call){.path = "/id/1", .header = headers});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    header[15000] = 'a';
    header[20000] = '\0';
    reply = client_call(port, &(struct client_call){.path = "/id/1", .header = headers});
    assert_problem(&reply, 431, "headers-too-large");
    reply_free(&reply);
}

/* libmicrohttpd answers this by itself, and may end the connection while we still send. */
static void a_huge_head_is_refused(void **state)
{
    size_t size = 1u << 20;
    char *head = malloc(size);

    (void)state;
    assert_non_null(head);
    memset(head, 'a', size);
    memcpy(head, "GET /id/1 HTTP/1.1\r\nHost: [::1]\r\nX: ", 37);
    char *answer = client_raw(port, head, size, 5000);
    assert_true(strncmp(answer, "HTTP/1.1 431 ", 13) == 0 || *answer == '\0');
    free(answer);
    free(head);
    struct reply reply = client_get(port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void an_upload_is_hashed_and_removed(void **state)
{
    static const char *const any[] = {"Content-Type: application/octet-stream", NULL};
    char command[4300];
    struct client_call call = {
        .method = "PUT", .path = "/file", .body = "abc", .bytes = 3, .header = any};
    struct reply reply = client_call(port, &call);

    (void)state;
    assert_int_equal(reply.status, 201);
    /* FIPS 180-2, B.1 */
    assert_string_equal(text_of(&reply, "sha256"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    reply_free(&reply);
    snprintf(command, sizeof command, "! ls '%s' | grep upload", config.data);
    assert_int_equal(system(command), 0);
}

static void a_file_comes_whole_or_in_ranges(void **state)
{
    static const struct {
        const char *range, *text;
        long status;
    } cases[] = {{"X: y", "0123456789", 200},
                 {"Range: bytes=2-4", "234", 206},
                 {"Range: bytes=7-", "789", 206},
                 {"Range: bytes=-3", "789", 206},
                 {"Range: bytes=8-99", "89", 206},
                 {"Range: bytes=10-", "0123456789", 200},
                 {"Range: bytes=4-2", "0123456789", 200},
                 {"Range: bytes=5--3", "0123456789", 200},
                 {"Range: bytes=1-2,4-5", "0123456789", 200}};
    char path[4200];

    (void)state;
    snprintf(path, sizeof path, "%s/ten", config.data);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("0123456789", file);
    fclose(file);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *headers[] = {cases[k].range, NULL};
        struct reply reply =
            client_call(port, &(struct client_call){.path = "/file/ten", .header = headers});
        assert_int_equal(reply.status, cases[k].status);
        assert_string_equal(reply.text, cases[k].text);
        reply_free(&reply);
    }
    struct reply reply = client_get(port, "/file/none");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

/* ---- writing ---- */

static void a_write_is_there_once_it_is_answered(void **state)
{
    char location[64];
    int before = atomic_load(&commits);
    struct reply reply = client_post(port, "/write", "{\"name\":\"first\"}");

    (void)state;
    assert_int_equal(reply.status, 202);
    assert_int_equal(atomic_load(&commits), before + 1);
    reply_header(&reply, "Location", sizeof location, location);
    reply_free(&reply);
    reply = client_get(port, location);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void a_refused_write_leaves_nothing(void **state)
{
    int before = atomic_load(&commits);
    struct reply reply = client_post(port, "/write", "{\"name\":\"half\",\"fail\":true}");

    (void)state;
    assert_int_equal(atomic_load(&commits), before);
    assert_problem(&reply, 422, "bad-field");
    json_t *error = json_array_get(json_object_get(reply.json, "errors"), 0);
    assert_string_equal(json_string_value(json_object_get(error, "pointer")), "/fail");
    reply_free(&reply);
    reply = client_get(port, "/write/half");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void a_repeated_request_is_answered_as_before(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Idempotency-Key: k1",
                                          NULL};
    struct client_call call = {
        .method = "POST", .path = "/write", .body = "{\"name\":\"once\"}", .header = headers};
    char value[64];
    struct reply reply = client_call(port, &call);

    (void)state;
    assert_int_equal(reply.status, 202);
    assert_string_equal(reply_header(&reply, "Idempotency-Replayed", sizeof value, value), "");
    reply_free(&reply);
    reply = client_call(port, &call);
    assert_int_equal(reply.status, 202);
    assert_string_equal(reply.text, "{\"name\":\"once\"}\n");
    assert_string_equal(reply_header(&reply, "Idempotency-Replayed", sizeof value, value), "true");
    assert_string_equal(reply_header(&reply, "Location", sizeof value, value), "/write/once");
    reply_free(&reply);
    call.body = "{\"name\":\"other\"}";
    reply = client_call(port, &call);
    assert_problem(&reply, 409, "idempotency-key-reused");
    reply_free(&reply);
    reply = client_get(port, "/write/other");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void a_refused_request_does_not_use_up_its_key(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Idempotency-Key: k2",
                                          NULL};
    struct client_call call = {.method = "POST",
                               .path = "/write",
                               .body = "{\"name\":\"later\",\"fail\":1}",
                               .header = headers};
    struct reply reply = client_call(port, &call);

    (void)state;
    assert_problem(&reply, 422, "bad-field");
    reply_free(&reply);
    call.body = "{\"name\":\"later\"}";
    reply = client_call(port, &call);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
}

static void *write_one(void *context)
{
    char body[64];
    struct reply reply;

    snprintf(body, sizeof body, "{\"name\":\"many%d\"}", *(int *)context);
    reply = client_post(port, "/write", body);
    *(int *)context = (int)reply.status;
    reply_free(&reply);
    return NULL;
}

static void many_write_at_once(void **state)
{
    enum { MANY = 40 };
    pthread_t thread[MANY];
    int number[MANY];

    (void)state;
    for (int k = 0; k < MANY; k++) {
        number[k] = k;
        assert_int_equal(pthread_create(&thread[k], NULL, write_one, &number[k]), 0);
    }
    for (int k = 0; k < MANY; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(number[k], 202);
    }
}

/* ---- waiting ---- */

static void *get_hold(void *context)
{
    struct reply reply = client_get(port, "/hold");

    *(long *)context = reply.status;
    reply_free(&reply);
    return NULL;
}

static void a_held_request_is_answered_when_it_is_released(void **state)
{
    pthread_t thread;
    long status = 0;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, get_hold, &status), 0);
    wait_for(&holds, 1);
    struct reply reply =
        client_call(port, &(struct client_call){.method = "POST", .path = "/release"});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    pthread_join(thread, NULL);
    assert_int_equal(status, 200);
    assert_int_equal(atomic_load(&hang_ups), 0);
}

static void who_hangs_up_is_noticed(void **state)
{
    static const char request[] = "GET /hold HTTP/1.1\r\nHost: localhost:80\r\n\r\n";
    int fd = client_connect(port);

    (void)state;
    assert_int_equal(send(fd, request, sizeof request - 1, 0), sizeof request - 1);
    wait_for(&holds, 1);
    close(fd);
    wait_for(&hang_ups, 1);
}

/* ---- events ---- */

struct listening {
    const char *const *header;
    struct reply reply;
};

static void *listen_to_topic(void *context)
{
    struct listening *listening = context;

    listening->reply = client_call(
        port, &(struct client_call){.path = "/events/topic", .header = listening->header});
    return NULL;
}

static void a_listener_hears_until_the_last_event(void **state)
{
    struct listening listening = {0};
    pthread_t thread;
    char type[64];

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, listen_to_topic, &listening), 0);
    for (int k = 0; k < 20; k++) { /* some before it listens, some while it sleeps */
        events_publish(server.events, "topic", "step", json_pack("{s:i}", "k", k), k == 19);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    pthread_join(thread, NULL);
    assert_int_equal(listening.reply.status, 200);
    assert_string_equal(reply_header(&listening.reply, "Content-Type", sizeof type, type),
                        "text/event-stream");
    assert_non_null(strstr(listening.reply.text, "event: reset\ndata: {\"now\":\"this\"}\n\n"));
    assert_non_null(strstr(listening.reply.text, "event: step\ndata: {\"k\":19}\n\n"));
    reply_free(&listening.reply);
}

/* The id of the event with that data. */
static long long id_of_event(const char *text, const char *data)
{
    long long id = 0;

    for (const char *at = text; (at = strstr(at, "id: ")) != NULL; at++) {
        const char *line = strstr(at, "data: ");
        if (line && strncmp(line + 6, data, strlen(data)) == 0) {
            id = strtoll(at + 4, NULL, 10);
            break;
        }
    }
    return id;
}

static void a_listener_goes_on_where_it_was(void **state)
{
    static const char *const from_start[] = {"Last-Event-ID: 1000", NULL};
    char header[64];
    const char *headers[] = {header, NULL};

    (void)state;
    for (int k = 0; k < 5; k++)
        events_publish(server.events, "old", "step", json_integer(k), k == 4);
    struct reply reply =
        client_call(port, &(struct client_call){.path = "/events/old", .header = from_start});
    assert_null(strstr(reply.text, "reset")); /* id 1000 is when the events began */
    assert_non_null(strstr(reply.text, "data: 0\n"));
    snprintf(header, sizeof header, "Last-Event-ID: %lld", id_of_event(reply.text, "2"));
    reply_free(&reply);

    reply = client_call(port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_null(strstr(reply.text, "data: 2\n"));
    assert_non_null(strstr(reply.text, "data: 3\n"));
    assert_non_null(strstr(reply.text, "data: 4\n"));
    snprintf(header, sizeof header, "Last-Event-ID: %lld", id_of_event(reply.text, "4"));
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    snprintf(header, sizeof header, "Last-Event-ID: 3");
    reply = client_call(port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_non_null(strstr(reply.text, "event: reset"));
    assert_null(strstr(reply.text, "event: step"));
    reply_free(&reply);
}

/* ---- connections ---- */

static void idle_and_broken_connections_do_no_harm(void **state)
{
    enum { IDLE = 300 };
    int fd[IDLE];

    (void)state;
    for (int k = 0; k < IDLE; k++) {
        fd[k] = client_connect(port);
        if (k % 2)
            assert_int_equal(send(fd[k], "POST /echo HT", 13, MSG_NOSIGNAL), 13);
    }
    struct reply reply = client_get(port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    for (int k = 0; k < IDLE; k++)
        close(fd[k]);
    reply = client_get(port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    static const char two[] =
        "GET /id/1 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"
        "GET /id/2 HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\n\r\n";
    char *answer = client_raw(port, two, sizeof two - 1, 5000);
    const char *first = strstr(answer, "{\"id\":1}"), *second = strstr(answer, "{\"id\":2}");

    (void)state;
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    free(answer);
}

static void a_length_that_is_said_twice_is_refused(void **state)
{
    static const char *const requests[] = {
        "POST /maybe HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\nContent-Length: 2\r\n"
        "Content-Length: 3\r\n\r\n{} ",
        "POST /maybe HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\nContent-Length: 2\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"};

    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        char *answer = client_raw(port, requests[k], strlen(requests[k]), 5000);
        assert_int_equal(strncmp(answer, "HTTP/1.1 400 ", 13), 0);
        free(answer);
    }
}

static void draining_refuses_all_but_reading(void **state)
{
    char retry[16];

    (void)state;
    http_drain(server.http);
    struct reply reply = client_post(port, "/write", "{\"name\":\"late\"}");
    assert_problem(&reply, 503, "draining");
    assert_string_not_equal(reply_header(&reply, "Retry-After", sizeof retry, retry), "");
    reply_free(&reply);
    reply = client_get(port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    http_close(server.http);
    reply = client_get(port, "/hold");
    assert_problem(&reply, 503, "draining");
    reply_free(&reply);
}

/* ---- tokens ---- */

static int start_with_tokens(void **state)
{
    int result = start(state);

    config.token_count = 2;
    /* SHA-256 of "abc" */
    static const unsigned char hash[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                           0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                           0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                           0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    config.tokens[1] = (struct config_token){.name = "ann", .scopes = SCOPE_QUERY};
    memcpy(config.tokens[1].sha256, hash, sizeof hash);
    config.tokens[0] = (struct config_token){.name = "bob", .scopes = SCOPE_ADMIN};
    return result;
}

static void tokens_open_what_they_are_for(void **state)
{
    static const char *const right[] = {"Authorization: Bearer abc", NULL};
    static const char *const wrong[] = {"Authorization: Bearer abd", NULL};
    static const char *const basic[] = {"Authorization: Basic YWJj", NULL};
    char value[64];
    struct reply reply = client_get(port, "/id/1");

    (void)state;
    assert_problem(&reply, 401, "unauthorized");
    assert_string_equal(reply_header(&reply, "WWW-Authenticate", sizeof value, value), "Bearer");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/id/1", .header = wrong});
    assert_problem(&reply, 401, "unauthorized");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/id/1", .header = basic});
    assert_problem(&reply, 401, "unauthorized");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/id/1", .header = right});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = client_call(
        port, &(struct client_call){.method = "DELETE", .path = "/echo", .header = right});
    assert_problem(&reply, 403, "forbidden");
    reply_free(&reply);
    reply = client_get(port, "/args/a/b"); /* open to all */
    assert_string_equal(text_of(&reply, "caller"), "anonymous");
    reply_free(&reply);
    reply = client_call(port, &(struct client_call){.path = "/args/a/b", .header = right});
    assert_string_equal(text_of(&reply, "caller"), "ann");
    reply_free(&reply);
}

#define HTTP_TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(parts_and_parameters_are_decoded),
        HTTP_TEST(bad_targets_are_refused),
        HTTP_TEST(unknown_paths_are_not_found),
        HTTP_TEST(other_methods_are_told_which_there_are),
        HTTP_TEST(the_request_id_is_the_clients_or_ours),
        HTTP_TEST(an_etag_saves_the_second_answer),
        HTTP_TEST(not_exactly_one_answer_is_our_mistake),
        HTTP_TEST(a_body_is_json_of_that_type),
        HTTP_TEST(broken_bodies_are_refused),
        HTTP_TEST(an_optional_body_may_be_missing),
        HTTP_TEST(large_bodies_are_refused),
        HTTP_TEST(large_heads_are_refused),
        HTTP_TEST(a_huge_head_is_refused),
        HTTP_TEST(an_upload_is_hashed_and_removed),
        HTTP_TEST(a_file_comes_whole_or_in_ranges),
        HTTP_TEST(a_write_is_there_once_it_is_answered),
        HTTP_TEST(a_refused_write_leaves_nothing),
        HTTP_TEST(a_repeated_request_is_answered_as_before),
        HTTP_TEST(a_refused_request_does_not_use_up_its_key),
        HTTP_TEST(many_write_at_once),
        HTTP_TEST(a_held_request_is_answered_when_it_is_released),
        HTTP_TEST(who_hangs_up_is_noticed),
        HTTP_TEST(a_listener_hears_until_the_last_event),
        HTTP_TEST(a_listener_goes_on_where_it_was),
        HTTP_TEST(idle_and_broken_connections_do_no_harm),
        HTTP_TEST(pipelined_requests_are_answered_in_order),
        HTTP_TEST(a_length_that_is_said_twice_is_refused),
        HTTP_TEST(draining_refuses_all_but_reading),
        cmocka_unit_test_setup_teardown(tokens_open_what_they_are_for, start_with_tokens, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
