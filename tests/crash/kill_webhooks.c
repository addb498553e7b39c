/* Webhooks under kill -9 of the daemon: jobs end while it is killed at random moments and started
 * again. In the end a receiver has a message for each end of a job, at least once; what came more
 * often has the same webhook-id and body. */
#include "tests/crash/crash.h"

#include "tests/api/receiver.h"

#include <curl/curl.h>
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUND_JOBS = 6, PAUSE_MS = 300 };

static const char *const daemon_flags[] = {
    "--workers", "2", "--search-processes", "1", "--webhook-addresses", "any", NULL};

static struct options {
    int kills;
    uint64_t seed;
} options = {.kills = 6, .seed = 1};

static struct daemon_process rinkd;
static struct receiver receiver;
static atomic_int port;

static struct reply call(const char *method, const char *path, const char *body)
{
    return crash_call(&port, &(struct client_call){.method = method, .path = path, .body = body});
}

static void start(struct crash_times *times)
{
    double s = crash_start(&rinkd, daemon_flags);

    atomic_store(&port, rinkd.port);
    crash_times_add(times, s);
}

/* Submits a match of a moment, or a job that waits and is cancelled. */
static void add_job(uint64_t *random)
{
    char path[64];
    bool is_cancelled = crash_random(random, 3) == 0;
    struct reply reply =
        call("POST", "/v1/jobs",
             is_cancelled ? "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\","
                            "\"ends\":1,\"pairs\":1},\"delay_s\":86400}"
                          : "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\","
                            "\"ends\":1,\"pairs\":1}}");

    assert_int_equal(reply.status, 202);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel",
             (long long)json_integer_value(json_object_get(reply.json, "id")));
    reply_free(&reply);
    if (!is_cancelled)
        return;
    reply = call("POST", path, NULL);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
}

static int64_t count_of(const char *path, const char *member)
{
    struct reply reply = call("GET", path, NULL);

    assert_int_equal(reply.status, 200);
    int64_t value = json_integer_value(json_object_get(reply.json, member));
    reply_free(&reply);
    return value;
}

static int64_t jobs_in(const char *state)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs?kind=match&limit=1&state=%s", state);
    struct reply reply = call("GET", path, NULL);
    assert_int_equal(reply.status, 200);
    int64_t count = (int64_t)json_array_size(json_object_get(reply.json, "items"));
    reply_free(&reply);
    return count;
}

/* The job and the state that a message tells of. */
struct told {
    int64_t job;
    char state[16];
};

static struct told *read_messages(void)
{
    struct told *told = calloc((size_t)receiver.count + 1, sizeof *told);

    assert_non_null(told);
    for (int k = 0; k < receiver.count; k++) {
        json_t *body = json_loads(receiver.messages[k].body, 0, NULL);
        const json_t *data = json_object_get(body, "data");
        told[k].job = json_integer_value(json_object_get(data, "id"));
        snprintf(told[k].state, sizeof told[k].state, "%s",
                 json_string_value(json_object_get(data, "state")));
        json_decref(body);
    }
    return told;
}

/* How many different messages tell of this end of this job. */
static int messages_about(const struct told *told, int64_t job, const char *state)
{
    int found = 0;

    for (int k = 0; k < receiver.count; k++)
        found += told[k].job == job && strcmp(told[k].state, state) == 0;
    return found;
}

/* Compares all jobs with the messages; returns how many jobs there are. */
static int check_jobs(void)
{
    struct told *told = read_messages();
    char path[160] = "/v1/jobs?kind=match&limit=500";
    int jobs = 0;

    while (*path) {
        struct reply reply = call("GET", path, NULL);
        json_t *job;
        size_t k;
        assert_int_equal(reply.status, 200);
        json_array_foreach(json_object_get(reply.json, "items"), k, job)
        {
            int64_t id = json_integer_value(json_object_get(job, "id"));
            const char *state = json_string_value(json_object_get(job, "state"));
            int messages = messages_about(told, id, state);
            if (messages != 1)
                fail_msg("job %lld is %s: %d messages", (long long)id, state, messages);
            jobs++;
        }
        const char *next = json_string_value(json_object_get(reply.json, "next_cursor"));
        snprintf(path, sizeof path, next ? "/v1/jobs?kind=match&limit=500&cursor=%s" : "%s",
                 next ? next : "");
        reply_free(&reply);
    }
    free(told);
    return jobs;
}

static void no_end_of_a_job_is_lost(void **state)
{
    struct crash_times starts = {0};
    uint64_t random = options.seed;
    char body[128];
    int repeated = 0;

    (void)state;
    start(&starts);
    snprintf(body, sizeof body, "{\"url\":\"http://127.0.0.1:%d/\"}", receiver.port);
    struct reply reply = call("POST", "/v1/webhooks", body);
    assert_int_equal(reply.status, 201);
    reply_free(&reply);
    for (int k = 0; k < options.kills; k++) {
        for (int n = 0; n < ROUND_JOBS; n++)
            add_job(&random);
        /* Now and then the receiver is out of order, too. */
        atomic_store(&receiver.status, crash_random(&random, 4) == 0 ? 0 : 200);
        crash_sleep_s(1e-3 * (double)crash_random(&random, PAUSE_MS));
        assert_int_equal(daemon_end(&rinkd, SIGKILL), 128 + SIGKILL);
        start(&starts);
    }
    atomic_store(&receiver.status, 200);
    while (jobs_in("ready") + jobs_in("leased") > 0 || count_of("/v1/webhooks/1", "waiting") > 0)
        crash_sleep_s(0.1); /* until the time limit of the test */
    assert_int_equal(count_of("/v1/webhooks/1", "dropped"), 0);
    int jobs = check_jobs();
    assert_int_equal(receiver.count, jobs);
    for (int k = 0; k < receiver.count; k++)
        repeated += receiver.messages[k].count > 1;
    printf("%d kills, %d jobs ended, %d messages, none lost; %d came more than once\n",
           options.kills, jobs, receiver.count, repeated);
    crash_times_print(&starts, "start to ready");
}

static int prepare(void **state)
{
    (void)state;
    daemon_prepare(&rinkd);
    receiver_start(&receiver);
    return 0;
}

static int end(void **state)
{
    (void)state;
    int status = daemon_end(&rinkd, SIGTERM);

    receiver_end(&receiver);
    daemon_remove(&rinkd);
    return status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"kills", required_argument, NULL, 'k'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_end_of_a_job_is_lost)};

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'k')
            options.kills = atoi(optarg);
        else if (flag == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else {
            printf("%s [--kills N (6)] [--seed N (1)]\n", *argv);
            return flag == 'h' ? 0 : 1;
        }
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, prepare, end);
}
