/* What nodes say over HTTP, by hand: lines count once and in order, files have the right bytes, and
 * whatever is wrong is refused and changes nothing. */
#include "tests/api/contract.h"
#include "tests/cluster/hand.h"

#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static int start(void **state)
{
    static const char *const flags[] = {"--workers", "1", "--check-percent", "0", "--blobs-mib-max",
                                        "1",         NULL};

    *state = &daemon_here;
    cluster_prepare(&daemon_here);
    cluster_slow_down(&daemon_here); /* so that there are tasks for us */
    cluster_start_daemon(&daemon_here, flags);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_here) ? 0 : -1;
}

/* Registers a node and claims a task of a new job. */
static struct hand_task claim(const char *name)
{
    char session[HAND_SESSION];
    int64_t job = cluster_add(&daemon_here, 40, 7);

    hand_register(name, NULL, session);
    struct hand_task given = hand_claim(name, session);
    json_decref(given.line);
    assert_true(given.job <= job);
    return given;
}

#define DONE "{\"type\":\"done\",\"result\":{\"pair\":1}}"

static void output_line(const struct hand_task *given, const char *name, char ret_line[256])
{
    snprintf(ret_line, 256, "{\"type\":\"output\",\"path\":\"%s\",\"sha256\":\"%s\"}", name,
             given->sha256);
}

/* ---- lines ---- */

static void lines_count_once_and_in_order(void **state)
{
    struct hand_task given = claim("hand");
    char name[64], line[256], both[512];

    (void)state;
    snprintf(name, sizeof name, "task-%lld.out", (long long)given.number);
    output_line(&given, name, line);
    struct reply reply = hand_put(given.sha256, NULL, given.record, CLUSTER_RECORD);
    assert_int_equal(reply.status, 201);
    reply_free(&reply);

    hand_assert_acknowledged(hand_say(&given, 1, ""), 0, NULL); /* only a beat */
    hand_assert_refused(hand_say(&given, 2, DONE), 409, "those from 1 on are missing");
    hand_assert_acknowledged(hand_say(&given, 1, line), 1, NULL);
    hand_assert_acknowledged(hand_say(&given, 1, line), 1, NULL);
    snprintf(both, sizeof both, "%s," DONE, line);
    hand_assert_acknowledged(hand_say(&given, 1, both), 2, NULL);
    hand_assert_acknowledged(hand_say(&given, 1, both), 2, "stop"); /* it is over */
    hand_assert_acknowledged(hand_say(&given, 2, DONE), 2, "stop");
}

static void a_bad_line_changes_nothing(void **state)
{
    struct hand_task given = claim("bad");
    char name[64], line[256], two[512];

    (void)state;
    snprintf(name, sizeof name, "task-%lld.out", (long long)given.number);
    memset(given.sha256, 'e', CLUSTER_HASH - 1);
    output_line(&given, name, line);
    hand_assert_refused(hand_say(&given, 1, line), 422, "/tasks/0/lines/0/sha256");
    snprintf(two, sizeof two, "{\"type\":\"metrics\",\"rows\":[]},%s", line);
    hand_assert_refused(hand_say(&given, 1, two), 422, "/tasks/0/lines/1/sha256");
    hand_assert_refused(hand_say(&given, 1, "{\"type\":\"merged\",\"through\":1}"), 422,
                        "nothing that a node says");
    hand_assert_refused(hand_say(&given, 1, DONE "," DONE), 422, "comes after the last word");
    hand_assert_refused(hand_say(&given, 1, "{\"type\":\"done\"}"), 422, "/tasks/0/lines/0/result");
    hand_assert_refused(hand_say(&given, 1, "7"), 422, "must be an object");
    output_line(&given, "records.jsonl", line);
    hand_assert_refused(hand_say(&given, 1, line), 422, "must begin with");
    hand_assert_acknowledged(hand_say(&given, 1, ""), 0, NULL); /* nothing of it is here */

    struct hand_task other = given;
    memset(other.session, '0', 32);
    hand_assert_refused(hand_say(&other, 1, ""), 409, "another process has registered");
    other = given;
    memset(other.token, '0', 32);
    hand_assert_acknowledged(hand_say(&other, 1, DONE), 0, "stop");
    other = given;
    snprintf(other.node, sizeof other.node, "nobody");
    hand_assert_refused(hand_say(&other, 1, ""), 404, "no node nobody");
}

static void a_task_whose_answer_was_lost_goes_back(void **state)
{
    struct hand_task given = claim("lossy");

    (void)state;
    struct reply reply =
        hand_post("/v1/nodes/lossy/claim",
                  "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", given.session);
    const json_t *task = json_object_get(reply.json, "task");
    assert_int_equal(reply.status, 200);
    assert_string_not_equal(json_string_value(json_object_get(task, "token")), given.token);
    reply_free(&reply);
    hand_assert_acknowledged(hand_say(&given, 1, DONE), 0, "stop");
}

static void a_node_of_another_version_hears_what_differs(void **state)
{
    (void)state;
    hand_assert_refused(
        hand_post("/v1/nodes",
                  "{\"name\":\"new\",\"cores\":1,\"versions\":{\"protocol\":9}," HAND_GOLDEN "}"),
        422, "protocol 9, this service 3");
    char session[HAND_SESSION];
    hand_register("same", NULL, session);
    struct reply reply =
        hand_post("/v1/nodes", "{\"name\":\"other\",\"cores\":1,\"versions\":{\"protocol\":3},"
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
    char session[HAND_SESSION];

    (void)state;
    hand_register("old", NULL, session);
    daemon_change_database(&daemon_here,
                           "UPDATE node SET versions = '{\"protocol\":1}' WHERE name = 'old'");
    hand_assert_refused(
        hand_post("/v1/nodes/old/claim",
                  "{\"session\":\"%s\",\"cores\":4,\"wait_s\":1,\"tokens\":[]}", session),
        403, "the node speaks protocol 1, this service 3; install the same version");
    hand_assert_refused(
        hand_post("/v1/nodes/old/lines", "{\"session\":\"%s\",\"tasks\":[]}", session), 403,
        "protocol 1, this service 3");
    hand_register("old", NULL, session);
    struct reply reply = hand_post("/v1/nodes/old/leave", "{\"session\":\"%s\"}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
}

static void a_paused_node_gets_nothing_and_a_suspended_one_hears_why(void **state)
{
    char session[HAND_SESSION];

    (void)state;
    hand_register("idle", NULL, session);
    struct reply reply = hand_post_nothing("/v1/nodes/idle/pause");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    cluster_add(&daemon_here, 40, 7);
    reply = hand_post("/v1/nodes/idle/claim",
                      "{\"session\":\"%s\",\"cores\":4,\"wait_s\":1,\"tokens\":[]}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    reply = hand_post_nothing("/v1/nodes/idle/resume");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = hand_post("/v1/nodes/idle/claim",
                      "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", session);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = hand_post("/v1/nodes/idle/leave", "{\"session\":\"%s\"}", session);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    hand_assert_refused(hand_post_nothing("/v1/nodes/idle/drain"), 409, "wrong-state");
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
    hand_assert_refused(hand_put(sha256, NULL, "something else", 14), 422, "SHA-256");
    hand_assert_refused(hand_get(path), 404, "not-found");
    assert_have(hand_put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    hand_assert_refused(hand_put(sha256, "Content-Range: bytes 10-17/18", bytes + 10, 8), 409,
                        "but 9 have come");
    hand_assert_refused(hand_put(sha256, "Content-Range: bytes 9-16/18", bytes + 9, 9), 400,
                        "Content-Range");
    assert_have(hand_put(sha256, "Content-Range: bytes 4-12/18", bytes + 4, 9), 202, 13, false);
    hand_assert_refused(hand_get(path), 404, "not-found"); /* not before all is here */
    assert_have(hand_put(sha256, "Content-Range: bytes 13-17/18", bytes + 13, 5), 201, 18, true);
    struct reply reply = hand_get(path);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.bytes, 18);
    assert_memory_equal(reply.text, bytes, 18);
    reply_free(&reply);

    memset(sha256, 'a', CLUSTER_HASH - 1);
    assert_have(hand_put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    hand_assert_refused(hand_put(sha256, "Content-Range: bytes 9-17/18", bytes + 9, 9), 422,
                        "dropped");
    assert_have(hand_put(sha256, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
    hand_assert_refused(hand_put("..%2F..%2Frinkd.db", NULL, bytes, 18), 400,
                        "64 hexadecimal digits");
    hand_assert_refused(hand_get("/v1/blobs/..%2Frinkd.db"), 400, "hexadecimal");
}

/* A blob that a job keeps lies there, too: what is sent counts until it goes. */
static void a_caller_cannot_fill_the_disk_with_blobs(void **state)
{
    static char bytes[700 << 10];
    char first[CLUSTER_HASH], second[CLUSTER_HASH];

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    cluster_hash(bytes, sizeof bytes, first);
    assert_have(hand_put(first, NULL, bytes, sizeof bytes), 201, sizeof bytes, true);
    assert_have(hand_put(first, NULL, bytes, sizeof bytes), 201, sizeof bytes, true);
    bytes[0] = 'y';
    cluster_hash(bytes, sizeof bytes, second);
    hand_assert_refused(hand_put(second, NULL, bytes, sizeof bytes), 429, "blobs_mib_max");
    /* Neither in pieces: the whole counts from the first one on. */
    hand_assert_refused(hand_put(second, "Content-Range: bytes 0-8/716800", bytes, 9), 429,
                        "limit-full");
    assert_have(hand_put(second, "Content-Range: bytes 0-8/18", bytes, 9), 202, 9, false);
}

static void nodes_are_shown_drained_and_forgotten(void **state)
{
    char session[HAND_SESSION];

    (void)state;
    hand_register("seen", NULL, session);
    struct reply reply = hand_get("/v1/nodes");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = hand_post_nothing("/v1/nodes/seen/drain");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = hand_post("/v1/nodes/seen/claim",
                      "{\"session\":\"%s\",\"cores\":1,\"wait_s\":60,\"tokens\":[]}", session);
    assert_string_equal(json_string_value(json_object_get(reply.json, "wish")), "drain");
    reply_free(&reply);
    reply = hand_get("/v1/nodes/seen");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "draining");
    reply_free(&reply);
    reply = hand_delete("/v1/nodes/seen");
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    hand_assert_refused(hand_get("/v1/nodes/seen"), 404, "no node seen");
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
        cmocka_unit_test(a_caller_cannot_fill_the_disk_with_blobs),
        cmocka_unit_test(nodes_are_shown_drained_and_forgotten),
        cmocka_unit_test(every_operation_of_the_contract_was_called),
    };

    if (sodium_init() < 0)
        return 2;
    contract_load(OPENAPI_YAML);
    return cmocka_run_group_tests(tests, start, end);
}
