/* Webhooks of the real daemon: what a receiver gets, what it does not, and what operators see. */
#include "service/webhooks/signature.h"
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/api/receiver.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct receiver receiver;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_t *get(const char *path)
{
    struct reply reply = client_get(daemon_here.port, path);

    if (reply.status != 200)
        fail_msg("%s: %ld %s", path, reply.status, reply.text);
    json_t *json = json_incref(reply.json);
    reply_free(&reply);
    return json;
}

/* Adds a webhook for the receiver; the secret is written to 64 bytes. */
static int64_t add_hook(const char *more, char ret_secret[WEBHOOK_SECRET_MAX])
{
    char body[256];

    snprintf(body, sizeof body, "{\"url\":\"http://127.0.0.1:%d/hook\"%s}", receiver.port, more);
    struct reply reply = client_post(daemon_here.port, "/v1/webhooks", body);
    if (reply.status != 201)
        fail_msg("%ld %s", reply.status, reply.text);
    snprintf(ret_secret, WEBHOOK_SECRET_MAX, "%s", text_of(reply.json, "secret"));
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static void post(long status, const char *format, long long id)
{
    char path[64];

    snprintf(path, sizeof path, format, id);
    struct reply reply = client_post(daemon_here.port, path, NULL);
    if (reply.status != status)
        fail_msg("%s: %ld %s", path, reply.status, reply.text);
    reply_free(&reply);
}

static void delete_hook(int64_t id)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/webhooks/%lld", (long long)id);
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = "DELETE", .path = path});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
}

/* The newest delivery of a webhook once it was tried so often; until the time limit of the test. */
static json_t *wait_for_try(int64_t webhook, int tries)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/webhooks/%lld/deliveries?limit=1", (long long)webhook);
    for (;;) {
        json_t *page = get(path);
        json_t *delivery = json_incref(json_array_get(json_object_get(page, "items"), 0));
        json_decref(page);
        if (json_integer_value(json_object_get(delivery, "tries")) >= tries)
            return delivery;
        json_decref(delivery);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static void assert_delivery(int64_t webhook, int tries, const char *state, int status,
                            const char *reason)
{
    json_t *delivery = wait_for_try(webhook, tries);

    assert_string_equal(text_of(delivery, "state"), state);
    assert_int_equal(json_integer_value(json_object_get(delivery, "status")), status);
    if (strcmp(text_of(delivery, "reason"), reason) != 0)
        fail_msg("%s, not %s", text_of(delivery, "reason"), reason);
    json_decref(delivery);
}

static void the_end_of_a_job_is_told_and_signed(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call job = {
        .method = "POST",
        .path = "/v1/jobs",
        .body = "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\",\"pairs\":1,"
                "\"ends\":1}}",
        .header = headers};
    char secret[WEBHOOK_SECRET_MAX], signature[WEBHOOK_SIGNATURE_MAX];

    (void)state;
    int64_t hook = add_hook(",\"states\":[\"done\"],\"kinds\":[\"match\"]", secret);
    struct reply reply = client_call(daemon_here.port, &job);
    assert_int_equal(reply.status, 200);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    receiver_wait_messages(&receiver, 1);
    const struct received *message = &receiver.messages[0];
    assert_true(webhook_sign(secret, message->id, message->timestamp_s, message->body, signature));
    assert_string_equal(message->signature, signature);
    json_t *body = json_loads(message->body, 0, NULL), *data = json_object_get(body, "data");
    assert_string_equal(text_of(body, "type"), "job.done");
    assert_int_equal(json_integer_value(json_object_get(data, "id")), id);
    char path[64];
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    json_t *shown = get(path), *value;
    const char *key;
    json_object_foreach(data, key, value) /* the same as GET shows */
        if (!json_equal(value, json_object_get(shown, key)))
            fail_msg("%s differs: %s", key, message->body);
    json_decref(shown);
    json_decref(body);
    assert_delivery(hook, 1, "delivered", 200, "");
    /* The secret is shown once. */
    snprintf(path, sizeof path, "/v1/webhooks/%lld", (long long)hook);
    shown = get(path);
    assert_null(json_object_get(shown, "secret"));
    json_decref(shown);
    delete_hook(hook);
}

static void what_fails_is_sent_again_under_the_same_id(void **state)
{
    char secret[WEBHOOK_SECRET_MAX];

    (void)state;
    int64_t hook = add_hook("", secret);
    int before = receiver.count;
    atomic_store(&receiver.status, 503);
    post(202, "/v1/webhooks/%lld/test", hook);
    assert_delivery(hook, 1, "waiting", 503, "it answered 503");
    atomic_store(&receiver.status, 204);
    assert_delivery(hook, 2, "delivered", 204, "");
    assert_int_equal(receiver.count, before + 1);
    assert_int_equal(receiver.messages[before].count, 2);
    delete_hook(hook);
}

static void redirects_and_silence_are_failures_and_410_is_the_last_word(void **state)
{
    char secret[WEBHOOK_SECRET_MAX], head[64];

    (void)state;
    int64_t hook = add_hook("", secret);
    int before = atomic_load(&receiver.requests);
    snprintf(head, sizeof head, "Location: http://127.0.0.1:%d/other\r\n", receiver.port);
    receiver.head = head;
    atomic_store(&receiver.status, 302);
    post(202, "/v1/webhooks/%lld/test", hook);
    assert_delivery(hook, 1, "waiting", 302, "it answered 302; redirects are not followed");
    assert_int_equal(atomic_load(&receiver.requests), before + 1);
    receiver.head = NULL;
    delete_hook(hook);

    hook = add_hook("", secret);
    atomic_store(&receiver.status, 0);
    post(202, "/v1/webhooks/%lld/test", hook);
    assert_delivery(hook, 1, "waiting", 0, "Empty reply from server");
    delete_hook(hook);

    hook = add_hook("", secret);
    atomic_store(&receiver.status, 410);
    post(202, "/v1/webhooks/%lld/test", hook);
    assert_delivery(hook, 1, "failed", 410, "it answered 410");
    delete_hook(hook);
    atomic_store(&receiver.status, 200);
}

/* ---- a daemon with the setting as it is by default ---- */

static void private_addresses_are_refused_by_default(void **state)
{
    static const char *const urls[] = {"http://127.0.0.1/", "http://[::1]:80/",
                                       "https://10.1.2.3/x", "http://169.254.169.254/latest"};
    char body[128];

    (void)state;
    for (size_t k = 0; k < sizeof urls / sizeof *urls; k++) {
        snprintf(body, sizeof body, "{\"url\":\"%s\"}", urls[k]);
        struct reply reply = client_post(daemon_here.port, "/v1/webhooks", body);
        assert_problem(&reply, 422, "bad-field");
        assert_non_null(strstr(reply.text, "is private, and rinkd's setting"));
        reply_free(&reply);
    }
    /* A name is looked up when the message is sent. */
    struct reply reply =
        client_post(daemon_here.port, "/v1/webhooks", "{\"url\":\"http://localhost/\"}");
    assert_int_equal(reply.status, 201);
    int64_t hook = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    post(202, "/v1/webhooks/%lld/test", hook);
    json_t *delivery = wait_for_try(hook, 1);
    assert_string_equal(text_of(delivery, "state"), "waiting");
    assert_non_null(strstr(text_of(delivery, "reason"), "is private, and rinkd's setting"));
    json_decref(delivery);
}

/* As if an earlier version, which had fewer kinds, had added it. */
static void a_webhook_without_kinds_hears_of_new_ones(void **state)
{
    char path[PATH_MAX], *why = NULL;
    sqlite3 *db;

    (void)state;
    struct reply reply =
        client_post(daemon_here.port, "/v1/webhooks", "{\"url\":\"https://example.org/\"}");
    assert_int_equal(reply.status, 201);
    int64_t hook = json_integer_value(json_object_get(reply.json, "id"));
    json_t *kinds = json_incref(json_object_get(reply.json, "kinds"));
    reply_free(&reply);
    assert_true(json_array_size(kinds) > 1);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    snprintf(path, sizeof path, "%s/rinkd.db", daemon_here.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, "UPDATE webhook SET kinds = '[\"match\"]'", NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    sqlite3_close(db);
    daemon_start_well(&daemon_here, (const char *[]){"--workers", "0", NULL});
    snprintf(path, sizeof path, "/v1/webhooks/%lld", (long long)hook);
    json_t *shown = get(path);
    assert_true(json_equal(json_object_get(shown, "kinds"), kinds));
    json_decref(shown);
    json_decref(kinds);
}

static int start_open(void **state)
{
    static const char *const flags[] = {
        "--workers", "1", "--search-processes", "1", "--webhook-addresses", "any", NULL};

    daemon_prepare_here(state);
    daemon_start_well(&daemon_here, flags);
    daemon_wait_ready(&daemon_here);
    receiver_start(&receiver);
    return 0;
}

static int end_open(void **state)
{
    receiver_end(&receiver);
    return daemon_end_here(state);
}

int main(void)
{
    const struct CMUnitTest open[] = {
        cmocka_unit_test(the_end_of_a_job_is_told_and_signed),
        cmocka_unit_test(what_fails_is_sent_again_under_the_same_id),
        cmocka_unit_test(redirects_and_silence_are_failures_and_410_is_the_last_word),
    };
    const struct CMUnitTest closed[] = {
        cmocka_unit_test(private_addresses_are_refused_by_default),
        cmocka_unit_test(a_webhook_without_kinds_hears_of_new_ones),
    };

    int failed = cmocka_run_group_tests(open, start_open, end_open);
    return failed + cmocka_run_group_tests(closed, daemon_start_here, daemon_end_here);
}
