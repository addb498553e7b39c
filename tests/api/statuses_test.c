/* Provokes every status of 206 and above that the contract documents, operation by operation;
 * resources_test.c and resource_jobs_test.c cover success. */
#include "service/store/webhooks.h"
#include "tests/api/client.h"
#include "tests/api/contract.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

enum { PATH_BYTES = 200 };

/* ---- asking ---- */

static struct reply ask(const char *method, const char *contract_path,
                        const struct client_call *call, long status)
{
    struct client_call whole = *call;

    whole.method = method;
    struct reply reply = client_call(daemon_here.port, &whole);
    if (reply.status != status)
        fail_msg("%s %s: %ld, not %ld: %s", method, whole.path, reply.status, status, reply.text);
    assert_true(!reply.text ||
                !strstr(reply.text, daemon_here.folder)); /* no paths of the server */
    contract_met(method, contract_path, status);
    if (status >= 400) {
        const char *type = json_string_value(json_object_get(reply.json, "type"));
        assert_non_null(type);
        assert_problem(&reply, status, type + strlen("/problems/"));
    }
    return reply;
}

static void expect(const char *method, const char *contract_path, const char *path,
                   const char *body, long status)
{
    struct reply reply =
        ask(method, contract_path, &(struct client_call){.path = path, .body = body}, status);
    reply_free(&reply);
}

static void expect_with_header(const char *method, const char *contract_path, const char *path,
                               const char *header, const char *body, long status)
{
    const char *const headers[] = {header, body ? "Content-Type: application/json" : NULL, NULL};
    const struct client_call call = {.path = path, .header = headers, .body = body};
    struct reply reply = ask(method, contract_path, &call, status);
    reply_free(&reply);
}

/* Writes a text member of a request's answer to `size` bytes of ret_text. */
static void ask_for(const char *path, const char *list, const char *key, size_t size,
                    char *ret_text)
{
    struct reply reply = client_get(daemon_here.port, path);
    json_t *value = json_object_get(json_array_get(json_object_get(reply.json, list), 0), key);

    assert_int_equal(reply.status, 200);
    if (json_is_integer(value))
        snprintf(ret_text, size, "%lld", (long long)json_integer_value(value));
    else
        snprintf(ret_text, size, "%s", json_string_value(value));
    reply_free(&reply);
}

/* ---- paths ---- */

/* Replaces each part in braces of a contract path by `value`; a blob has a name of its own form. */
static const char *fill(const char *contract_path, const char *value, char ret_path[PATH_BYTES])
{
    static const char blob[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    size_t used = 0;

    if (strncmp(contract_path, "/v1/blobs/", 10) == 0 && strlen(value) < sizeof blob - 1)
        value = blob;

    for (const char *c = contract_path; *c && used + strlen(value) + 1 < PATH_BYTES; c++) {
        if (*c != '{') {
            ret_path[used++] = *c;
            continue;
        }
        memcpy(ret_path + used, value, strlen(value));
        used += strlen(value);
        c = strchr(c, '}');
        assert_non_null(c);
    }
    ret_path[used] = '\0';
    return ret_path;
}

/* Calls `check` for each operation that documents the status. */
static void for_all_with(long status, void (*check)(const char *method, const char *path))
{
    const char *method, *path;
    int count = 0;

    for (int k = 0; contract_operation(k, &method, &path); k++) {
        if (!contract_has(method, path, status))
            continue;
        check(method, path);
        count++;
    }
    assert_true(count > 0);
}

static bool is_upload(const char *method, const char *path)
{
    return strcmp(method, "PUT") == 0 &&
           (strcmp(path, "/v1/models/{name}") == 0 || strcmp(path, "/v1/blobs/{sha256}") == 0);
}

/* ---- what is refused by the head or the body alone ---- */

static void has_no_such_parameter(const char *method, const char *path)
{
    char filled[PATH_BYTES], asked[PATH_BYTES + 16];

    snprintf(asked, sizeof asked, "%s?no_such=1", fill(path, "1", filled));
    expect(method, path, asked, NULL, 400);
}

static void unknown_parameters_are_400(void **state)
{
    (void)state;
    for_all_with(400, has_no_such_parameter);
}

/* Sends a head as it is and expects the status. */
static void send_head(const char *method, const char *path, const char *fields, long status)
{
    char filled[PATH_BYTES], head[512];
    long got = 0;

    snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\n\r\n",
             method, fill(path, "1", filled), fields);
    char *answer = client_raw(daemon_here.port, head, strlen(head), 5000);
    if (sscanf(answer, "HTTP/1.1 %ld", &got) != 1 || got != status ||
        !strstr(answer, "application/problem+json"))
        fail_msg("%s %s: not %ld: %s", method, path, status, answer);
    free(answer);
    contract_met(method, path, status);
}

static void needs_a_length(const char *method, const char *path)
{
    send_head(method, path, "Content-Type: application/json\r\n", 411);
}

static void takes_so_much(const char *method, const char *path)
{
    bool is_file = is_upload(method, path) || strcmp(path, "/v1/games") == 0;

    send_head(method, path,
              is_file ? "Expect: 100-continue\r\nContent-Length: 3000000000\r\n"
                      : "Expect: 100-continue\r\nContent-Type: application/json\r\n"
                        "Content-Length: 2000000\r\n",
              413);
}

static void takes_no_other_type(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    expect_with_header(method, path, fill(path, "1", filled), "Content-Encoding: gzip", "{}", 415);
}

static void bodies_have_a_length_a_bound_and_a_type(void **state)
{
    (void)state;
    for_all_with(411, needs_a_length);
    for_all_with(413, takes_so_much);
    for_all_with(415, takes_no_other_type);
}

static void names_the_field(const char *method, const char *path)
{
    char filled[PATH_BYTES];
    struct client_call call = {.path = fill(path, "1", filled), .body = "{\"no_such\":1}"};
    struct reply reply = ask(method, path, &call, 422);

    assert_problem(&reply, 422, "bad-field");
    json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);
    assert_non_null(json_object_get(first, "pointer"));
    reply_free(&reply);
}

static void unknown_fields_are_422(void **state)
{
    (void)state;
    for_all_with(422, names_the_field);
}

#define SESSION "00000000000000000000000000000000"

static void is_not_there(const char *method, const char *path)
{
    static const char *const bodies[][2] = {
        {"PATCH /v1/runs/{id}", "{\"tags\":{}}"},
        {"PATCH /v1/models/{name}", "{\"card\":{}}"},
        {"PATCH /v1/library/{id}", "{}"},
        {"POST /v1/jobs/{id}/priority", "{\"priority\":1}"},
        {"POST /v1/nodes/{name}/claim",
         "{\"session\":\"" SESSION "\",\"cores\":1,\"wait_s\":0,\"tokens\":[]}"},
        {"POST /v1/nodes/{name}/lines", "{\"session\":\"" SESSION "\",\"tasks\":[]}"},
        {"POST /v1/nodes/{name}/leave", "{\"session\":\"" SESSION "\"}"},
        {"POST /v1/metrics/query", "{\"runs\":[\"none\"],\"names\":[\"x\"]}"}};
    char filled[PATH_BYTES], name[PATH_BYTES];
    const char *body = NULL;

    snprintf(name, sizeof name, "%s %s", method, path);
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++)
        if (strcmp(bodies[k][0], name) == 0)
            body = bodies[k][1];
    expect(method, path, fill(path, "999999", filled), body, 404);
}

static void missing_resources_are_404(void **state)
{
    (void)state;
    for_all_with(404, is_not_there);
}

/* Every operation may answer 431; one of them stands for all. */
static void a_large_head_is_431(void **state)
{
    static char header[20000] = "X-Long: ";

    (void)state;
    memset(header + strlen(header), 'x', sizeof header - strlen(header) - 1);
    const char *const headers[] = {header, NULL};
    struct reply reply =
        ask("GET", "/v1/jobs", &(struct client_call){.path = "/v1/jobs", .header = headers}, 431);
    reply_free(&reply);
}

/* ---- who asks ---- */

static void needs_a_token(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    expect(method, path, fill(path, "1", filled), NULL, 401);
}

static void needs_more_than_reading(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    expect_with_header(method, path, fill(path, "1", filled), "Authorization: Bearer reader", NULL,
                       403);
}

/* ---- what exists ---- */

/* One weight of four bytes. */
static const char weights[] = "\x38\0\0\0\0\0\0\0"
                              "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  "
                              "\0\0\200\77";

static long upload(const char *name)
{
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};
    char path[80];

    snprintf(path, sizeof path, "/v1/models/%s", name);
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = "PUT",
                                                            .path = path,
                                                            .body = weights,
                                                            .bytes = sizeof weights - 1,
                                                            .header = headers});
    long status = reply.status;
    reply_free(&reply);
    return status;
}

static void do_job(const char *body, long status)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.method = "POST",
                                     .path = "/v1/jobs",
                                     .body = body,
                                     .header = headers,
                                     .most_ms = PATIENCE_MS};
    struct reply reply = client_call(daemon_here.port, &call);

    if (reply.status != status)
        fail_msg("%ld: %s", reply.status, reply.text);
    reply_free(&reply);
}

static void expect_post(const char *path, const char *body, long status)
{
    struct reply reply = client_post(daemon_here.port, path, body);

    if (reply.status != status)
        fail_msg("%s: %ld: %s", path, reply.status, reply.text);
    reply_free(&reply);
}

#define NULLS "[null,null,null,null,null,null,null,null]"
#define POSITION                                                                             \
    "{\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{" \
    "\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}}"
#define SHOT POSITION ",\"player\":\"ai-simple\""
#define CALLED                                                                            \
    "{\"called\":{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"cw\"},\"thrown\":{" \
    "\"velocity\":{\"x\":0.131,\"y\":2.38},\"rotation\":\"cw\"}}"
#define THROW                                                                      \
    "{\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\","   \
    "\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":[],\"team1\":[]" \
    "}},\"shot\":{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"cw\"}"
#define SMALL_MATCH(more)                                                             \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1," \
    "\"ends\":1}" more "}"
#define REVIEW                                                                   \
    "{\"kind\":\"review\",\"spec\":{\"game\":\"1-0-0\",\"throws\":64,\"judge\":" \
    "\"rink:opponent=best,simulations=100\"}}"
#define HOOK  "{\"url\":\"http://webhooks.invalid/\"}"
#define KEPT  POSITION ",\"title\":\"kept\"}"
#define LATER ",\"delay_s\":3600"

#define NODE(more) \
    "{\"name\":\"lab\",\"cores\":1,\"versions\":{\"protocol\":3},\"golden\":{}" more "}"

/* Fills the service with one of everything: job 1 is ready, 2 paused, 3 buried, 4 (a match) done,
 * as are a diagnosis with a run and a checkpoint, and a review; a model with an alias, a
 * player, a webhook, a position, a node. */
static void fill_service(void)
{
    expect_post("/v1/jobs", SMALL_MATCH(LATER), 202);
    expect_post("/v1/jobs", SMALL_MATCH(LATER), 202);
    expect_post("/v1/jobs/2/pause", NULL, 202);
    assert_int_equal(daemon_bury_job(&daemon_here), 3);
    do_job(SMALL_MATCH(""), 200);
    do_job("{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}", 200);
    do_job(REVIEW, 200);
    expect_post("/v1/players", "{\"name\":\"mine\",\"spec\":\"ai-simple\"}", 201);
    assert_int_equal(upload("small"), 201);
    struct reply alias = client_call(
        daemon_here.port,
        &(struct client_call){.method = "PUT", .path = "/v1/models/small/aliases/best"});
    assert_int_equal(alias.status, 200);
    reply_free(&alias);
    daemon_add_checkpoint(&daemon_here, "to go on from");
    expect_post("/v1/webhooks", HOOK, 201);
    expect_post("/v1/library", KEPT, 201);
    expect_post("/v1/nodes", NODE(""), 201);
}

/* Writes the path by which the calls of the review become puzzles. */
static void puzzles_path(char ret_path[PATH_BYTES])
{
    char id[24];

    ask_for("/v1/jobs?kind=review", "items", "id", sizeof id, id);
    snprintf(ret_path, PATH_BYTES, "/v1/reviews/%s/puzzles", id);
}

/* Returns the path of an existing resource, in the caller's buffer. */
static const char *existing(const char *contract_path, char ret_path[PATH_BYTES])
{
    char id[80] = "1", path[PATH_BYTES];

    if (strncmp(contract_path, "/v1/runs/", 9) == 0)
        ask_for("/v1/runs", "items", "id", sizeof id, id);
    else if (strncmp(contract_path, "/v1/models/", 11) == 0)
        strcpy(id, "small");
    else if (strncmp(contract_path, "/v1/players/", 12) == 0)
        strcpy(id, "mine");
    else if (strncmp(contract_path, "/v1/schemas/", 12) == 0)
        strcpy(id, "shot");
    else if (strncmp(contract_path, "/v1/job-kinds/", 14) == 0)
        strcpy(id, "match");
    else if (strncmp(contract_path, "/v1/games/", 10) == 0)
        strcpy(id, "1-0-0");
    else if (strncmp(contract_path, "/v1/nodes/", 10) == 0)
        strcpy(id, "lab");
    else if (strncmp(contract_path, "/v1/blobs/", 10) == 0)
        ask_for("/v1/models", "items", "sha256", sizeof id, id);
    else if (strncmp(contract_path, "/v1/reviews/", 12) == 0)
        ask_for("/v1/jobs?kind=review", "items", "id", sizeof id, id), strcat(id, ".html");
    else if (strcmp(contract_path, "/v1/jobs/{id}/game") == 0)
        strcpy(id, "4");
    if (strcmp(contract_path, "/v1/runs/{id}/checkpoints/{step}") == 0) {
        snprintf(ret_path, PATH_BYTES, "/v1/runs/%s/checkpoints/1", id);
    } else if (strncmp(contract_path, "/v1/shots/{id}", 14) == 0) {
        static const char *const headers[] = {"Content-Type: application/json",
                                              "Prefer: respond-async", NULL};
        const struct client_call call = {
            .method = "POST", .path = "/v1/shots", .body = SHOT "}", .header = headers};
        struct reply shot = client_call(daemon_here.port, &call);
        assert_int_equal(shot.status, 202);
        reply_header(&shot, "Location", sizeof path, path);
        reply_free(&shot);
        snprintf(ret_path, PATH_BYTES, "%s%s", path, contract_path + 14);
    } else if (strncmp(contract_path, "/assets/", 8) == 0) {
        static const char *const html[] = {"Accept: text/html", NULL};
        struct reply page =
            client_call(daemon_here.port, &(struct client_call){.path = "/", .header = html});
        const char *at = strstr(page.text, "\"assets/");
        assert_non_null(at);
        snprintf(ret_path, PATH_BYTES, "/%.*s", (int)strcspn(at + 1, "\"'"), at + 1);
        reply_free(&page);
    } else {
        fill(contract_path, id, ret_path);
    }
    return ret_path;
}

static void is_not_sent_again(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    expect_with_header(method, path, existing(path, filled), "If-None-Match: *", NULL, 304);
}

static void sends_a_part(const char *method, const char *path)
{
    char filled[PATH_BYTES];
    const char *const headers[] = {"Range: bytes=1-3", NULL};
    const struct client_call call = {.path = existing(path, filled), .header = headers};
    struct reply reply = ask(method, path, &call, 206);

    assert_int_equal(reply.bytes, 3);
    reply_free(&reply);
}

static void has_no_part_behind_its_end(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    expect_with_header(method, path, existing(path, filled), "Range: bytes=99999999-", NULL, 416);
}

static void unchanged_is_304_and_a_range_is_206(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    for_all_with(304, is_not_sent_again);
    for_all_with(206, sends_a_part);
    for_all_with(416, has_no_part_behind_its_end);
    expect_with_header("GET", "/v1/runs/{id}/metrics", existing("/v1/runs/{id}/metrics", path),
                       "Accept: image/png", NULL, 406);
}

/* The newest ladder, which followed from a match. */
static long long internal_job(void)
{
    struct reply reply =
        ask("GET", "/v1/jobs", &(struct client_call){.path = "/v1/jobs?kind=rate&limit=1"}, 200);
    long long id = json_integer_value(
        json_object_get(json_array_get(json_object_get(reply.json, "items"), 0), "id"));

    reply_free(&reply);
    return id;
}

static void forbidden_moves_are_409(void **state)
{
    char puzzles[PATH_BYTES];
    static const char *const key[] = {"Idempotency-Key: twice", "Content-Type: application/json",
                                      NULL};
    struct client_call call = {.path = "/v1/jobs", .header = key, .body = SMALL_MATCH(LATER)};
    char path[PATH_BYTES];

    (void)state;
    struct reply reply = ask("POST", "/v1/jobs", &call, 202);
    reply_free(&reply);
    call.body = SMALL_MATCH(LATER ",\"priority\":1");
    reply = ask("POST", "/v1/jobs", &call, 409);
    reply_free(&reply);
    call = (struct client_call){.path = "/v1/library", .header = key, .body = KEPT};
    reply = ask("POST", "/v1/library", &call, 201);
    reply_free(&reply);
    call.body = POSITION ",\"title\":\"another\"}";
    reply = ask("POST", "/v1/library", &call, 409);
    reply_free(&reply);
    puzzles_path(puzzles);
    call = (struct client_call){.path = puzzles, .header = key, .body = "{\"most\":1}"};
    reply = ask("POST", "/v1/reviews/{id}/puzzles", &call, 200);
    reply_free(&reply);
    call.body = "{\"most\":2}";
    reply = ask("POST", "/v1/reviews/{id}/puzzles", &call, 409);
    reply_free(&reply);
    expect("DELETE", "/v1/jobs/{id}", "/v1/jobs/1", NULL, 409);
    expect("POST", "/v1/jobs/{id}/cancel", "/v1/jobs/4/cancel", NULL, 409);
    expect("POST", "/v1/jobs/{id}/pause", "/v1/jobs/4/pause", NULL, 409);
    expect("POST", "/v1/jobs/{id}/resume", "/v1/jobs/1/resume", NULL, 409);
    expect("POST", "/v1/jobs/{id}/kick", "/v1/jobs/1/kick", NULL, 409);
    expect("POST", "/v1/jobs/{id}/priority", "/v1/jobs/4/priority", "{\"priority\":1}", 409);
    snprintf(path, sizeof path, "/v1/jobs/%lld/repeat", internal_job());
    expect("POST", "/v1/jobs/{id}/repeat", path, NULL, 409);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"mine\",\"spec\":\"rink\"}", 409);
    expect("DELETE", "/v1/players/{name}", "/v1/players/rink", NULL, 409);
    daemon_fill_webhooks(&daemon_here);
    expect("POST", "/v1/webhooks/{id}/test", "/v1/webhooks/1/test", NULL, 409);
    for (int k = 1; k < WEBHOOKS_MAX; k++)
        expect_post("/v1/webhooks", HOOK, 201);
    expect("POST", "/v1/webhooks", "/v1/webhooks", HOOK, 409);
    expect("DELETE", "/v1/webhooks/{id}", "/v1/webhooks/3", NULL, 204); /* room for one more */
    assert_int_equal(upload("best"), 409);
    contract_met("PUT", "/v1/models/{name}", 409);
    expect("DELETE", "/v1/models/{name}", "/v1/models/small", NULL, 409);
    assert_int_equal(upload("free"), 201);
    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/small", NULL, 409);
}

static void nodes_and_blobs_are_409(void **state)
{
    static const char *const key[] = {"Idempotency-Key: node", "Content-Type: application/json",
                                      NULL};
    static const char *const piece[] = {"Content-Range: bytes 5-6/9",
                                        "Content-Type: application/octet-stream", NULL};
    struct client_call call = {.path = "/v1/nodes", .header = key, .body = NODE("")};
    char path[PATH_BYTES], session[33];

    (void)state;
    struct reply reply = ask("POST", "/v1/nodes", &call, 201);
    snprintf(session, sizeof session, "%s",
             json_string_value(json_object_get(reply.json, "session")));
    reply_free(&reply);
    call.body = NODE(",\"gpu\":\"none\"");
    reply = ask("POST", "/v1/nodes", &call, 409);
    reply_free(&reply);
    expect("POST", "/v1/nodes/{name}/claim", "/v1/nodes/lab/claim",
           "{\"session\":\"" SESSION "\",\"cores\":1,\"wait_s\":0,\"tokens\":[]}", 409);
    expect("POST", "/v1/nodes/{name}/lines", "/v1/nodes/lab/lines",
           "{\"session\":\"" SESSION "\",\"tasks\":[]}", 409);
    expect("POST", "/v1/nodes/{name}/leave", "/v1/nodes/lab/leave", "{\"session\":\"" SESSION "\"}",
           409);
    snprintf(path, sizeof path, "{\"session\":\"%s\"}", session);
    expect("POST", "/v1/nodes/{name}/leave", "/v1/nodes/lab/leave", path, 204);
    expect("POST", "/v1/nodes/{name}/pause", "/v1/nodes/lab/pause", NULL, 409);
    expect("POST", "/v1/nodes/{name}/resume", "/v1/nodes/lab/resume", NULL, 409);
    expect("POST", "/v1/nodes/{name}/drain", "/v1/nodes/lab/drain", NULL, 409);
    call = (struct client_call){
        .path = fill("/v1/blobs/{sha256}", "", path), .header = piece, .body = "ab", .bytes = 2};
    reply = ask("PUT", "/v1/blobs/{sha256}", &call, 409);
    reply_free(&reply);
}

/* ---- no room on the disk ---- */

static void a_full_disk_is_507(void **state)
{
    char puzzles[PATH_BYTES];
    const struct rlimit none = {0, 0};
    char run[PATH_BYTES];

    (void)state;
    existing("/v1/runs/{id}", run);
    assert_int_equal(prlimit(daemon_here.pid, RLIMIT_FSIZE, &none, NULL), 0);
    expect("POST", "/v1/jobs", "/v1/jobs", SMALL_MATCH(""), 507);
    expect("POST", "/v1/jobs/{id}/pause", "/v1/jobs/1/pause", NULL, 507);
    expect("POST", "/v1/jobs/{id}/cancel", "/v1/jobs/1/cancel", NULL, 507);
    expect("POST", "/v1/jobs/{id}/resume", "/v1/jobs/2/resume", NULL, 507);
    expect("POST", "/v1/jobs/{id}/kick", "/v1/jobs/3/kick", NULL, 507);
    expect("POST", "/v1/jobs/{id}/priority", "/v1/jobs/1/priority", "{\"priority\":1}", 507);
    expect("POST", "/v1/jobs/{id}/repeat", "/v1/jobs/4/repeat", NULL, 507);
    expect("POST", "/v1/jobs/cancel", "/v1/jobs/cancel", "{\"all\":true}", 507);
    expect("POST", "/v1/jobs/delete", "/v1/jobs/delete", "{\"all\":true}", 507);
    expect("POST", "/v1/jobs/priority", "/v1/jobs/priority", "{\"all\":true,\"priority\":1}", 507);
    expect("DELETE", "/v1/jobs/{id}", "/v1/jobs/4", NULL, 507);
    expect("PATCH", "/v1/runs/{id}", run, "{\"tags\":{\"a\":\"b\"}}", 507);
    expect("DELETE", "/v1/models/{name}", "/v1/models/free", NULL, 507);
    expect("PATCH", "/v1/models/{name}", "/v1/models/small", "{\"card\":{\"a\":1}}", 507);
    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/new", NULL, 507);
    expect("DELETE", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/best", NULL,
           507);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"other\",\"spec\":\"rink\"}", 507);
    expect("DELETE", "/v1/players/{name}", "/v1/players/mine", NULL, 507);
    expect("POST", "/v1/webhooks", "/v1/webhooks", HOOK, 507);
    expect("POST", "/v1/webhooks/{id}/test", "/v1/webhooks/2/test", NULL, 507);
    expect("DELETE", "/v1/webhooks/{id}", "/v1/webhooks/2", NULL, 507);
    expect("POST", "/v1/library", "/v1/library", KEPT, 507);
    expect("PATCH", "/v1/library/{id}", "/v1/library/1", "{\"note\":\"x\"}", 507);
    expect("DELETE", "/v1/library/{id}", "/v1/library/1", NULL, 507);
    puzzles_path(puzzles);
    expect("POST", "/v1/reviews/{id}/puzzles", puzzles, NULL, 507);
    expect("POST", "/v1/backup", "/v1/backup", NULL, 507);
    expect("GET", "/v1/export", "/v1/export", NULL, 507);
    assert_int_equal(upload("large"), 507);
    contract_met("PUT", "/v1/models/{name}", 507);
    /* Reading still works. */
    expect("GET", "/v1/jobs/{id}", "/v1/jobs/1", NULL, 200);
}

/* ---- workers that do not answer, and the end ---- */

/* Puts a script in place of a program. */
static void put_script(const char *name, const char *text)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", daemon_here.programs, name);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void no_answer_in_time_is_504(void **state)
{
    (void)state;
    expect("POST", "/v1/shots", "/v1/shots", SHOT ",\"timeout_ms\":20}", 504);
    expect("POST", "/v1/maps", "/v1/maps", POSITION ",\"timeout_ms\":20}", 504);
    expect("POST", "/v1/calls", "/v1/calls",
           POSITION
           ",\"calls\":[{\"aim\":{\"x\":0,\"y\":38},\"rotation\":\"cw\"}],\"timeout_ms\":20}",
           504);
    expect("POST", "/v1/simulations", "/v1/simulations", THROW ",\"timeout_ms\":20}", 504);
    expect("POST", "/v1/skills", "/v1/skills",
           "{\"profile\":\"dc3\",\"timeout_ms\":20,\"shots\":[" CALLED "," CALLED "," CALLED
           "," CALLED "," CALLED "]}",
           504);
}

static void is_told_to_come_again(const char *method, const char *path)
{
    char filled[PATH_BYTES];

    if (strcmp(method, "GET") != 0)
        expect(method, path, fill(path, "1", filled), NULL, 503);
}

/* A worker that ignores messages keeps the daemon from ending. */
static void an_ending_service_is_503(void **state)
{
    (void)state;
    expect("GET", "/readyz", "/readyz", NULL, 503);
    expect_post("/v1/jobs", SMALL_MATCH(""), 202);
    for (char job[16] = ""; strcmp(job, "leased") != 0;)
        ask_for("/v1/jobs?limit=1", "items", "state", sizeof job, job);
    assert_int_equal(kill(daemon_here.pid, SIGTERM), 0);
    for (long status = 0; status != 503;) { /* the daemon has got the signal */
        struct reply reply = client_post(daemon_here.port, "/v1/jobs", "{}");
        status = reply.status;
        reply_free(&reply);
    }
    for_all_with(503, is_told_to_come_again);
    expect("GET", "/v1/export", "/v1/export", NULL, 503);
}

/* ---- the daemons ---- */

static void start_daemon(const char *const *flags)
{
    int status = 0;

    if (daemon_start(&daemon_here, flags, &status))
        return;
    char *log = daemon_log(&daemon_here);
    print_error("%s\n", log);
    free(log);
    fail_msg("the daemon ended with %d", status);
}

static int start_plain(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN); /* makes the daemon's writes beyond the limit fail instead */
    daemon_prepare(&daemon_here);
    start_daemon(NULL);
    daemon_wait_ready(&daemon_here);
    fill_service();
    return 0;
}

static int end(void **state)
{
    (void)state;
    daemon_remove(&daemon_here);
    return 0;
}

/* The caller may have one waiting job, and a second one is buried. */
static void a_full_caller_is_429(void)
{
    static const char writer[] = "Authorization: Bearer writer";
    sqlite3 *db;
    char path[PATH_BYTES];

    expect_with_header("POST", "/v1/jobs", "/v1/jobs", writer, SMALL_MATCH(LATER), 202);
    snprintf(path, sizeof path, "%s/rinkd.db", daemon_here.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, PATIENCE_MS);
    assert_int_equal(sqlite3_exec(db, "UPDATE job SET state = 'buried', due = 0, finished_ms = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    expect_with_header("POST", "/v1/jobs", "/v1/jobs", writer, SMALL_MATCH(LATER), 202);
    expect_with_header("POST", "/v1/jobs", "/v1/jobs", writer, SMALL_MATCH(LATER), 429);
    expect_with_header("POST", "/v1/jobs/{id}/repeat", "/v1/jobs/1/repeat", writer, NULL, 429);
    expect_with_header("POST", "/v1/jobs/{id}/kick", "/v1/jobs/1/kick", writer, NULL, 429);
}

/* The file would be larger than the caller's room. */
static void a_full_room_for_files_is_429(void)
{
    static const char *const piece[] = {"Content-Range: bytes 0-1/1100000",
                                        "Content-Type: application/octet-stream",
                                        "Authorization: Bearer worker", NULL};
    char path[PATH_BYTES];
    const struct client_call call = {
        .path = fill("/v1/blobs/{sha256}", "", path), .header = piece, .body = "ab", .bytes = 2};
    struct reply reply = ask("PUT", "/v1/blobs/{sha256}", &call, 429);

    reply_free(&reply);
}

static void callers_are_401_403_and_429(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    daemon_prepare(&daemon_here);
    snprintf(path, sizeof path, "%s/tokens", daemon_here.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("reader read 3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30\n", file);
    fputs("writer train b93006774cbdd4b299389a03ac3d88c3a76b460d538795bc12718011a909fba5 jobs=1\n",
          file);
    fputs("worker work 87eba76e7f3164534045ba922e7770fb58bbd14ad732bbf5ba6f11cc56989e6e\n", file);
    assert_int_equal(fclose(file), 0);
    start_daemon((const char *[]){"--tokens", path, "--blobs-mib-max", "1", NULL});
    for_all_with(401, needs_a_token);
    for_all_with(403, needs_more_than_reading);
    a_full_caller_is_429();
    a_full_room_for_files_is_429();
}

static int start_silent(void **state)
{
    (void)state;
    daemon_prepare(&daemon_here);
    put_script("rink-search",
               "[ \"$1\" != --list-players ] || exec '" RINK_SEARCH "' \"$@\"\nexec sleep 100");
    put_script("rink-simulate", "exec sleep 100");
    put_script("rink-evaluate", "trap '' TERM\nexec sleep 100");
    start_daemon(NULL);
    return 0;
}

static void every_operation_of_the_contract_was_called(void **state)
{
    (void)state;
    contract_assert_all_met(206, 599, NULL);
}

int main(void)
{
    const struct CMUnitTest plain[] = {
        cmocka_unit_test(unknown_parameters_are_400),
        cmocka_unit_test(bodies_have_a_length_a_bound_and_a_type),
        cmocka_unit_test(unknown_fields_are_422),
        cmocka_unit_test(missing_resources_are_404),
        cmocka_unit_test(a_large_head_is_431),
        cmocka_unit_test(unchanged_is_304_and_a_range_is_206),
        cmocka_unit_test(forbidden_moves_are_409),
        cmocka_unit_test(nodes_and_blobs_are_409),
        cmocka_unit_test(a_full_disk_is_507),
    };
    const struct CMUnitTest callers[] = {
        cmocka_unit_test(callers_are_401_403_and_429),
    };
    const struct CMUnitTest silent[] = {
        cmocka_unit_test(no_answer_in_time_is_504),
        cmocka_unit_test(an_ending_service_is_503),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_operation_of_the_contract_was_called),
    };

    contract_load(OPENAPI_YAML);
    int failed = cmocka_run_group_tests(plain, start_plain, end);
    failed += cmocka_run_group_tests(callers, NULL, end);
    failed += cmocka_run_group_tests(silent, start_silent, end);
    failed += cmocka_run_group_tests(all, NULL, NULL);
    return failed;
}
