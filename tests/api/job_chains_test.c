/* Jobs that start after others, and moves of many jobs, where the daemon is killed or the one job
 * needs what the other one learns; and the ladder, which waits for no job. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 600, CHAIN = 20 };

static void start(const char *workers)
{
    const char *const flags[] = {"--workers", workers, NULL};

    daemon_start_well(&daemon_here, flags);
}

static void kill_and_start(const char *workers)
{
    daemon_end(&daemon_here, SIGKILL);
    start(workers);
}

static json_t *call(const char *method, const char *path, const char *body, long status)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=300",
                                          NULL};
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = method,
                                                            .path = path,
                                                            .body = body,
                                                            .header = headers,
                                                            .most_ms = PATIENCE_MS});

    if (reply.status != status)
        fail_msg("%s %s: %ld: %s", method, path, reply.status, reply.text);
    json_t *answer = json_incref(reply.json);
    reply_free(&reply);
    return answer;
}

static long long number_in(const char *method, const char *path, const char *body, long status,
                           const char *member)
{
    json_t *answer = call(method, path, body, status);
    long long number = json_integer_value(json_object_get(answer, member));

    json_decref(answer);
    return number;
}

static long long submit(const char *body)
{
    struct reply reply = client_post(daemon_here.port, "/v1/jobs", body);

    if (reply.status != 202)
        fail_msg("%ld: %s", reply.status, reply.text);
    long long id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static long long add(const char *more)
{
    char body[512];

    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1,"
             "\"ends\":1}%s}",
             more);
    return submit(body);
}

/* Waits until the job has ended. */
static void ends_as(long long id, const char *state)
{
    char path[40];

    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    json_t *job = call("GET", path, NULL, 200);
    const char *is = json_string_value(json_object_get(job, "state"));
    if (strcmp(is, state) != 0) {
        char *text = json_dumps(job, 0);
        fail_msg("%s, not %s: %s", is, state, text);
    }
    json_decref(job);
}

static int count_of(const char *state)
{
    char path[80];

    snprintf(path, sizeof path, "/v1/jobs?state=%s&limit=500&fields=id", state);
    json_t *list = call("GET", path, NULL, 200);
    int count = (int)json_array_size(json_object_get(list, "items"));
    json_decref(list);
    return count;
}

/* Whatever moment the daemon dies at, the end of a job reaches those after it. */
static void a_chain_survives_kills(void **state)
{
    long long chain[CHAIN] = {add("")};
    char more[64], path[40];

    (void)state;
    for (int k = 1; k < CHAIN; k++) {
        snprintf(more, sizeof more, ",\"after\":[%lld]", chain[k - 1]);
        chain[k] = add(more);
    }
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", chain[0]);
    json_decref(call("POST", path, NULL, 202));
    kill_and_start("0");
    ends_as(chain[CHAIN - 1], "cancelled");
    long long first = add("");
    snprintf(more, sizeof more, ",\"after\":[%lld]", first);
    long long second = add(more);
    kill_and_start("1");
    ends_as(second, "done");
    kill_and_start("0");
    assert_int_equal(number_in("POST", "/v1/jobs/delete", "{\"all\":true}", 200, "count"),
                     CHAIN + 2);
}

static void *cancel_all(void *context)
{
    struct reply reply = client_post(daemon_here.port, "/v1/jobs/cancel", "{\"all\":true}");

    (void)context;
    reply_free(&reply); /* the daemon may die first */
    return NULL;
}

/* Each job has been cancelled or has not; asking again does the rest. */
static void moves_of_many_jobs_survive_kills(void **state)
{
    pthread_t caller;

    (void)state;
    for (int k = 0; k < MANY / 2; k++)
        add("");
    assert_int_equal(pthread_create(&caller, NULL, cancel_all, NULL), 0);
    while (count_of("cancelled") == 0)
        ;
    kill_and_start("0");
    pthread_join(caller, NULL);
    int cancelled = count_of("cancelled"), ready = count_of("ready");
    assert_int_equal(cancelled + ready, MANY / 2);
    assert_int_equal(number_in("POST", "/v1/jobs/cancel", "{\"all\":true}", 200, "count"), ready);
    assert_int_equal(number_in("POST", "/v1/jobs/delete", "{\"all\":true}", 200, "count"),
                     MANY / 2);
}

#define TRAINING                                                                \
    "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"nfsp\",\"profile\":\"dc2\"," \
    "\"iterations\":2,\"seeds\":[1],\"evaluate_every\":0}}"

/* A policy plays that is not there yet when the match is submitted. */
static void a_match_of_a_run_waits_for_its_training(void **state)
{
    char body[600], path[40], run[40];

    (void)state;
    struct reply reply = client_post(daemon_here.port, "/v1/jobs", TRAINING);
    if (reply.status == 501)
        skip(); /* built without trainings */
    if (reply.status != 202)
        fail_msg("%ld: %s", reply.status, reply.text);
    long long training = json_integer_value(json_object_get(reply.json, "id"));
    snprintf(run, sizeof run, "%s",
             json_string_value(json_array_get(json_object_get(reply.json, "runs"), 0)));
    reply_free(&reply);
    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"after\":[%lld],\"spec\":{\"a\":\"%s.average\",\"b\":\"random\","
             "\"pairs\":1,\"ends\":1}}",
             training, run);
    long long match = submit(body);
    /* Without waiting for the training there is no such player. */
    char *after = strstr(body, "\"after\":[");
    memset(after, ' ', (size_t)(strchr(after, ',') + 1 - after));
    reply = client_post(daemon_here.port, "/v1/jobs", body);
    assert_int_equal(reply.status, 422);
    reply_free(&reply);
    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"after\":[%lld],\"spec\":{\"a\":\"%s.average.77\","
             "\"b\":\"random\",\"pairs\":1,\"ends\":1}}",
             training, run);
    long long never = submit(body);
    /* What is measured after the match has waited for the training, too. */
    snprintf(body, sizeof body,
             "{\"kind\":\"exploitability\",\"after\":[%lld],\"spec\":{\"player\":\"%s.average\","
             "\"responders\":[\"random\"],\"ends\":2,\"selection_ends\":2}}",
             match, run);
    long long measured = submit(body);
    snprintf(
        body, sizeof body,
        "{\"kind\":\"train\",\"after\":[%lld],\"spec\":{\"iterations\":4,\"from\":{\"run\":\"%s\","
        "\"step\":2},\"evaluate_every\":0}}",
        match, run);
    long long branch = submit(body);

    kill_and_start("1");
    ends_as(training, "done");
    ends_as(match, "done");
    ends_as(measured, "done");
    ends_as(branch, "done");
    snprintf(path, sizeof path, "/v1/jobs/%lld", match);
    json_t *job = call("GET", path, NULL, 200);
    const char *a = json_string_value(json_object_get(json_object_get(job, "spec"), "a"));
    assert_int_equal(strspn(a + strlen("policy:weights="), "0123456789abcdef"), 64);
    json_decref(job);
    ends_as(never, "buried");
}

static bool is_rated(const char *player)
{
    json_t *ladder = call("GET", "/v1/ratings?profile=dc2&ends=1&extra_ends=0", NULL, 200);
    const json_t *item;
    size_t k;
    bool found = false;

    json_array_foreach(json_object_get(ladder, "items"), k, item) found =
        found || strcmp(json_string_value(json_object_get(item, "player")), player) == 0;
    json_decref(ladder);
    return found;
}

/* What the service does for itself has a worker of its own. */
static void the_ladder_does_not_wait_for_long_jobs(void **state)
{
    double end_s = 0.0;

    (void)state;
    kill_and_start("0");
    long long match =
        submit("{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple:epsilon=0.5\",\"b\":\"random\","
               "\"pairs\":1,\"ends\":1}}");
    long long other = submit("{\"kind\":\"diagnose\",\"spec\":{\"seconds\":600}}");
    assert_false(is_rated("ai-simple:epsilon=0.5"));
    kill_and_start("1");
    ends_as(match, "done");
    while (!is_rated("ai-simple:epsilon=0.5"))
        assert_true(patience_left(&end_s));
    while (count_of("leased") == 0) /* it holds the only worker */
        assert_true(patience_left(&end_s));
    char path[40];
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", other);
    json_decref(call("POST", path, NULL, 202));
    ends_as(other, "cancelled");
}

static int start_idle(void **state)
{
    (void)state;
    daemon_prepare(&daemon_here);
    start("0");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_survives_kills),
        cmocka_unit_test(moves_of_many_jobs_survive_kills),
        cmocka_unit_test(a_match_of_a_run_waits_for_its_training),
        cmocka_unit_test(the_ladder_does_not_wait_for_long_jobs),
    };
    return cmocka_run_group_tests(tests, start_idle, daemon_end_here);
}
