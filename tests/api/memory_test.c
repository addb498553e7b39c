/* Memory runs out at each allocation of each route, once or for good, while the real daemon
 * answers. The daemon goes on, answers 503 or 507, loses nothing, leaks nothing, and answers the
 * next request. ctest tries some of the allocations, `test_api_memory --all` tries each; further
 * arguments choose routes by a part of their path. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/api/failing.h"
#include "tests/patience.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ANSWER_MAX = 1 << 20, AGAIN = 12, ROUNDS = 5 };

/* Status of a query whose worker cannot be reached; while memory is short no new worker starts. */
enum { NO_WORKER = 504 };

static struct failing *memory;
static int growth = 5; /* step between tried allocations: n / growth */
static char **chosen;  /* parts of paths, NULL at the end */

/* ---- requests ---- */

#define NULLS "[null,null,null,null,null,null,null,null]"
#define STATE                                                                            \
    "{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]}," \
    "\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}}"
#define SHOT \
    "{\"profile\":\"dc3\",\"player\":\"ai-simple\",\"state\":" STATE ",\"timeout_ms\":2000}"
/* Refused: a whole one goes the way of calls, with too many numbers to try each allocation. */
#define MAP  "{\"profile\":\"dc3\",\"state\":" STATE ",\"map\":{\"columns\":7}}"
#define KEPT "{\"title\":\"kept\",\"profile\":\"dc3\",\"state\":" STATE "}"
#define CALLS                                                  \
    "{\"profile\":\"dc3\",\"state\":" STATE                    \
    ",\"timeout_ms\":2000,\"throws\":64,\"calls\":[{\"aim\":{" \
    "\"x\":0,\"y\":38},\"rotation\":\"cw\"}]}"
#define THROW                                                                      \
    "{\"profile\":\"dc3\",\"state\":" STATE ",\"shot\":{\"velocity\":{\"x\":0.13," \
    "\"y\":2.39},\"rotation\":\"cw\"},\"samples\":2,\"trajectory\":5,\"timeout_ms\":2000}"
#define SKILL_THROW                                                                       \
    "{\"called\":{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"cw\"},\"thrown\":{" \
    "\"velocity\":{\"x\":0.131,\"y\":2.38},\"rotation\":\"cw\"}}"
#define SKILL                                                                                      \
    "{\"profile\":\"dc3\",\"shots\":[" SKILL_THROW "," SKILL_THROW "," SKILL_THROW "," SKILL_THROW \
    "," SKILL_THROW "]}"
#define MATCH                                                                         \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1," \
    "\"ends\":1},\"delay_s\":86400}"
#define EVENTS_BEHIND "Last-Event-ID: 5\r\n"

/* A request and its status while memory suffices. RUN is replaced by the id of a run. `keeps`: the
 * request leaves data behind, so blocks that stay alive prove nothing. */
static const struct request {
    const char *method, *path, *header, *body;
    int status, other; /* other: accepted too, once the request has worked */
    bool keeps;
} requests[] = {
    {"GET", "/", "", NULL, 200, 0, false},
    {"GET", "/healthz", "", NULL, 200, 0, false},
    {"GET", "/readyz", "", NULL, 200, 0, false},
    {"GET", "/metrics", "", NULL, 200, 0, false},
    {"GET", "/openapi.yaml", "", NULL, 200, 0, false},
    {"GET", "/v1/version", "", NULL, 200, 0, false},
    {"GET", "/v1/schemas", "", NULL, 200, 0, false},
    {"GET", "/v1/schemas/match", "", NULL, 200, 0, false},
    {"GET", "/v1/job-kinds", "", NULL, 200, 0, false},
    {"GET", "/v1/profiles", "", NULL, 200, 0, false},
    {"GET", "/v1/reproduction", "", NULL, 200, 0, false},
    {"GET", "/v1/job-kinds/match", "", NULL, 200, 0, false},
    {"POST", "/v1/shots", "", SHOT, 200, NO_WORKER, false},
    {"POST", "/v1/shots", "Prefer: respond-async\r\n", SHOT, 202, 0, true},
    {"GET", "/v1/shots/nobody", "", NULL, 404, 0, false},
    {"DELETE", "/v1/shots/nobody", "", NULL, 404, 0, false},
    {"GET", "/v1/shots/nobody/events", "", NULL, 404, 0, false},
    {"POST", "/v1/maps", "", MAP, 422, 0, false},
    {"POST", "/v1/calls", "", CALLS, 200, NO_WORKER, false},
    {"POST", "/v1/simulations", "", THROW, 200, NO_WORKER, false},
    {"POST", "/v1/skills", "", SKILL, 200, NO_WORKER, false},
    {"POST", "/v1/positions/score", "",
     "{\"profile\":\"dc3\",\"stones\":{\"team0\":[{\"position\":{\"x\":0,\"y\":38}}],\"team1\":[]}"
     "}",
     200, 0, false},
    {"POST", "/v1/positions/validate", "", "{\"profile\":\"dc3\",\"state\":" STATE "}", 200, 0,
     false},
    {"GET", "/v1/jobs?state=ready&limit=3&fields=id,kind", "", NULL, 200, 0, false},
    {"POST", "/v1/jobs?dry_run=true", "", MATCH, 400, 0, false},
    {"POST", "/v1/jobs", "", MATCH, 202, 0, true},
    {"POST", "/v1/jobs", "Idempotency-Key: one\r\n", MATCH, 202, 0, true},
    {"POST", "/v1/jobs", "", "{\"kind\":\"match\",\"spec\":{\"a\":5}}", 422, 0, false},
    {"GET", "/v1/jobs/1", "", NULL, 200, 0, false},
    {"GET", "/v1/jobs/1/log", "", NULL, 200, 0, false},
    {"GET", "/v1/jobs/1/game", "", NULL, 200, 404, false},
    {"GET", "/v1/jobs/1/tasks", "", NULL, 200, 0, false},
    {"GET", "/v1/jobs/1/events", EVENTS_BEHIND, NULL, 200, 204, false},
    {"GET", "/v1/events", EVENTS_BEHIND, NULL, 200, 0, false},
    {"POST", "/v1/jobs/2/pause", "", NULL, 202, 409, true},
    {"POST", "/v1/jobs/2/resume", "", NULL, 202, 409, true},
    {"POST", "/v1/jobs/2/kick", "", NULL, 409, 0, false},
    {"POST", "/v1/jobs/2/cancel", "", "{\"reason\":\"no more\"}", 202, 409, true},
    {"DELETE", "/v1/jobs/2", "", NULL, 204, 404, true},
    {"GET", "/v1/runs", "", NULL, 200, 0, false},
    {"GET", "/v1/runs?ids=RUN", "", NULL, 200, 0, false},
    {"GET", "/v1/runs/RUN", "", NULL, 200, 0, false},
    {"PATCH", "/v1/runs/RUN", "", "{\"tags\":{\"why\":\"test\"}}", 200, 0, false},
    {"GET", "/v1/runs/RUN/metrics?max_points=3", "", NULL, 200, 0, false},
    {"GET", "/v1/runs/RUN/metrics?format=csv", "", NULL, 200, 0, false},
    {"GET", "/v1/runs/RUN/checkpoints", "", NULL, 200, 0, false},
    {"GET", "/v1/runs/RUN/checkpoints/1", "", NULL, 200, 0, false},
    {"POST", "/v1/metrics/query", "", "{\"runs\":[\"RUN\"],\"names\":[\"throws_per_s\"]}", 200, 0,
     false},
    {"GET", "/v1/models", "", NULL, 200, 0, false},
    {"GET", "/v1/models/nobody", "", NULL, 404, 0, false},
    {"GET", "/v1/models/nobody/weights", "", NULL, 404, 0, false},
    {"PUT", "/v1/models/bad", "", "not a model", 422, 0, false},
    {"PATCH", "/v1/models/nobody", "", "{\"card\":{}}", 404, 422, false},
    {"PUT", "/v1/models/nobody/aliases/best", "", NULL, 404, 0, false},
    {"DELETE", "/v1/models/nobody/aliases/best", "", NULL, 404, 0, false},
    {"DELETE", "/v1/models/nobody", "", NULL, 404, 0, false},
    {"GET", "/v1/players", "", NULL, 200, 0, false},
    {"POST", "/v1/players", "", "{\"name\":\"mine\",\"spec\":\"rink\"}", 201, 409, true},
    {"GET", "/v1/players/rink", "", NULL, 200, 0, false},
    {"DELETE", "/v1/players/mine", "", NULL, 204, 404, true},
    {"GET", "/v1/matches", "", NULL, 200, 0, false},
    {"GET", "/v1/matches/1", "", NULL, 200, 0, false},
    {"GET", "/v1/matches/1/games", "", NULL, 200, 0, false},
    {"GET", "/v1/games/1-0-0", "", NULL, 200, 0, false},
    {"GET", "/v1/reviews/1.html", "", NULL, 404, 0, false},
    {"POST", "/v1/reviews/1/puzzles", "", NULL, 404, 0, false},
    {"POST", "/v1/library", "", KEPT, 201, 0, true},
    {"GET", "/v1/library?tag=t", "", NULL, 200, 0, false},
    {"GET", "/v1/library/1", "", NULL, 200, 404, false},
    {"PATCH", "/v1/library/1", "", "{\"tags\":[\"t\"]}", 200, 404, true},
    {"DELETE", "/v1/library/1", "", NULL, 204, 404, true},
    {"GET", "/v1/ratings?profile=dc2&ends=1", "", NULL, 200, 0, false},
    {"GET", "/v1/exploitability", "", NULL, 200, 0, false},
    {"GET", "/v1/caller", "", NULL, 200, 0, false},
    {"GET", "/v1/workers", "", NULL, 200, 0, false},
    {"GET", "/v1/placement", "", NULL, 200, 0, false},
    {"GET", "/v1/backup", "", NULL, 200, 0, false},
    {"POST", "/v1/backup", "", NULL, 200, 201, true},
    {"GET", "/v1/retention", "", NULL, 200, 0, false},
};

enum { REQUESTS = sizeof requests / sizeof *requests };

static char run[64];

/* ---- one connection ---- */

static int connection = -1;
static int cut_off; /* answers lost because the connection was closed */

/* Discards what the daemon still sends; on return it has closed its end, too. */
static void hang_up(void)
{
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    char rest[4096];

    if (connection < 0)
        return;
    shutdown(connection, SHUT_WR);
    do
        assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
    while (recv(connection, rest, sizeof rest, 0) > 0);
    close(connection);
    connection = -1;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Returns the text with RUN replaced; malloc'ed. */
static char *with_run(const char *text)
{
    const char *at = strstr(text, "RUN");
    char *whole;

    if (at)
        assert_true(asprintf(&whole, "%.*s%s%s", (int)(at - text), text, run, at + 3) > 0);
    else
        assert_non_null(whole = strdup(text));
    return whole;
}

/* Reads an answer into `answer`. Returns its status; 0 if the connection closed first. */
static char answer[ANSWER_MAX];

static int read_answer(void)
{
    size_t got = 0;

    for (;;) {
        struct pollfd ready = {.fd = connection, .events = POLLIN};
        answer[got] = '\0';
        char *body = strstr(answer, "\r\n\r\n");
        int status = body ? atoi(answer + strlen("HTTP/1.1 ")) : 0;
        const char *length = body ? strcasestr(answer, "\r\nContent-Length: ") : NULL;
        bool has_length = length && length < body;
        if (body && (status == 204 || status == 304))
            return status;
        if (body && !has_length) { /* an endless event stream */
            hang_up();
            return status;
        }
        if (body && got >= (size_t)(body + 4 - answer) + strtoul(length + 18, NULL, 10)) {
            if (strcasestr(answer, "\r\nConnection: close"))
                hang_up();
            return status;
        }
        if (poll(&ready, 1, PATIENCE_MS) != 1)
            fail_msg("no answer: %s", answer);
        ssize_t size = recv(connection, answer + got, sizeof answer - 1 - got, 0);
        if (size <= 0) {
            hang_up();
            return 0;
        }
        got += (size_t)size;
    }
}

static int send_request(const struct request *request)
{
    char *path = with_run(request->path), *body = with_run(request->body ? request->body : "");
    bool has_body = request->body != NULL;
    const char *type =
        strcmp(request->method, "PUT") == 0 ? "application/octet-stream" : "application/json";
    char *text;
    int length = asprintf(
        &text, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s%sContent-Length: %zu\r\n\r\n%s",
        request->method, path, request->header, has_body ? "Content-Type: " : "",
        has_body ? type : "", has_body ? "\r\n" : "", strlen(body), body);

    assert_true(length > 0);
    ssize_t sent = send(connection, text, (size_t)length, MSG_NOSIGNAL);
    free(text);
    free(path);
    free(body);
    if (sent == length)
        return read_answer();
    hang_up();
    return 0;
}

static int call(const char *method, const char *path, const char *body)
{
    return send_request(
        &(struct request){.method = method, .path = path, .header = "", .body = body});
}

/* Opens a connection and makes one request on it, so that the allocations of accepting it do not
 * count. */
static void be_connected(void)
{
    for (int k = 0; connection < 0; k++) {
        assert_int_equal(waitpid(daemon_here.pid, NULL, WNOHANG), 0);
        connection = client_connect(daemon_here.port);
        if (call("GET", "/healthz", NULL) != 200)
            hang_up();
        assert_true(k < 1000);
    }
}

/* Waits until no worker process is being started. */
static void wait_for_workers(void)
{
    be_connected();
    for (int k = 0; call("GET", "/readyz", NULL) != 200; k++) {
        assert_true(k < 1000);
        pause_ms(50);
        be_connected();
    }
}

/* ---- the daemon ---- */

static void assert_sound(void)
{
    char path[160];
    sqlite3 *db;
    sqlite3_stmt *check;

    snprintf(path, sizeof path, "%s/rinkd.db", daemon_here.data);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, PATIENCE_MS);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA quick_check", -1, &check, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(check), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
    sqlite3_close(db);
}

static int mistakes;

static void mistake(const struct request *request, long n, bool for_ever, const char *why)
{
    const char *body = strstr(answer, "\r\n\r\n");

    print_error("WRONG: %s %s, allocation %ld%s: %s: %.12s %.200s\n", request->method,
                request->path, n, for_ever ? " and all after it" : "", why, answer,
                body ? body + 4 : "");
    mistakes++;
}

static void assert_alive(const struct request *request, long n, bool for_ever)
{
    if (waitpid(daemon_here.pid, NULL, WNOHANG) == 0)
        return;
    char *log = daemon_log(&daemon_here);
    size_t length = strlen(log), most = 2000;
    daemon_here.pid = 0;
    print_error("%s\n", length > most ? log + length - most : log);
    free(log);
    fail_msg("%s %s, allocation %ld%s: the daemon is gone", request->method, request->path, n,
             for_ever ? " and all after it" : "");
}

/* Shortage may kill workers; they come back, and each answer shortens the wait for the next. */
static void wait_until_it_works(const struct request *request, long n, bool for_ever)
{
    for (int k = 0; k < 600; k++) {
        be_connected();
        int status = send_request(request);
        if (status == request->status ||
            (request->other && request->other != NO_WORKER && status == request->other))
            return;
        pause_ms(100);
    }
    mistake(request, n, for_ever, "does not work again");
}

/* Sends the request while memory is short. Returns true if an allocation failed. */
static bool ask_short(const struct request *request, long n, bool for_ever)
{
    be_connected();
    failing_arm(memory, FAILING_MEMORY, n, for_ever);
    int status = send_request(request);
    bool was_short = failing_disarm(memory);

    assert_alive(request, n, for_ever);
    bool is_usual = status == request->status || (request->other && status == request->other);
    cut_off += status == 0;
    if (status != 0 && !is_usual && status != 503 && status != 507)
        mistake(request, n, for_ever, "neither 503 nor 507");
    if ((status == 503 || status == 507) && !strstr(answer, "application/problem+json"))
        mistake(request, n, for_ever, "not a problem");
    be_connected();
    if (call("GET", "/v1/jobs?limit=1", NULL) != 200)
        mistake(request, n, for_ever, "the next request fails");
    if (request->other == NO_WORKER)
        wait_until_it_works(request, n, for_ever);
    return was_short;
}

/* Returns how often the daemon's threads have left a processor; -1: some thread is awake. */
static long switches(void)
{
    char path[320], line[128];
    long all = 0;
    struct dirent *thread;

    snprintf(path, sizeof path, "/proc/%d/task", (int)daemon_here.pid);
    DIR *threads = opendir(path);
    assert_non_null(threads);
    while ((thread = readdir(threads)) != NULL) {
        const char *number;
        if (*thread->d_name == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)daemon_here.pid,
                 thread->d_name);
        FILE *file = fopen(path, "re");
        while (file && fgets(line, sizeof line, file)) {
            if (strncmp(line, "State:", 6) == 0 && !strchr(line, 'S'))
                all = LONG_MIN;
            if ((number = strstr(line, "ctxt_switches:")) != NULL)
                all += strtol(number + strlen("ctxt_switches:"), NULL, 10);
        }
        if (file)
            fclose(file);
    }
    closedir(threads);
    return all < 0 ? -1 : all;
}

/* Returns the blocks alive while the daemon is idle. Holds no connection: libmicrohttpd can sleep
 * on one with the last answer (25 blocks) until something else comes. A client gets its answer
 * before the daemon frees it, much before on a busy machine, so waiting a fixed time proves
 * nothing: instead all threads must be asleep from before the count until after it. */
static long alive_at_rest(void)
{
    hang_up();
    for (int k = 0; k < PATIENCE_MS; k++) {
        long before = switches(), alive = atomic_load(&memory->alive);
        if (before >= 0 && switches() == before)
            return alive;
        pause_ms(1);
    }
    fail_msg("the daemon never rests");
    return 0;
}

/* Returns whether such failures leave blocks behind every time: blocks that a thread or SQLite
 * keeps once, such as a statement, are allocated by then. Half of the failures are enough, as a few
 * blocks come and go. */
static bool leaks(const struct request *request, long n, bool for_ever)
{
    for (int round = 0; round < ROUNDS; round++) {
        wait_for_workers();
        long before = alive_at_rest();
        for (int k = 0; k < AGAIN; k++)
            ask_short(request, n, for_ever);
        wait_for_workers();
        if (alive_at_rest() - before < AGAIN / 2)
            return false;
    }
    return true;
}

static void memory_is_short(const struct request *request, bool for_ever)
{
    long most = 0, tries = 0, level = alive_at_rest();
    int steps = growth;

    if (strstr(request->path, "/v1/games/")) /* each, as a file seems to end if a line fails */
        steps = INT_MAX;
    else if (growth < INT_MAX && request->other == NO_WORKER) /* these take longer */
        steps = 4;

    for (long n = 1;; n += 1 + n / steps) {
        bool was_short = ask_short(request, n, for_ever);
        tries++;
        if (!request->keeps) {
            long before = level;
            level = alive_at_rest();
            if (level > before && leaks(request, n, for_ever))
                mistake(request, n, for_ever, "blocks stay each time");
            if (level > before)
                level = alive_at_rest();
        }
        most = n;
        if (!was_short)
            break;
    }
    assert_sound();
    wait_until_it_works(request, 0, for_ever);
    printf("%s %s: %ld of %ld allocations%s\n", request->method, request->path, tries, most,
           for_ever ? ", for ever" : "");
}

static bool is_chosen(const struct request *request)
{
    bool found = !*chosen;

    for (char **part = chosen; *part; part++)
        found = found || strstr(request->path, *part);
    return found;
}

static void every_route(void **state)
{
    (void)state;
    for (int k = 0; k < REQUESTS; k++) {
        if (!is_chosen(&requests[k]))
            continue;
        memory_is_short(&requests[k], false);
        memory_is_short(&requests[k], true);
    }
    printf("%d answers cut off\n", cut_off);
    assert_int_equal(mistakes, 0);
}

/* Proves that the test above would notice a leak. */
static void a_leak_is_seen(void **state)
{
    const struct request request = {"GET", "/v1/version", "", NULL, 200, 0, false};

    (void)state;
    atomic_store(&memory->leaves, true);
    assert_true(leaks(&request, 1, false));
    atomic_store(&memory->leaves, false);
    assert_false(leaks(&request, 1, false));
}

/* ---- all of it ---- */

static void do_job(const char *body)
{
    const struct client_call add = {
        .method = "POST",
        .path = "/v1/jobs",
        .body = body,
        .header = (const char *[]){"Content-Type: application/json", "Prefer: wait=60", NULL},
        .most_ms = 70000};
    struct reply reply = client_call(daemon_here.port, &add);
    const char *first = json_string_value(json_array_get(json_object_get(reply.json, "runs"), 0));

    if (first)
        snprintf(run, sizeof run, "%s", first);
    reply_free(&reply);
}

static int begin(void **state)
{
    static const char *const flags[] = {"--workers", "1", "--search-processes", "1", NULL};
    int status;

    (void)state;
    daemon_prepare(&daemon_here);
    memory = failing_make(&daemon_here);
    bool started = failing_start(&daemon_here, SHORT_MEMORY_LIBRARY, flags, &status);
    assert_true(started);
    daemon_wait_ready(&daemon_here);
    assert_true(atomic_load(&memory->alive) > 0);
    do_job("{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":2,"
           "\"ends\":1}}");
    do_job("{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}");
    assert_true(*run);
    daemon_add_checkpoint(&daemon_here, "to go on from");
    for (int k = 0; k < 50; k++) { /* each thread makes its one-time allocations */
        be_connected();
        call("GET", "/v1/jobs?limit=1", NULL);
        hang_up();
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    hang_up();
    return daemon_end_well(&daemon_here) ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_route),
                                       cmocka_unit_test(a_leak_is_seen)};

    (void)argc;
    chosen = argv + 1;
    if (*chosen && strcmp(*chosen, "--all") == 0) {
        growth = INT_MAX;
        chosen++;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, begin, end);
}
