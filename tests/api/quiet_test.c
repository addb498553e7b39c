/* A daemon that waits is quiet, whatever it waits for. Counted are commits and the processor time
 * of the daemon's process, which do not depend on what else the machine does. */
#include "tests/api/jobs.h"
#include "tests/slow.h"

#include <sys/resource.h>

enum { LISTENERS = 1000, WINDOW_S = 5, COMMITS_S = 2 };

/* Of a core. */
static const double cpu_most = SLOW_OR(0.05, 0.01);

#define LONG_DELAY "\"delay_s\":3600"
#define MATCH(more)                                                                              \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1,\"ends\":1}" \
    "" more "}"

static int64_t game_job;
static int sockets[LISTENERS + 4], socket_count;

/* ---- counting ---- */

static long commits(void)
{
    static const char name[] = "\nrinkd_commits_total ";
    struct reply page = ask("GET", "/metrics", NULL, 200);
    const char *at = strstr(page.text, name);

    assert_non_null(at);
    long count = strtol(at + strlen(name), NULL, 10);
    reply_free(&page);
    return count;
}

static double cpu_s(void)
{
    char path[40];
    unsigned long user, system;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)daemon_here.pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file,
                            "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                            &user, &system),
                     2);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Waits until whatever has just been asked for is done: then a second without any commit. */
static void settle(void)
{
    for (double end_s = 0; patience_left(&end_s);) {
        long before = commits();
        sleep(1);
        if (commits() - before <= COMMITS_S)
            return;
    }
    fail_msg("the daemon never gets quiet: more than %d commits each second", COMMITS_S);
}

static void is_quiet(const char *why)
{
    settle();
    long commits_before = commits();
    double cpu_before = cpu_s(), began = clock_now_s();
    sleep(WINDOW_S);
    double cpu = cpu_s() - cpu_before, seconds = clock_now_s() - began;
    long count = commits() - commits_before;

    print_message("%s: %ld commits, %.1f ms of a core in %.1f s\n", why, count, 1e3 * cpu, seconds);
    if ((double)count > COMMITS_S * seconds)
        fail_msg("%s: %ld commits in %.1f s", why, count, seconds);
    if (cpu > cpu_most * seconds)
        fail_msg("%s: %.1f ms of a core in %.1f s", why, 1e3 * cpu, seconds);
}

/* ---- what it waits for ---- */

static int64_t add_delayed(void)
{
    return add(MATCH("," LONG_DELAY));
}

static void an_idle_daemon_is_quiet(void **state)
{
    (void)state;
    is_quiet("idle");
}

static void a_delayed_job_is_quiet(void **state)
{
    (void)state;
    add_delayed();
    is_quiet("a delayed job");
}

/* The worker dies; a test cannot wait for the longest back-off, so this one is made long. */
static void a_job_that_is_tried_again_later_is_quiet(void **state)
{
    int64_t id = add("{\"kind\":\"match\",\"spec\":{\"a\":\"rink\",\"b\":\"random\"},"
                     "\"max_attempts\":100}");
    bool waits = false;

    (void)state;
    while (!waits) {
        kill_worker();
        daemon_change_database(&daemon_here,
                               "UPDATE job SET run_at_ms = run_at_ms + 3600000 WHERE attempt = 1"
                               " AND state = 'ready' AND due = 0");
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        waits = strcmp(json_string_value(json_object_get(job, "state")), "ready") == 0 &&
                json_integer_value(json_object_get(job, "attempt")) == 1;
        json_decref(job);
        rest();
    }
    is_quiet("the back-off of a retry");
    expect("POST", "/v1/jobs/cancel", "{\"all\":true}", 200);
}

static void a_paused_job_is_quiet(void **state)
{
    char path[64];

    (void)state;
    snprintf(path, sizeof path, "/v1/jobs/%lld/pause", (long long)add_delayed());
    expect("POST", path, NULL, 202);
    is_quiet("a paused job");
}

static void send_on(int fd, const char *format, ...)
{
    char text[800];
    va_list arguments;

    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_int_equal(write(fd, text, (size_t)bytes), bytes);
}

/* Leaves a request open. */
static void hold(const char *method, const char *path, const char *headers, const char *body)
{
    int fd = client_connect(daemon_here.port);

    send_on(fd, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s", method, path,
            headers);
    send_on(fd, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    sockets[socket_count++] = fd;
}

static void a_node_that_waits_is_quiet(void **state)
{
    static const char node[] = "{\"name\":\"one\",\"cores\":4,\"versions\":{\"protocol\":3},"
                               "\"golden\":{\"throws/dc2\":\"0123456789abcdef\"}}";
    char body[200];

    (void)state;
    struct reply reply = ask("POST", "/v1/nodes", node, 201);
    snprintf(body, sizeof body, "{\"session\":\"%s\",\"cores\":4,\"wait_s\":60,\"tokens\":[]}",
             json_string_value(json_object_get(reply.json, "session")));
    reply_free(&reply);
    hold("POST", "/v1/nodes/one/claim", "", body);
    is_quiet("a node that waits for a task");
}

static void a_thousand_listeners_are_quiet(void **state)
{
    (void)state;
    for (int k = 0; k < LISTENERS; k++)
        hold("GET", "/v1/events", "", "");
    is_quiet("1,000 listeners");
}

static void a_review_that_waits_is_quiet(void **state)
{
    char body[200], path[64];

    (void)state;
    snprintf(body, sizeof body,
             "{\"kind\":\"review\",\"spec\":{\"game\":\"%lld-0-0\"}," LONG_DELAY "}",
             (long long)game_job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)add(body));
    hold("GET", path, "Prefer: wait=300\r\n", "");
    is_quiet("a review that waits, and who waits for it");
}

static void a_host_without_clients_is_quiet(void **state)
{
    int64_t id = add("{\"kind\":\"host\",\"spec\":{\"engine\":\"fast\",\"ends\":1,"
                     "\"team1\":\"ai-simple\",\"wait\":2000}}");

    (void)state;
    json_decref(wait_for(id, "leased"));
    is_quiet("a host without clients");
}

/* ---- */

static int start(void **state)
{
    struct rlimit files;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    set_up(state);
    game_job = add(MATCH(""));
    json_decref(wait_for(game_job, "done"));
    return 0;
}

static int end(void **state)
{
    while (socket_count > 0)
        close(sockets[--socket_count]);
    return daemon_end_here(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_daemon_is_quiet),
        cmocka_unit_test(a_delayed_job_is_quiet),
        cmocka_unit_test(a_job_that_is_tried_again_later_is_quiet),
        cmocka_unit_test(a_paused_job_is_quiet),
        cmocka_unit_test(a_review_that_waits_is_quiet),
        cmocka_unit_test(a_node_that_waits_is_quiet),
        cmocka_unit_test(a_thousand_listeners_are_quiet),
        cmocka_unit_test(a_host_without_clients_is_quiet),
    };
    return cmocka_run_group_tests(tests, start, end);
}
