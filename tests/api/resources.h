/* Requests for resources of the real daemon: each answer must be documented in the contract. */
#ifndef RINKD_TESTS_API_RESOURCES_H
#define RINKD_TESTS_API_RESOURCES_H

#include "tests/api/client.h"
#include "tests/api/contract.h"
#include "tests/api/daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns whether resource_jobs_test.c covers this contract path: jobs and their results.
 * resources_test.c covers all others. */
static inline bool is_of_jobs(const char *contract_path)
{
    static const char *const begins[] = {"/v1/jobs",          "/v1/events",         "/v1/runs",
                                         "/v1/metrics/query", "/v1/matches",        "/v1/games",
                                         "/v1/ratings",       "/v1/exploitability", "/v1/reviews"};

    for (size_t k = 0; k < sizeof begins / sizeof begins[0]; k++)
        if (strncmp(contract_path, begins[k], strlen(begins[k])) == 0)
            return true;
    return false;
}

/* ---- asking ---- */

/* Sends a request; its answer must have that status and be documented for the contract path. */
static inline struct reply ask_with(const char *method, const char *contract_path, const char *path,
                                    const struct client_call *more, long status)
{
    struct client_call call = *more;

    call.method = method;
    call.path = path;
    struct reply reply = client_call(daemon_here.port, &call);
    if (reply.status != status)
        fail_msg("%s %s: %ld, not %ld: %s", method, path, reply.status, status, reply.text);
    assert_true(!reply.text ||
                !strstr(reply.text, daemon_here.folder)); /* no paths of the server */
    contract_met(method, contract_path, status);
    return reply;
}

static inline struct reply ask(const char *method, const char *contract_path, const char *path,
                               const char *body, long status)
{
    return ask_with(method, contract_path, path, &(struct client_call){.body = body}, status);
}

/* The same for paths without parts in braces, where only the status matters. */
static inline void expect(const char *method, const char *contract_path, const char *path,
                          const char *body, long status)
{
    struct reply reply = ask(method, contract_path, path, body, status);
    if (status >= 400)
        assert_non_null(json_object_get(reply.json, "type"));
    reply_free(&reply);
}

/* A client that has heard the last event is told not to reconnect. */
static inline void expect_nothing_more(const char *contract_path, const char *path,
                                       const char *heard)
{
    char header[64];
    const char *const headers[] = {header, NULL};
    long long id = 0;

    for (const char *at = heard; (at = strstr(at, "id: ")) != NULL; at++)
        if (at == heard || at[-1] == '\n')
            id = strtoll(at + 4, NULL, 10);
    snprintf(header, sizeof header, "Last-Event-ID: %lld", id);
    struct reply reply =
        ask_with("GET", contract_path, path, &(struct client_call){.header = headers}, 204);
    reply_free(&reply);
}

static inline const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Checks that the request is refused because of the field. */
static inline void refuses_field(const char *method, const char *path, const char *body,
                                 const char *pointer)
{
    struct reply reply = ask(method, path, path, body, 422);

    assert_problem(&reply, 422, "bad-field");
    json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);
    assert_string_equal(text_of(first, "pointer"), pointer);
    reply_free(&reply);
}

#endif
