/* See hand.h. */
#include "tests/cluster/hand.h"

#include "tests/api/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

struct reply hand_get(const char *path)
{
    struct reply reply = client_get(daemon_here.port, path);

    meet("GET", path, reply.status);
    return reply;
}

struct reply hand_post_nothing(const char *path)
{
    struct reply reply = client_post(daemon_here.port, path, NULL);

    meet("POST", path, reply.status);
    return reply;
}

struct reply hand_post(const char *path, const char *format, ...)
{
    char *body = NULL;
    va_list arguments;

    va_start(arguments, format);
    assert_true(vasprintf(&body, format, arguments) >= 0);
    va_end(arguments);
    struct reply reply = client_post(daemon_here.port, path, body);
    free(body);
    meet("POST", path, reply.status);
    return reply;
}

struct reply hand_delete(const char *path)
{
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = "DELETE", .path = path});

    meet("DELETE", path, reply.status);
    return reply;
}

void hand_assert_refused(struct reply reply, long status, const char *words)
{
    if (reply.status != status || !strstr(reply.text, words))
        fail_msg("not %ld with '%s': %ld %s", status, words, reply.status, reply.text);
    reply_free(&reply);
}

void hand_register(const char *name, const char *kinds, char ret_session[HAND_SESSION])
{
    struct reply reply =
        hand_post("/v1/nodes",
                  "{\"name\":\"%s\",\"cores\":4,\"versions\":{\"protocol\":3}%s%s," HAND_GOLDEN "}",
                  name, kinds ? ",\"kinds\":" : "", kinds ? kinds : "");

    assert_int_equal(reply.status, 201);
    snprintf(ret_session, HAND_SESSION, "%s",
             json_string_value(json_object_get(reply.json, "session")));
    reply_free(&reply);
}

struct hand_task hand_claim(const char *node, const char *session)
{
    struct hand_task given;
    char path[64];

    snprintf(path, sizeof path, "/v1/nodes/%s/claim", node);
    struct reply reply =
        hand_post(path, "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}", session);
    const json_t *task = json_object_get(reply.json, "task");
    assert_int_equal(reply.status, 200);
    snprintf(given.node, sizeof given.node, "%s", node);
    snprintf(given.session, sizeof given.session, "%s", session);
    given.job = json_integer_value(json_object_get(task, "job"));
    given.number = json_integer_value(json_object_get(task, "number"));
    snprintf(given.token, sizeof given.token, "%s",
             json_string_value(json_object_get(task, "token")));
    given.line = json_incref(json_object_get(task, "line"));
    assert_string_equal(json_string_value(json_object_get(given.line, "folder")), "{folder}");
    reply_free(&reply);
    const json_t *seed = json_object_get(json_object_get(given.line, "spec"), "seed");
    cluster_record(given.number, (uint64_t)json_integer_value(seed), given.record);
    cluster_hash(given.record, CLUSTER_RECORD, given.sha256);
    return given;
}

struct reply hand_put(const char *sha256, const char *range, const char *bytes, size_t size)
{
    char path[96];
    const char *const headers[] = {"Content-Type: application/octet-stream", range, NULL};

    snprintf(path, sizeof path, "/v1/blobs/%s", sha256);
    struct reply reply = client_call(
        daemon_here.port,
        &(struct client_call){
            .method = "PUT", .path = path, .body = bytes, .bytes = size, .header = headers});
    meet("PUT", path, reply.status);
    return reply;
}

struct reply hand_say(const struct hand_task *task, int from, const char *lines)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/nodes/%s/lines", task->node);
    return hand_post(
        path,
        "{\"session\":\"%s\",\"tasks\":[{\"job\":%lld,\"number\":%lld,\"token\":\"%s\","
        "\"from\":%d,\"lines\":[%s]}]}",
        task->session, (long long)task->job, (long long)task->number, task->token, from, lines);
}

void hand_assert_acknowledged(struct reply reply, int64_t count, const char *wish)
{
    const json_t *task = json_array_get(json_object_get(reply.json, "tasks"), 0);
    const char *own = json_string_value(json_object_get(task, "wish"));

    if (reply.status != 200)
        fail_msg("%ld %s", reply.status, reply.text);
    assert_int_equal(json_integer_value(json_object_get(task, "acknowledged")), count);
    assert_true(own && wish ? strcmp(own, wish) == 0 : own == wish);
    reply_free(&reply);
}
