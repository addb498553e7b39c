/* Hostile or clumsy clients: whatever they send, they get a problem in JSON or nothing, others are
 * served meanwhile, and every resource they took is released.
 *
 *   test_api_hostile          the short version, for ctest
 *   test_api_hostile 5000     with 5000 idle connections */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CROWD = 300, READERS = 50, DEPTH = 10000, GROWTH_KB = 16 << 10 };

static int crowd = CROWD;

#define NULLS "[null,null,null,null,null,null,null,null]"
#define LONG_SHOT                                                                            \
    "{\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{" \
    "\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}},"      \
    "\"player\":\"rink\",\"limits\":{\"time_ms\":20000},\"timeout_ms\":25000}"
#define JSON_HEAD "Host: localhost\r\nContent-Type: application/json\r\n"
#define MATCH                                                                          \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1}," \
    "\"delay_s\":3600}"

/* ---- the daemon, before and after ---- */

/* Descriptors of the daemon, except for the database: each of its threads opens that at its first
 * request and keeps it open. */
static int open_files(void)
{
    char path[32], target[512];
    const struct dirent *entry;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)daemon_here.pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        count += strstr(target, "/rinkd.db") == NULL;
    }
    closedir(folder);
    return count;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void assert_healthy(void)
{
    struct reply reply = client_get(daemon_here.port, "/healthz");

    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static int files_before;
static long resident_before_kb;

static int remember(void **state)
{
    (void)state;
    assert_healthy();
    files_before = open_files();
    resident_before_kb = daemon_resident_kb(&daemon_here);
    return 0;
}

/* Checks that others are served, descriptors are released (within the test's time), and memory does
 * not grow. */
static int compare(void **state)
{
    (void)state;
    assert_healthy();
    for (int k = 0; k < 1000 && open_files() > files_before; k++)
        pause_ms(10);
    assert_true(open_files() <= files_before);
#if !defined(__SANITIZE_ADDRESS__) /* AddressSanitizer keeps freed memory */
    assert_true(daemon_resident_kb(&daemon_here) < resident_before_kb + GROWTH_KB);
#endif
    return 0;
}

/* ---- sending ---- */

static void send_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t done = send(fd, text, size, MSG_NOSIGNAL);
        if (done <= 0)
            return; /* the server has already answered why */
        text += done;
        size -= (size_t)done;
    }
}

/* Checks that the raw answer is one problem with that status and nothing else. */
static void assert_refused(const char *bytes, size_t size, int status)
{
    char *answer = client_raw(daemon_here.port, bytes, size, PATIENCE_MS);
    const char *body = strstr(answer, "\r\n\r\n");
    int got = 0;

    sscanf(answer, "HTTP/1.1 %d ", &got);
    if (got != status)
        fail_msg("%d, not %d: %s (to: %.60s)", got, status, answer, bytes);
    assert_non_null(strstr(answer, "Content-Type: application/problem+json\r\n"));
    assert_non_null(body);
    json_t *problem = json_loads(body, JSON_DISABLE_EOF_CHECK, NULL);
    if (!problem)
        fail_msg("no JSON: %s (to: %.200s)", answer, bytes);
    assert_int_equal(json_integer_value(json_object_get(problem, "status")), status);
    const char *id = strstr(answer, "\r\nX-Request-Id: ");
    const char *instance = json_string_value(json_object_get(problem, "instance"));
    assert_true(id && instance);
    assert_int_equal(strncmp(id + strlen("\r\nX-Request-Id: "), instance, strlen(instance)), 0);
    assert_null(strstr(answer, "<html"));
    assert_null(strstr(body, "HTTP/1.1 ")); /* no second answer */
    json_decref(problem);
    free(answer);
}

static void assert_text_refused(const char *text, int status)
{
    assert_refused(text, strlen(text), status);
}

/* ---- heads ---- */

static void invalid_heads_are_refused(void **state)
{
    (void)state;
    assert_text_refused("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400); /* no Host */
    assert_text_refused("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n",
                        400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD "Content-Length: -1\r\n\r\n", 400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Content-Length: 99999999999999999999999\r\n\r\n",
                        413);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Content-Length: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{} ",
                        400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
                        "\r\n0\r\n\r\n",
                        400);
    assert_text_refused("GET /v1/jobs/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        400);
    assert_text_refused("GET /v1/jobs/%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        400);
    assert_text_refused("GET /v1/jobs?kind=\xff\xfe HTTP/1.1\r\nHost: localhost\r\n"
                        "Connection: close\r\n\r\n",
                        400);
    assert_text_refused("GET /healthz HTTP/0.9\r\nHost: localhost\r\n\r\n", 400);
    assert_text_refused("BREW /v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        405);
}

/* Two programs must not see different requests in the same bytes. Each head is followed by a second
 * request, which must not be answered. */
static void ambiguous_heads_are_refused(void **state)
{
    static const struct {
        const char *lines;
        int status;
    } cases[] = {
        {"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", 400},
        {"Transfer-Encoding\t: chunked\r\nContent-Length: 5\r\n", 400},
        {"X: a\r\n b\r\nContent-Length: 5\r\n", 400},
        {"X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400},
        {"Content-Length: 5\r\n 0\r\n", 400},
        {"Host: example.org\r\nContent-Length: 5\r\n", 400},
        {"Content-Length: 5\r\nX: a\1b\r\nY: z\r\n", 400}, /* \1 becomes a byte 0 */
        {"Content-Length: 5\r\nX: a\1b\r\n", 400},
        {"X(: a\r\nContent-Length: 5\r\n", 400},
        {"X: a\rb\r\nContent-Length: 5\r\n", 400},
        {"X: a\r\r\nContent-Length: 5\r\n", 400},
        {"Transfer-Encoding: gzip, chunked\r\n", 501},
        {"Transfer-Encoding: identity\r\n", 501},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
    };
    char text[512];

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int length = snprintf(text, sizeof text,
                              "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD "%s\r\n0\r\n\r\n"
                              "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                              cases[k].lines);
        char *zero = strchr(text, '\1');
        if (zero)
            *zero = '\0';
        assert_refused(text, (size_t)length, cases[k].status);
    }
}

/* HTTP/1.0 knows no chunks: another program would take them for the next request. */
static void chunks_need_http_1_1(void **state)
{
    (void)state;
    assert_text_refused("POST /v1/jobs HTTP/1.0\r\n" JSON_HEAD
                        "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\n{}\r\n"
                        "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        400);
}

static void endless_heads_are_refused(void **state)
{
    static const int sizes[] = {20 << 10, 60 << 10,
                                1 << 20}; /* over our limit, over libmicrohttpd's, far over */
    char *text = malloc((1 << 20) + 128);

    (void)state;
    assert_non_null(text);
    for (int k = 0; k < 3; k++) { /* one header, then a long path */
        int length = sprintf(text, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
        memset(text + length, 'a', (size_t)sizes[k]);
        strcpy(text + length + sizes[k], "\r\nConnection: close\r\n\r\n");
        assert_text_refused(text, 431);
        memcpy(text, "GET /", 5);
        memset(text + 5, 'a', (size_t)sizes[k]);
        strcpy(text + 5 + sizes[k], " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert_text_refused(text, 431);
    }
    free(text);
}

/* ---- bodies ---- */

static void bodies_that_are_invalid_are_refused(void **state)
{
    static const char nul[] = "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                              "Content-Length: 5\r\nConnection: close\r\n\r\n{\"\0\"}";

    (void)state;
    assert_refused(nul, sizeof nul - 1, 400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Content-Length: 8\r\nConnection: close\r\n\r\n{\"\xc3\x28\":1}",
                        400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Transfer-Encoding: chunked\r\n\r\nno size\r\n",
                        400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}and more\r\n0\r\n\r\n",
                        400);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\n",
                        413);
    assert_text_refused(
        "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD "Content-Length: 2147483648\r\n\r\n{", 413);
    assert_text_refused("POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                        "Expect: 100-continue\r\nContent-Length: 2147483648\r\n\r\n",
                        413);
}

static void deep_json_is_refused(void **state)
{
    char *text = malloc(2 * DEPTH + 1);

    (void)state;
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = '\0';
    struct reply reply = client_post(daemon_here.port, "/v1/jobs", text);
    assert_problem(&reply, 400, "bad-json");
    reply_free(&reply);
    free(text);
}

/* Sends chunks after the head until the server answers (at most 64 MB), and writes the answer to
 * `size` bytes of ret_answer. */
static void send_chunks_without_end(const char *head, size_t size, char *ret_answer)
{
    char block[4096 + 16];
    int fd = client_connect(daemon_here.port), length;
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    send_all(fd, head, strlen(head));
    length = sprintf(block, "1000\r\n");
    memset(block + length, ' ', 4096);
    memcpy(block + length + 4096, "\r\n", 2);
    for (int k = 0; k < 16384 && poll(&wait, 1, 0) == 0; k++)
        send_all(fd, block, (size_t)length + 4096 + 2);
    assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used < size - 1;) { /* head and body may arrive separately */
        got = recv(fd, ret_answer + used, size - 1 - used, 0);
        used += got > 0 ? (size_t)got : 0;
    }
    assert_true(used > 0);
    ret_answer[used] = '\0';
    close(fd);
}

/* A fault in the head is reported even if the body then grows too large. */
static void endless_chunks_are_refused(void **state)
{
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"
    static const struct {
        const char *head, *status, *slug;
    } cases[] = {
        {"POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD CHUNKED, "HTTP/1.1 413 ", "too-large"},
        {"OPTIONS /v1/jobs HTTP/1.1\r\n" JSON_HEAD CHUNKED, "HTTP/1.1 413 ", "too-large"},
        {"POST /v1/nothing HTTP/1.1\r\n" JSON_HEAD CHUNKED, "HTTP/1.1 404 ", "not-found"},
        {"DELETE /v1/jobs HTTP/1.1\r\n" JSON_HEAD CHUNKED, "HTTP/1.1 405 ", "method-not-allowed"},
        {"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n" CHUNKED,
         "HTTP/1.1 415 ", "media-type"}};
    char answer[4096], type[64];

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        send_chunks_without_end(cases[k].head, sizeof answer, answer);
        if (strncmp(answer, cases[k].status, strlen(cases[k].status)) != 0)
            fail_msg("not %s: %s (to: %.60s)", cases[k].status, answer, cases[k].head);
        assert_non_null(strstr(answer, "Content-Type: application/problem+json\r\n"));
        assert_non_null(strstr(answer, "X-Request-Id: "));
        snprintf(type, sizeof type, "\"/problems/%s\"", cases[k].slug);
        assert_non_null(strstr(answer, type));
        if (strcmp(cases[k].slug, "method-not-allowed") == 0)
            assert_non_null(strstr(answer, "\r\nAllow: "));
    }
#undef CHUNKED
}

static void chunks_of_one_byte_are_accepted(void **state)
{
    static const char head[] = "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                               "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    char text[sizeof head + 6 * sizeof MATCH + 5];
    int length = sprintf(text, "%s", head);

    (void)state;
    for (const char *at = MATCH; *at; at++)
        length += sprintf(text + length, "1\r\n%c\r\n", *at);
    length += sprintf(text + length, "0\r\n\r\n");
    char *answer = client_raw(daemon_here.port, text, (size_t)length, PATIENCE_MS);
    assert_int_equal(strncmp(answer, "HTTP/1.1 202 ", 13), 0);
    free(answer);
}

static void a_hundred_requests_are_answered_at_once(void **state)
{
    static const char one[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const char last[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char text[100 * sizeof one + sizeof last];
    int length = 0, answers = 0;

    (void)state;
    for (int k = 0; k < 99; k++)
        length += sprintf(text + length, "%s", one);
    length += sprintf(text + length, "%s", last);
    char *all = client_raw(daemon_here.port, text, (size_t)length, PATIENCE_MS);
    for (const char *at = all; (at = strstr(at, "HTTP/1.1 200 OK")) != NULL; at++)
        answers++;
    assert_int_equal(answers, 100);
    free(all);
}

/* ---- connections ---- */

/* A head and a body that never end, sent byte by byte: both get 408 after half a minute, however
 * steadily they send. */
static void slow_requests_are_ended_with_408(void **state)
{
    static const char *const starts[] = {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
                                         "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                                         "Content-Length: 1000\r\n\r\n"};
    struct pollfd waits[2];
    int ended = 0;

    (void)state;
    for (int k = 0; k < 2; k++) {
        waits[k] = (struct pollfd){.fd = client_connect(daemon_here.port), .events = POLLIN};
        send_all(waits[k].fd, starts[k], strlen(starts[k]));
    }
    for (int k = 0; ended < 2; k++) {
        assert_true(k < 120); /* a minute, unless the test itself is delayed */
        poll(waits, 2, 500);
        for (int n = 0; n < 2; n++) {
            char answer[512];
            if (waits[n].fd < 0)
                continue;
            if (!(waits[n].revents & POLLIN)) {
                send_all(waits[n].fd, " ", 1);
                continue;
            }
            ssize_t got = recv(waits[n].fd, answer, sizeof answer - 1, 0);
            assert_true(got > 0);
            answer[got] = '\0';
            assert_int_equal(strncmp(answer, "HTTP/1.1 408 ", 13), 0);
            assert_non_null(strstr(answer, "application/problem+json"));
            assert_non_null(strstr(answer, "\r\nX-Request-Id: "));
            close(waits[n].fd);
            waits[n].fd = -1; /* poll() skips it */
            ended++;
        }
    }
}

/* Slow heads, slow bodies and silent connections, all at once. */
static void waiting_connections_do_not_block_others(void **state)
{
    static const char *const starts[] = {"", "GET /healthz HT",
                                         "POST /v1/jobs HTTP/1.1\r\n" JSON_HEAD
                                         "Content-Length: 100\r\n\r\n{",
                                         "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n"};
    int *fds = calloc((size_t)crowd, sizeof *fds);

    (void)state;
    assert_non_null(fds);
    for (int k = 0; k < crowd; k++) {
        fds[k] = client_connect(daemon_here.port);
        send_all(fds[k], starts[k % 4], strlen(starts[k % 4]));
    }
    for (int k = 0; k < 3; k++) { /* a byte now and then, like slow loris */
        for (int n = 0; n < crowd; n++)
            if (n % 4 != 0)
                send_all(fds[n], " ", 1);
        assert_healthy();
    }
    struct reply reply = client_post(daemon_here.port, "/v1/jobs", MATCH);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    for (int k = 0; k < crowd; k++)
        close(fds[k]);
    free(fds);
}

static void add_jobs(int count)
{
    for (int k = 0; k < count; k++) {
        struct reply reply = client_post(daemon_here.port, "/v1/jobs", MATCH);
        assert_int_equal(reply.status, 202);
        reply_free(&reply);
    }
}

static void clients_that_do_not_read_block_nobody(void **state)
{
    static const char request[] = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fds[READERS];

    (void)state;
    for (int k = 0; k < READERS; k++) {
        int small = 1024;
        fds[k] = client_connect(daemon_here.port);
        setsockopt(fds[k], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        send_all(fds[k], request, sizeof request - 1);
        if (k % 2)
            close(fds[k]);
    }
    add_jobs(100); /* events for the streams */
    assert_healthy();
    for (int k = 0; k < READERS; k += 2)
        close(fds[k]);
}

/* The daemon sends nothing meanwhile, so it must notice by itself. Its ping after 15 s comes later
 * than compare() waits. */
static void closed_connections_are_noticed_at_once(void **state)
{
    enum { OF_EVENTS = 20, WHO_WAIT = 20 };
    static const char events[] = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fds[OF_EVENTS + WHO_WAIT];
    char wait[128], head[64];

    (void)state;
    struct reply job = client_post(daemon_here.port, "/v1/jobs", MATCH);
    assert_int_equal(job.status, 202);
    snprintf(wait, sizeof wait,
             "GET /v1/jobs/%lld HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\n\r\n",
             json_integer_value(json_object_get(job.json, "id")));
    reply_free(&job);
    for (int k = 0; k < OF_EVENTS + WHO_WAIT; k++) {
        fds[k] = client_connect(daemon_here.port);
        if (k < WHO_WAIT)
            send_all(fds[k], wait, strlen(wait));
        else
            send_all(fds[k], events, sizeof events - 1);
    }
    for (int k = WHO_WAIT; k < OF_EVENTS + WHO_WAIT; k++)
        assert_true(recv(fds[k], head, sizeof head, 0) > 0);
    pause_ms(1200); /* by now they sleep, perhaps after one wake-up to check */
    assert_true(open_files() >
                files_before + OF_EVENTS); /* other connections may have closed meanwhile */
    for (int k = 0; k < OF_EVENTS + WHO_WAIT; k++)
        close(fds[k]);
}

static void a_hang_up_frees_the_search_worker(void **state)
{
    char text[1024];
    int length = sprintf(
        text, "POST /v1/shots HTTP/1.1\r\n" JSON_HEAD "Content-Length: %zu\r\n\r\n" LONG_SHOT,
        sizeof LONG_SHOT - 1);

    (void)state;
    for (int k = 0; k < 5; k++) {
        int fd = client_connect(daemon_here.port);
        send_all(fd, text, (size_t)length);
        pause_ms(k * 20);
        close(fd);
    }
    /* The workers are free again long before the 20 s that each query was given. */
    for (int k = 0;; k++) {
        struct reply reply = client_get(daemon_here.port, "/metrics");
        bool idle = strstr(reply.text, "\nrinkd_shots_thinking 0\n") &&
                    strstr(reply.text, "\nrinkd_shots_waiting 0\n");
        reply_free(&reply);
        if (idle)
            break;
        assert_true(k < 500);
        pause_ms(20);
    }
}

/* ---- callers ---- */

static void requests_of_web_pages_are_refused(void **state)
{
    static const char *const foreign[] = {"Host: example.org",
                                          "Host: localhost.example.org",
                                          "Host: 127.0.0.1.example.org:80",
                                          "Host: 10.0.0.1",
                                          "Origin: http://example.org",
                                          "Origin: null",
                                          "Origin: http://localhost.example.org",
                                          "Origin: http://localhost:3000",
                                          "Origin: http://127.0.0.1"};
    char origin[64];
    const char *const own[] = {"Host: localhost", "Host: LOCALHOST:80", "Host: 127.0.0.1:1",
                               "Host: [::1]:8080", origin};

    (void)state;
    snprintf(origin, sizeof origin, "Origin: http://127.0.0.1:%d", daemon_here.port);
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        struct reply reply = client_call(
            daemon_here.port, &(struct client_call){.path = "/v1/version",
                                                    .header = (const char *[]){foreign[k], NULL}});
        assert_problem(&reply, 403, "forbidden");
        reply_free(&reply);
    }
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        struct reply reply = client_call(
            daemon_here.port,
            &(struct client_call){.path = "/v1/version", .header = (const char *[]){own[k], NULL}});
        assert_int_equal(reply.status, 200);
        reply_free(&reply);
    }
}

static void unsupported_media_types_are_refused(void **state)
{
    static const struct {
        const char *method, *path, *accept;
        long status;
    } calls[] = {
        {"GET", "/v1/version", "Accept: image/png", 406},
        {"GET", "/v1/version", "Accept: text/*, application/json;q=0", 406},
        {"GET", "/v1/version", "Accept: text/html, */*;q=0.1", 200},
        {"GET", "/v1/version", "Accept: application/*", 200},
        {"GET", "/v1/version", "Accept: APPLICATION/JSON; charset=utf-8", 200},
        {"GET", "/metrics", "Accept: text/plain", 200},
        {"GET", "/metrics", "Accept: application/json", 406},
        {"GET", "/v1/events", "Accept: application/json", 406},
        {"POST", "/v1/jobs", "Accept: text/csv", 406},
        {"POST", "/v1/jobs", "Accept: application/json", 202},
    };

    (void)state;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const char *headers[] = {calls[k].accept, "Content-Type: application/json", NULL};
        struct reply reply = client_call(
            daemon_here.port, &(struct client_call){.method = calls[k].method,
                                                    .path = calls[k].path,
                                                    .body = *calls[k].method == 'P' ? MATCH : NULL,
                                                    .header = headers});
        if (calls[k].status == 406)
            assert_problem(&reply, 406, "not-acceptable");
        assert_int_equal(reply.status, calls[k].status);
        reply_free(&reply);
    }
}

/* ---- a daemon with tokens and a quota ---- */

enum { PER_S = 5 };

static const char *const no_header[] = {NULL};

static long status_with(const struct daemon_process *daemon, const char *const *header)
{
    struct reply reply =
        client_call(daemon->port, &(struct client_call){.path = "/v1/version", .header = header});
    char after[8];
    long status = reply.status;

    if (status == 401)
        assert_problem(&reply, 401, "unauthorized");
    if (status == 429) {
        assert_problem(&reply, 429, "too-many-requests");
        assert_string_equal(reply_header(&reply, "Retry-After", sizeof after, after), "1");
    }
    reply_free(&reply);
    return status;
}

static void tokens_and_quotas_are_enforced(void **state)
{
    /* SHA-256 of "one" and of "two". */
    static const char tokens[] =
        "a read 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\n"
        "b read 3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3\n";
    static const char *const wrong[] = {
        "Authorization: Bearer ",
        "Authorization: Bearer on",
        "Authorization: Bearer onee",
        "Authorization: Basic one",
        "Authorization: one",
        ("Authorization: Bearer 7692c3ad3540bb803c020b3aee66cd888712"
         "3234ea0c6e7143c0add73ff431ed")};
    const char *one[] = {"Authorization: Bearer one", NULL};
    const char *two[] = {"Authorization: Bearer two", NULL};
    struct daemon_process daemon;
    char path[128];
    int status, good = 0, refused = 0;

    (void)state;
    daemon_prepare(&daemon);
    snprintf(path, sizeof path, "%s/tokens", daemon.folder);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(tokens, file);
    assert_int_equal(fclose(file), 0);
    assert_true(daemon_start(
        &daemon, (const char *[]){"--tokens", path, "--requests-per-s", "5", NULL}, &status));
    assert_int_equal(status_with(&daemon, no_header), 401);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(status_with(&daemon, (const char *[]){wrong[k], NULL}), 401);
    while (refused == 0) { /* above the quota */
        long got = status_with(&daemon, one);
        good += got == 200;
        refused += got == 429;
        assert_true(got == 200 || got == 429);
    }
    assert_true(good >= PER_S);
    assert_int_equal(status_with(&daemon, two), 200);         /* another caller */
    struct reply reply = client_get(daemon.port, "/healthz"); /* needs no token */
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    pause_ms(1100);
    assert_int_equal(status_with(&daemon, one), 200);
    assert_int_equal(daemon_end(&daemon, SIGTERM), 0);
    daemon_remove(&daemon);
}

static int start_all(void **state)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    return daemon_start_here(state);
}

#define HOSTILE(function) cmocka_unit_test_setup_teardown(function, remember, compare)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        HOSTILE(invalid_heads_are_refused),
        HOSTILE(ambiguous_heads_are_refused),
        HOSTILE(endless_heads_are_refused),
        HOSTILE(bodies_that_are_invalid_are_refused),
        HOSTILE(deep_json_is_refused),
        HOSTILE(chunks_need_http_1_1),
        HOSTILE(endless_chunks_are_refused),
        HOSTILE(chunks_of_one_byte_are_accepted),
        HOSTILE(a_hundred_requests_are_answered_at_once),
        HOSTILE(slow_requests_are_ended_with_408),
        HOSTILE(waiting_connections_do_not_block_others),
        HOSTILE(clients_that_do_not_read_block_nobody),
        HOSTILE(closed_connections_are_noticed_at_once),
        HOSTILE(a_hang_up_frees_the_search_worker),
        HOSTILE(requests_of_web_pages_are_refused),
        HOSTILE(unsupported_media_types_are_refused),
        cmocka_unit_test(tokens_and_quotas_are_enforced),
    };

    if (argc > 1)
        crowd = atoi(argv[1]);
    if (crowd < 1)
        return 2;
    return cmocka_run_group_tests(tests, start_all, daemon_end_here);
}
