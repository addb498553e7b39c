/* The daemon for a long time: its memory over many mixed requests, and its timers, retention and
 * queue while hours pass in steps of its clocks.
 *
 *   test_soak [--requests N (20000)] [--hours H (2)]     0 leaves one out */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/api/failing.h"
#include "tests/crash/crash.h"

#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PARTS = 10,          /* memory is read so often */
    GROWTH_KB = 8 << 10, /* most growth after the first two parts */
    ANSWER_MAX = 1 << 20,
    STEP_S = 660,   /* more than an answer to an asynchronous shot is kept */
    STEPS_LATE = 5, /* most steps by which a job is delayed */
    HOUR_S = 3600,
    KEPT_HOURS = 1, /* --keep-jobs */
    PAGE = 500
};

static long requests = 20000, hours = 2;

#define NULLS "[null,null,null,null,null,null,null,null]"
#define STATE                                                                            \
    "{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]}," \
    "\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}}"
#define POSITION "{\"profile\":\"dc3\",\"state\":" STATE "}"
#define SHOT     "{\"profile\":\"dc3\",\"player\":\"ai-simple\",\"state\":" STATE "}"
#define SPEC \
    "\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1,\"ends\":1}"

/* ---- memory over requests ---- */

/* Each is asked in turn, the last ones once in RARE rounds. */
static const struct {
    const char *method, *path, *body;
    int status;
    bool is_rare;
} mixed[] = {
    {"GET", "/healthz", NULL, 200, false},
    {"GET", "/v1/jobs?limit=5", NULL, 200, false},
    {"GET", "/v1/jobs/1?history=true", NULL, 200, false},
    {"POST", "/v1/positions/validate", POSITION, 200, false},
    {"GET", "/v1/nothing", NULL, 404, false},
    {"POST", "/v1/jobs", "{\"kind\":\"match\",\"spec\":{\"a\":5}}", 422, false},
    {"GET", "/v1/players", NULL, 200, false},
    {"POST", "/v1/positions/validate", "{\"profile\":", 400, false},
    {"GET", "/v1/ratings?profile=dc2&ends=1", NULL, 200, false},
    {"GET", "/metrics", NULL, 200, false},
    {"POST", "/v1/shots", SHOT, 200, true},
    {"PUT", "/v1/models/bad", "{\"not\":\"weights\"}", 422, true},
    {"POST", "/v1/players", "{\"name\":\"mine\",\"spec\":\"rink\"}", 201, true},
    {"DELETE", "/v1/players/mine", NULL, 204, true},
};
enum { MIXED = sizeof mixed / sizeof *mixed, RARE = 100 };

static char answer[ANSWER_MAX];

/* Sends the request on a connection that is kept, and reads its answer. Returns the status. */
static int ask(int fd, const char *method, const char *path, const char *body)
{
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          method, path, body ? strlen(body) : 0, body ? body : "");
    size_t got = 0, wanted = SIZE_MAX;

    assert_true(length > 0 && (size_t)length < sizeof text);
    assert_int_equal(send(fd, text, (size_t)length, MSG_NOSIGNAL), length);
    while (got < wanted) {
        ssize_t more = recv(fd, answer + got, sizeof answer - 1 - got, 0);
        assert_true(more > 0);
        got += (size_t)more;
        answer[got] = '\0';
        const char *end = strstr(answer, "\r\n\r\n");
        const char *size = end ? strcasestr(answer, "\r\nContent-Length: ") : NULL;
        if (end)
            wanted = (size_t)(end + 4 - answer) +
                     (size && size < end ? strtoul(size + 18, NULL, 10) : 0);
    }
    return atoi(answer + strlen("HTTP/1.1 "));
}

static void ask_mixed(int fd, long count)
{
    static long asked;

    for (long k = 0; k < count; asked++) {
        long round = asked / MIXED, which = asked % MIXED;
        if (mixed[which].is_rare && round % RARE != 0)
            continue;
        int status = ask(fd, mixed[which].method, mixed[which].path, mixed[which].body);
        if (status != mixed[which].status)
            fail_msg("%s %s: %d: %.500s", mixed[which].method, mixed[which].path, status, answer);
        k++;
    }
}

static void memory_stays_flat_over_many_requests(void **state)
{
    static struct daemon_process daemon;
    long settled_kb = 0, kb = 0;

    (void)state;
    if (requests == 0)
        skip();
    daemon_prepare(&daemon);
    crash_start(&daemon, (const char *const[]){"--workers", "1", NULL});
    struct reply reply = client_post(daemon.port, "/v1/jobs", "{" SPEC "}");
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    int fd = client_connect(daemon.port);
    for (int part = 1; part <= PARTS; part++) {
        ask_mixed(fd, requests / PARTS);
        kb = daemon_resident_kb(&daemon);
        printf("after %ld requests: %ld kB\n", requests / PARTS * part, kb);
        if (part == 2)
            settled_kb = kb;
    }
    close(fd);
    printf("%ld requests: %ld kB after a fifth, %ld kB at the end\n", requests, settled_kb, kb);
    assert_true(kb < settled_kb + GROWTH_KB);
    assert_true(daemon_end_well(&daemon));
}

/* ---- hours in steps ---- */

static struct daemon_process rinkd;
static struct failing *shared;

static int64_t add_job(long delay_s)
{
    char body[256];

    snprintf(body, sizeof body, "{" SPEC ",\"delay_s\":%ld}", delay_s);
    struct reply reply = client_post(rinkd.port, "/v1/jobs", body);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    if (reply.status != 202)
        fail_msg("%ld %s", reply.status, reply.text);
    reply_free(&reply);
    return id;
}

static bool is_done(int64_t id)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    struct reply reply = client_get(rinkd.port, path);
    const char *now = json_string_value(json_object_get(reply.json, "state"));
    bool done = now && strcmp(now, "done") == 0;
    if (reply.status != 200 && reply.status != 404)
        fail_msg("job %lld: %ld %s", (long long)id, reply.status, reply.text);
    if (reply.status == 404)
        fail_msg("job %lld is lost", (long long)id);
    reply_free(&reply);
    return done;
}

static void wait_done(int64_t id)
{
    for (int k = 0; !is_done(id); k++) { /* far longer than a match of one end */
        assert_true(k < 12000);
        crash_sleep_s(0.01);
    }
}

static int64_t count_jobs(void)
{
    struct reply reply = client_get(rinkd.port, "/v1/jobs?fields=id&limit=500");
    int64_t count = (int64_t)json_array_size(json_object_get(reply.json, "items"));

    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    return count;
}

/* An asynchronous query, whose answer is kept for a time. */
static void ask_later(char ret_path[128])
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: respond-async",
                                          NULL};
    struct reply reply = client_call(
        rinkd.port, &(struct client_call){
                        .method = "POST", .path = "/v1/shots", .body = SHOT, .header = headers});
    assert_int_equal(reply.status, 202);
    snprintf(ret_path, 128, "/v1/shots/%s", json_string_value(json_object_get(reply.json, "id")));
    reply_free(&reply);
    for (bool done = false; !done; crash_sleep_s(0.01)) {
        reply = client_get(rinkd.port, ret_path);
        const char *now = json_string_value(json_object_get(reply.json, "state"));
        assert_int_equal(reply.status, 200);
        done = now && strcmp(now, "done") == 0;
        reply_free(&reply);
    }
}

static void assert_status(const char *path, long status)
{
    struct reply reply = client_get(rinkd.port, path);

    if (reply.status != status)
        fail_msg("%s: %ld, not %ld: %s", path, reply.status, status, reply.text);
    reply_free(&reply);
}

/* Returns the jobs done. The daemon leases none while its clocks jump: its workers' do not. */
static long pass_steps(long steps)
{
    int64_t late[STEPS_LATE + 1] = {0};
    char shot[128];
    long done = 0;

    for (long k = 0; k < steps; k++) {
        int64_t *due = &late[k % (STEPS_LATE + 1)];
        if (*due) {
            wait_done(*due);
            done++;
        }
        *due = add_job(STEPS_LATE * STEP_S + STEP_S / 2);
        wait_done(add_job(0));
        done++;
        ask_later(shot);
        atomic_fetch_add(&shared->ahead_s, STEP_S);
        assert_status(shot, 404);
        assert_status("/readyz", 200);
    }
    return done;
}

static void timers_and_limits_hold_while_hours_pass(void **state)
{
    static const char *const flags[] = {"--workers", "1", "--search-processes", "1", "--keep-jobs",
                                        "1h",        NULL};
    int status;

    (void)state;
    if (hours == 0)
        skip();
    daemon_prepare(&rinkd);
    shared = failing_make(&rinkd);
    assert_true(failing_start(&rinkd, STEPPED_CLOCK_LIBRARY, flags, &status));
    daemon_wait_ready(&rinkd);
    long before_kb = daemon_resident_kb(&rinkd), steps = hours * HOUR_S / STEP_S + 1;
    long done = pass_steps(steps);
    /* The jobs of the last hour and those that wait. */
    int64_t most = 2 * (KEPT_HOURS * HOUR_S / STEP_S + 2) + STEPS_LATE + 1, kept = 0;
    struct reply reply = client_post(rinkd.port, "/v1/retention", NULL);
    assert_true(reply.status == 200 || reply.status == 202);
    reply_free(&reply);
    for (int k = 0; (kept = count_jobs()) > most; k++) {
        assert_true(k < 12000);
        crash_sleep_s(0.01);
    }
    assert_true(kept > STEPS_LATE);
    printf("%ld hours in %ld steps: %ld jobs done, %lld kept, %ld kB before, %ld kB after\n", hours,
           steps, done, (long long)kept, before_kb, daemon_resident_kb(&rinkd));
    assert_true(daemon_end_well(&rinkd));
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"requests", required_argument, NULL, 'r'},
                                          {"hours", required_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_flat_over_many_requests),
        cmocka_unit_test(timers_and_limits_hold_while_hours_pass),
    };

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'r')
            requests = atol(optarg);
        else if (flag == 'h')
            hours = atol(optarg);
        else
            return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
