/* What nodes say over HTTP, by hand: lines count once and in order, files have the right bytes, and
 * whatever is wrong is refused and changes nothing. */
#include "tests/api/client.h"
#include "tests/api/contract.h"
#include "tests/cluster/cluster.h"

#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define GOLDEN "\"golden\":{\"throws/dc2\":\"0123456789abcdef\"}"

static struct daemon_process daemon_1;

static int start(void **state)
{
    static const char *const flags[] = {"--workers", "1", "--check-percent", "0", NULL};

    *state = &daemon_1;
    cluster_prepare(&daemon_1);
    cluster_slow_down(&daemon_1); /* so that there are tasks for us */
    cluster_start_daemon(&daemon_1, flags);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_1) ? 0 : -1;
}

/* ---- asking ---- */

/* Notes an answer: "/v1/nodes/one/claim" is "/v1/nodes/{name}/claim" of the contract. */
static void meet(const char *method, const char *path, long status)
{
    char form[96] = "/v1/nodes";

    if (strncmp(path, "/v1/blobs/", 10) == 0) {
        snprintf(form, sizeof form, "/v1/blobs/{sha256}");
    } else if (strncmp(path, "/v1/nodes/", 10) == 0) {
        const char *rest = strchr(path + 10, '/');
        snprintf(form, sizeof form, "/v1/nodes/{name}%s", rest ? rest : "");
    }
    contract_met(method, form, status);
}

static struct reply get(const char *path)
{
    struct reply reply = client_get(daemon_1.port, path);

    meet("GET", path, reply.status);
    return reply;
}

static struct reply post_nothing(const char *path)
{
    struct reply reply = client_post(daemon_1.port, path, NULL);

    meet("POST", path, reply.status);
    return reply;
}

static struct reply post(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static struct reply post(const char *path, const char *format, ...)
{
    char *body = NULL;
    va_list arguments;

    va_start(arguments, format);
    assert_true(vasprintf(&body, format, arguments) >= 0);
    va_end(arguments);
    struct reply reply = client_post(daemon_1.port, path, body);
    free(body);
    meet("POST", path, reply.status);
    return reply;
}

static void assert_refused(struct reply reply, long status, const char *words)
{
    if (reply.status != status || !strstr(reply.text, words))
        fail_msg("not %ld with '%s': %ld %s", status, words, reply.status, reply.text);
    reply_free(&reply);
}

static void register_node(const char *name, char ret_session[33])
{
    struct reply reply =
        post("/v1/nodes", "{\"name\":\"%s\",\"cores\":4,\"versions\":{\"protocol\":2}," GOLDEN "}",
             name);

    assert_int_equal(reply.status, 201);
    snprintf(ret_session, 33, "%s", json_string_value(json_object_get(reply.json, "session")));
    reply_free(&reply);
}

struct given {
    char session[33], token[33], record[CLUSTER_RECORD + 1], sha256[CLUSTER_HASH];
    int64_t job, number;
};

/* Registers a node and claims a task of a new job. */
static struct given claim(const char *name)
{
    struct given given;
    char path[64];
    int64_t job = cluster_add(&daemon_1, 40, 7);

    register_node(name, given.session);
    snprintf(path, sizeof path, "/v1/nodes/%s/claim", name);
    struct reply reply =
        post(path, "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", given.session);
    const json_t *task = json_object_get(reply.json, "task");
    assert_int_equal(reply.status, 200);
    given.job = json_integer_value(json_object_get(task, "job"));
    assert_true(given.job <= job);
    given.number = json_integer_value(json_object_get(task, "number"));
    snprintf(given.token, sizeof given.token, "%s",
             json_string_value(json_object_get(task, "token")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(task, "line"), "folder")),
                        "{folder}");
    reply_free(&reply);
    cluster_record(given.number, 7, given.record);
    cluster_hash(given.record, CLUSTER_RECORD, given.sha256);
    return given;
}

static struct reply put(const char *sha256, const char *range, const char *bytes, size_t size)
{
    char path[96];
    const char *const headers[] = {"Content-Type: application/octet-stream", range, NULL};

    snprintf(path, sizeof path, "/v1/blobs/%s", sha256);
    struct reply reply = client_call(
        daemon_1.port,
        &(struct client_call){
            .method = "PUT", .path = path, .body = bytes, .bytes = size, .header = headers});
    meet("PUT", path, reply.status);
    return reply;
}

static struct reply say(const char *node, const struct given *given, int from, const char *lines)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/nodes/%s/lines", node);
    return post(path,
                "{\"session\":\"%s\",\"tasks\":[{\"job\":%lld,\"number\":%lld,\"token\":\"%s\","
                "\"from\":%d,\"lines\":[%s]}]}",
                given->session, (long long)given->job, (long long)given->number, given->token, from,
                lines);
}

static void assert_acknowledged(struct reply reply, int64_t count, const char *wish)
{
    const json_t *task = json_array_get(json_object_get(reply.json, "tasks"), 0);
    const char *own = json_string_value(json_object_get(task, "wish"));

    if (reply.status != 200)
        fail_msg("%ld %s", reply.status, reply.text);
    assert_int_equal(json_integer_value(json_object_get(task, "acknowledged")), count);
    assert_true(own && wish ? strcmp(own, wish) == 0 : own == wish);
    reply_free(&reply);
}

#define DONE "{\"type\":\"done\",\"result\":{\"pair\":1}}"

static void output_line(const struct given *given, const char *name, char ret_line[256])
{
    snprintf(ret_line, 256, "{\"type\":\"output\",\"path\":\"%s\",\"sha256\":\"%s\"}", name,
             given->sha256);
}

/* ---- lines ---- */

static void lines_count_once_and_in_order(void **state)
{
    struct given given = claim("hand");
    char name[64], line[256], both[512];

    (void)state;
    snprintf(name, sizeof name, "task-%lld.out", (long long)given.number);
    output_line(&given, name, line);
    struct reply reply = put(given.sha256, NULL, given.record, CLUSTER_RECORD);
    assert_int_equal(reply.status, 201);
    reply_free(&reply);

    assert_acknowledged(say("hand", &given, 1, ""), 0, NULL); /* only a beat */
    assert_refused(say("hand", &given, 2, DONE), 409, "those from 1 on are missing");
    assert_acknowledged(say("hand", &given, 1, line), 1, NULL);
    assert_acknowledged(say("hand", &given, 1, line), 1, NULL);
    snprintf(both, sizeof both, "%s," DONE, line);
    assert_acknowledged(say("hand", &given, 1, both), 2, NULL);
    assert_acknowledged(say("hand", &given, 1, both), 2, "stop"); /* it is over */
    assert_acknowledged(say("hand", &given, 2, DONE), 2, "stop");
}

static void a_bad_line_changes_nothing(void **state)
{
    struct given given = claim("bad");
    char name[64], line[256], two[512];

    (void)state;
    snprintf(name, sizeof name, "task-%lld.out", (long long)given.number);
    memset(given.sha256, 'e', CLUSTER_HASH - 1);
    output_line(&given, name, line);
    assert_refused(say("bad", &given, 1, line), 422, "/tasks/0/lines/0/sha256");
    snprintf(two, sizeof two, "{\"type\":\"metrics\",\"rows\":[]},%s", line);
    assert_refused(say("bad", &given, 1, two), 422, "/tasks/0/lines/1/sha256");
    assert_refused(say("bad", &given, 1, "{\"type\":\"merged\",\"through\":1}"), 422,
                   "nothing that a node says");
    assert_refused(say("bad", &given, 1, DONE "," DONE), 422, "comes after the last word");
    assert_refused(say("bad", &given, 1, "{\"type\":\"done\"}"), 422, "/tasks/0/lines/0/result");
    assert_refused(say("bad", &given, 1, "7"), 422, "must be an object");
    output_line(&given, "records.jsonl", line);
    assert_refused(say("bad", &given, 1, line), 422, "must begin with");
    assert_acknowledged(say("bad", &given, 1, ""), 0, NULL); /* nothing of it is here */

    struct given other = given;
    memset(other.session, '0', 32);
    assert_refused(say("bad", &other, 1, ""), 409, "another process has registered");
    other = given;
    memset(other.token, '0', 32);
    assert_acknowledged(say("bad", &other, 1, DONE), 0, "stop");
    assert_refused(say("nobody", &given, 1, ""), 404, "no node nobody");
}

static void a_task_whose_answer_was_lost_goes_back(void **state)
{
    struct given given = claim("lossy");

    (void)state;
    struct reply reply =
        post("/v1/nodes/lossy/claim",
             "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", given.session);
    const json_t *task = json_object_get(reply.json, "task");
    assert_int_equal(reply.status, 200);
    assert_string_not_equal(json_string_value(json_object_get(task, "token")), given.token);
    reply_free(&reply);
    assert_acknowledged(say("lossy", &given, 1, DONE), 0, "stop");
}

static void a_node_of_another_version_hears_what_differs(void **state)
{
    (void)state;
    assert_refused(post("/v1/nodes",
                        "{\"name\":\"new\",\"cores\":1,\"versions\":{\"protocol\":9}," GOLDEN "}"),
                   422, "protocol 9, this service 2");
    char session[33];
    register_node("same", session);
    struct reply reply =
        post("/v1/nodes", "{\"name\":\"other\",\"cores\":1,\"versions\":{\"protocol\":2},"
                          "\"golden\":{\"throws/dc2\":\"77\"},\"kinds\":[\"match\"]}");
    const json_t *refused = json_array_get(json_object_get(reply.json, "refused"), 0);
    assert_int_equal(reply.status, 201);
    assert_int_equal(json_array_size(json_object_get(reply.json, "kinds")), 0);
    assert_non_null(strstr(json_string_value(json_object_get(refused, "reason")),
                           "throws/dc2 of rink-evaluate is 77 there and 0123456789abcdef here"));
    reply_free(&reply);
}

/* It keeps its session over a start of the daemon. */
static void a_node_that_registered_before_an_upgrade_hears_it(void **state)
{
    char session[33];

    (void)state;
    register_node("old", session);
    daemon_change_database(&daemon_1,
                           "UPDATE node SET versions = '{\"protocol\":1}' WHERE name = 'old'");
    assert_refused(post("/v1/nodes/old/claim",
                        "{\"session\":\"%s\",\"cores\":4,\"wait_s\":1,\"tokens\":[]}", session),
                   403, "the node speaks protocol 1, this service 2; install the same version");
    assert_refused(post("/v1/nodes/old/lines", "{\"session\":\"%s\",\"tasks\":[]}", session), 403,
                   "protocol 1, this service 2");
    register_node("old", session);
    struct reply reply = post("/v1/nodes/old/leave", "{\"session\":\"%s\"}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
}

static void a_paused_node_gets_nothing_and_a_suspended_one_hears_why(void **state)
{
    char session[33];

    (void)state;
    register_node("idle", session);
    struct reply reply = post_nothing("/v1/nodes/idle/pause");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    cluster_add(&daemon_1, 40, 7);
    reply = post("/v1/nodes/idle/claim",
                 "{\"session\":\"%s\",\"cores\":4,\"wait_s\":1,\"tokens\":[]}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    reply = post_nothing("/v1/nodes/idle/resume");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = post("/v1/nodes/idle/claim",
                 "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", session);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = post("/v1/nodes/idle/leave", "{\"session\":\"%s\"}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    assert_refused(post_nothing("/v1/nodes/idle/drain"), 409, "wrong-state");
}

/* ---- blobs ---- */

static void assert_have(struct reply reply, long status, int64_t bytes, bool complete)
{
    if (reply.status != status)
        fail_msg("not %ld: %ld %s", status, reply.status, reply.text);
    assert_int_equal(json_integer_value(json_object_get(reply.json, "bytes")), bytes);
    assert_int_equal(json_is_true(json_object_get(reply.json, "complete")), complete);
    reply_free(&reply);
}

static void blobs_come_in_pieces_and_only_with_the_right_hash(void **state)
{
    static const char bytes[] = "zero one two three";
    char sha256[CLUSTER_HASH], path[96];

    (void)state;
    cluster_hash(bytes, 18, sha256);
    snprintf(path, sizeof path, "/v1/blobs/%s", sha256);
    assert_refused(put(sha256, NULL, "something else", 14), 422, "SHA-256");
    assert_refused(get(path), 404, "not-found");
    assert_have(put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    assert_refused(put(sha256, "Content-Range: bytes 10-17/18", bytes + 10, 8), 409,
                   "but 9 have come");
    assert_refused(put(sha256, "Content-Range: bytes 9-16/18", bytes + 9, 9), 400, "Content-Range");
    assert_have(put(sha256, "Content-Range: bytes 4-12/18", bytes + 4, 9), 202, 13, false);
    assert_refused(get(path), 404, "not-found"); /* not before all is here */
    assert_have(put(sha256, "Content-Range: bytes 13-17/18", bytes + 13, 5), 201, 18, true);
    struct reply reply = get(path);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.bytes, 18);
    assert_memory_equal(reply.text, bytes, 18);
    reply_free(&reply);

    memset(sha256, 'a', CLUSTER_HASH - 1);
    assert_have(put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    assert_refused(put(sha256, "Content-Range: bytes 9-17/18", bytes + 9, 9), 422, "dropped");
    assert_have(put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    assert_refused(put("..%2F..%2Frinkd.db", NULL, bytes, 18), 400, "64 hexadecimal digits");
    assert_refused(get("/v1/blobs/..%2Frinkd.db"), 400, "hexadecimal");
}

static void nodes_are_shown_drained_and_forgotten(void **state)
{
    char session[33];

    (void)state;
    register_node("seen", session);
    struct reply reply = get("/v1/nodes");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = post_nothing("/v1/nodes/seen/drain");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = post("/v1/nodes/seen/claim",
                 "{\"session\":\"%s\",\"cores\":1,\"wait_s\":60,\"tokens\":[]}", session);
    assert_string_equal(json_string_value(json_object_get(reply.json, "wish")), "drain");
    reply_free(&reply);
    reply = get("/v1/nodes/seen");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "draining");
    reply_free(&reply);
    reply = client_call(daemon_1.port,
                        &(struct client_call){.method = "DELETE", .path = "/v1/nodes/seen"});
    meet("DELETE", "/v1/nodes/seen", reply.status);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    assert_refused(get("/v1/nodes/seen"), 404, "no node seen");
}

static bool is_of_nodes(const char *contract_path)
{
    return strncmp(contract_path, "/v1/nodes", 9) == 0 ||
           strncmp(contract_path, "/v1/blobs", 9) == 0;
}

static void every_operation_of_the_contract_was_called(void **state)
{
    (void)state;
    contract_assert_all_met(200, 205, is_of_nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_count_once_and_in_order),
        cmocka_unit_test(a_bad_line_changes_nothing),
        cmocka_unit_test(a_task_whose_answer_was_lost_goes_back),
        cmocka_unit_test(a_node_of_another_version_hears_what_differs),
        cmocka_unit_test(a_node_that_registered_before_an_upgrade_hears_it),
        cmocka_unit_test(a_paused_node_gets_nothing_and_a_suspended_one_hears_why),
        cmocka_unit_test(blobs_come_in_pieces_and_only_with_the_right_hash),
        cmocka_unit_test(nodes_are_shown_drained_and_forgotten),
        cmocka_unit_test(every_operation_of_the_contract_was_called),
    };

    if (sodium_init() < 0)
        return 2;
    contract_load(OPENAPI_YAML);
    return cmocka_run_group_tests(tests, start, end);
}
