/* Adds jobs to the real daemon and waits for them: for the tests that kill it and its workers. */
#ifndef RINKD_TESTS_API_JOBS_H
#define RINKD_TESTS_API_JOBS_H

#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const job_flags[] = {"--workers", "1", "--search-processes", "1", "--drain-ms",
                                        "5000",      NULL};

static inline void start_daemon(void)
{
    int status;

    assert_true(daemon_start(&daemon_here, job_flags, &status));
    daemon_wait_ready(&daemon_here);
}

static inline int set_up(void **state)
{
    (void)state;
    daemon_prepare(&daemon_here);
    start_daemon();
    return 0;
}

static inline struct reply ask(const char *method, const char *path, const char *body, long status)
{
    struct reply reply = client_call(
        daemon_here.port, &(struct client_call){.method = method, .path = path, .body = body});

    if (reply.status != status)
        fail_msg("%s %s: %ld, not %ld: %s", method, path, reply.status, status,
                 reply.text ? reply.text : "");
    return reply;
}

static inline void expect(const char *method, const char *path, const char *body, long status)
{
    struct reply reply = ask(method, path, body, status);
    reply_free(&reply);
}

/* Checks that the first field in the refusal is this one. */
static inline void refuses_field(const char *path, const char *body, const char *pointer)
{
    struct reply reply = ask("POST", path, body, 422);
    const json_t *first = json_array_get(json_object_get(reply.json, "errors"), 0);

    assert_string_equal(json_string_value(json_object_get(first, "pointer")), pointer);
    reply_free(&reply);
}

static inline void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static inline json_t *get(const char *format, ...)
{
    char path[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    struct reply reply = ask("GET", path, NULL, 200);
    json_t *document = json_incref(reply.json);
    reply_free(&reply);
    return document;
}

static inline int64_t add(const char *body)
{
    struct reply reply = ask("POST", "/v1/jobs", body, 202);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));

    reply_free(&reply);
    return id;
}

/* Returns the job once it has reached that state; the caller frees it. */
static inline json_t *wait_for(int64_t id, const char *wanted)
{
    for (;; rest()) { /* the time limit of the test ends a wait that never succeeds */
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        const char *state = json_string_value(json_object_get(job, "state"));
        if (strcmp(state, wanted) == 0)
            return job;
        if (strcmp(state, "buried") == 0)
            fail_msg("%s", json_dumps(json_object_get(job, "error"), JSON_ENCODE_ANY));
        json_decref(job);
    }
}

static inline void first_run_of(int64_t id, char ret_run[40])
{
    json_t *job = get("/v1/jobs/%lld", (long long)id);

    snprintf(ret_run, 40, "%s", json_string_value(json_array_get(json_object_get(job, "runs"), 0)));
    json_decref(job);
}

/* Waits until the run has at least this many checkpoints. */
static inline void wait_for_checkpoints(const char *run, int count)
{
    for (bool enough = false; !enough; rest()) {
        json_t *shown = get("/v1/runs/%s", run);
        enough = json_integer_value(json_object_get(shown, "checkpoints")) >= count;
        json_decref(shown);
    }
}

/* Returns the hashes of the final weights of all runs, in order; the caller frees it. */
static inline json_t *hashes_of(const json_t *job)
{
    const json_t *runs = json_object_get(json_object_get(job, "result"), "runs");
    json_t *hashes = json_array();

    for (size_t k = 0; k < json_array_size(runs); k++) {
        json_t *hash = json_object_get(json_array_get(runs, k), "weights_sha256");
        assert_int_equal(json_string_length(hash), 64);
        json_array_append(hashes, hash);
    }
    return hashes;
}

/* Waits for a training that was disturbed, and compares its weights. */
static inline void assert_ends_with(int64_t id, const json_t *hashes)
{
    json_t *job = wait_for(id, "done"), *own = hashes_of(job);

    assert_true(json_equal(own, hashes));
    json_decref(job);
    json_decref(own);
}

static inline void kill_worker(void)
{
    json_t *workers = get("/v1/workers");
    const json_t *pid =
        json_object_get(json_array_get(json_object_get(workers, "items"), 0), "pid");

    if (json_is_integer(pid))
        kill((pid_t)json_integer_value(pid), SIGKILL);
    json_decref(workers);
}

#endif
