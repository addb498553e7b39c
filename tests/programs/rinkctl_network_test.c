/* rinkctl against servers that are down, busy or faulty: a stand-in plays them. */
#include "tests/programs/http_stand_in.h"
#include "tests/programs/rinkctl_run.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

static struct http_stand_in stand_in;

static void stage(const char *const *answers)
{
    stand_in_start(&stand_in, answers);
    use_port(stand_in.port);
}

/* Copies the Idempotency-Key of a request; "" if it has none. */
static void key_of(const char *request, char ret_key[64])
{
    const char *head = strstr(request, "\r\nIdempotency-Key: ");

    *ret_key = '\0';
    if (head)
        assert_int_equal(sscanf(head, "\r\nIdempotency-Key: %63[^\r]", ret_key), 1);
}

/* Cut off, then busy, then accepted: one job, since all three requests have the same key and
 * body. */
static void a_post_is_sent_again_with_the_same_key(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "", STAND_IN_ANSWER("503", "Retry-After: 1\r\n", "{\"title\":\"Everything is busy\"}"),
        STAND_IN_ANSWER("202", "Content-Type: application/json\r\n", "{\"id\":7,\"kind\":\"x\"}"),
        STAND_IN_ANSWER("202", "Content-Type: application/json\r\n", "{\"id\":8,\"kind\":\"x\"}"),
        NULL};
    char key[64], other[64];

    stage(answers);
    struct program_run run = rinkctl(WORDS("submit", "diagnose", "--seconds", "1"), "");
    assert_int_equal(run.status, 0);
    assert_has(run.output, "job   7\n");
    assert_has(run.errors, "the server is busy (status 503); trying again in 1 s");
    program_free(&run);
    expect(WORDS("submit", "diagnose", "--seconds", "1"), 0, NULL, NULL);
    stand_in_end(&stand_in);
    assert_int_equal(stand_in.count, 4);
    key_of(stand_in.requests[0], key);
    assert_int_equal(strlen(key), 32);
    assert_string_equal(stand_in.requests[0], stand_in.requests[1]);
    assert_string_equal(stand_in.requests[0], stand_in.requests[2]);
    assert_has(stand_in.requests[0], "\r\n\r\n{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}");
    key_of(stand_in.requests[3], other);
    assert_string_not_equal(key, other);
}

static void a_post_is_repeated_a_limited_number_of_times(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("503", "", "{\"title\":\"The service is shutting down\"}"),
        STAND_IN_ANSWER("503", "", "{\"title\":\"The service is shutting down\"}"), "", NULL};

    stage(answers);
    expect(WORDS("--retries=1", "submit", "diagnose"), 2, NULL, "The service is shutting down");
    expect(WORDS("--retries=0", "submit", "diagnose"), 3, NULL, "no answer from http://127.0.0.1:");
    stand_in_end(&stand_in);
    assert_int_equal(stand_in.count, 3);
}

/* Repeating a caller's mistake is pointless. */
static void a_refused_post_is_not_sent_again(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("422", "", "{\"title\":\"no\",\"detail\":\"because\"}"), NULL};

    stage(answers);
    expect(WORDS("submit", "diagnose"), 2, NULL,
           "rinkctl submit diagnose: no: because (POST /v1/jobs: status 422)\n");
    stand_in_end(&stand_in);
}

static void without_a_server_the_status_is_3(void **state)
{
    static const char *const answers[] = {NULL};

    (void)state;
    stage(answers);
    stand_in_end(&stand_in); /* nothing listens on the port now */
    expect(WORDS("jobs"), 3, NULL, "no answer from http://127.0.0.1:");
    expect(WORDS("status"), 3, NULL, "no answer from");
    expect(WORDS("watch", "7"), 3, NULL, "no answer from");
}

static void the_token_goes_with_the_request(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "", "{\"items\":[],\"next_cursor\":null}"),
        STAND_IN_ANSWER("403", "", "{\"title\":\"The token does not allow this\"}"),
        STAND_IN_ANSWER("200", "", "{\"items\":[],\"next_cursor\":null}"), NULL};
    char path[] = "/tmp/rinkctl-token-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0 && write(file, "from-a-file\nmore\n", 17) == 17 && close(file) == 0);
    stage(answers);
    assert_int_equal(setenv("RINKCTL_TOKEN", "from-the-environment", 1), 0);
    expect(WORDS("jobs"), 0, NULL, NULL);
    expect(WORDS("jobs", "--token-file", path), 2, NULL, "The token does not allow this");
    assert_int_equal(unsetenv("RINKCTL_TOKEN"), 0);
    expect(WORDS("jobs"), 0, NULL, NULL);
    stand_in_end(&stand_in);
    assert_has(stand_in.requests[0], "\r\nAuthorization: Bearer from-the-environment\r\n");
    assert_has(stand_in.requests[1], "\r\nAuthorization: Bearer from-a-file\r\n");
    assert_null(strstr(stand_in.requests[2], "Authorization"));
    assert_int_equal(unlink(path), 0);
}

/* A competition's server is named in a job, and a redirect names another service: neither is told
 * the token, nor asked at all. */
static void a_token_goes_to_the_daemon_alone(void **state)
{
    (void)state;
    static struct http_stand_in stranger;
    char url[64], head[128], redirect[256];
    const char *const answers[] = {STAND_IN_ANSWER("202", "", "{\"id\":7,\"kind\":\"compete\"}"),
                                   redirect, redirect, NULL};

    stand_in_listen(&stranger);
    snprintf(url, sizeof url, "127.0.0.1:%d", stranger.port);
    snprintf(head, sizeof head, "Location: http://%s/v1/jobs\r\n", url);
    snprintf(redirect, sizeof redirect, "HTTP/1.1 307 X\r\nConnection: close\r\n%s\r\n", head);
    stage(answers);
    assert_int_equal(setenv("RINKCTL_TOKEN", "secret", 1), 0);
    expect(WORDS("submit", "compete", "--server", url), 0, "job   7\n", NULL);
    expect(WORDS("submit", "diagnose"), 2, NULL, "status 307");
    expect(WORDS("jobs"), 2, NULL, "status 307");
    expect(WORDS("--server", url, "jobs"), 1, NULL, "did you mean --address?");
    assert_int_equal(unsetenv("RINKCTL_TOKEN"), 0);
    stand_in_end(&stand_in);
    assert_has(stand_in.requests[0], "\r\nAuthorization: Bearer secret\r\n");
    assert_has(stand_in.requests[0], url);
    assert_false(stand_in_was_called(&stranger));
}

static void lists_go_over_pages(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "", "{\"items\":[{\"id\":3},{\"id\":2}],\"next_cursor\":\"a&b\"}"),
        STAND_IN_ANSWER("200", "", "{\"items\":[{\"id\":1}],\"next_cursor\":\"c\"}"), NULL};

    stage(answers);
    struct program_run run = rinkctl(WORDS("jobs", "--state=done", "--limit=3"), "");
    assert_int_equal(run.status, 0);
    assert_has(run.output, "\n  3  ");
    assert_has(run.output, "\n  1  ");
    assert_has(run.errors, "there are more");
    program_free(&run);
    stand_in_end(&stand_in);
    assert_has(stand_in.requests[0], "GET /v1/jobs?state=done&limit=3 HTTP");
    assert_has(stand_in.requests[1], "GET /v1/jobs?state=done&limit=1&cursor=a%26b HTTP");
}

/* Text from players or workers must not control the terminal. */
static void texts_cannot_steer_the_terminal(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "",
                        "{\"id\":1,\"kind\":\"x\",\"error\":{\"detail\":\"a\\u001b[2Jb\\nc\"}}"),
        STAND_IN_ANSWER("200", "", "line\n\033]0;title\007\n"),
        STAND_IN_ANSWER("404", "", "{\"title\":\"x\\u001b[2J\"}"), NULL};

    stage(answers);
    expect(WORDS("job", "1"), 0, "a?[2Jb?c\n", NULL);
    expect(WORDS("log", "1"), 0, "line\n?]0;title?\n", NULL);
    expect(WORDS("log", "1"), 2, NULL, "x?[2J (GET");
    stand_in_end(&stand_in);
}

#define LEASED STAND_IN_ANSWER("200", "", "{\"id\":7,\"state\":\"leased\",\"progress\":0.1}")
#define DONE                                                                      \
    STAND_IN_ANSWER("200", "",                                                    \
                    "{\"id\":7,\"kind\":\"match\",\"state\":\"done\",\"result\":" \
                    "{\"profile\":\"dc3\"}}")
#define STREAM(events) STAND_IN_ANSWER("200", "Content-Type: text/event-stream\r\n", events)

static void a_stream_of_events_is_followed(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED,
        STREAM(":\n\nid: 5\nevent: reset\ndata: {\"state\":\"leased\",\"progress\":0.25}\n\n"
               "id: 6\r\nevent: progress\r\ndata: {\"progress\":0.75,\"eta_s\":90}\r\n\r\n"
               "event: unknown\ndata: {\"progress\":0.99}\n\nevent: progress\ndata: not json\n\n"
               "event: state\ndata: {\"state\":\"done\"}\n\nevent: done\ndata: {}\n\n"),
        DONE, NULL};

    stage(answers);
    struct program_run run = rinkctl(WORDS("watch", "7"), "");
    stand_in_end(&stand_in);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.errors, "job 7 leased, 10.0 %\njob 7 leased, 25.0 %\n"
                                    "job 7 leased, 75.0 %, 1 min 30 s left\njob 7 done, 75.0 %\n");
    assert_has(run.output, "profile  dc3\n");
    program_free(&run);
    assert_has(stand_in.requests[1], "GET /v1/jobs/7/events HTTP");
}

/* A running job goes on for a moment; the answer says what it will be. */
static void a_move_of_a_running_job_tells_what_follows(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("202", "", "{\"id\":7,\"state\":\"leased\",\"wanted\":\"paused\"}"), NULL};

    stage(answers);
    expect(WORDS("pause", "7"), 0, "job 7: leased, will be paused\n", NULL);
    stand_in_end(&stand_in);
}

/* The losses of a game add up to more than a whole win, so they are no share. */
static void the_losses_of_a_review_are_wins(void **state)
{
    (void)state;
    static const char *const answers[] = {
        STAND_IN_ANSWER("200", "",
                        "{\"id\":7,\"kind\":\"review\",\"state\":\"done\",\"result\":{\"teams\":["
                        "{\"team\":\"team0\",\"call_sum\":1.2173,\"execution_sum\":0.5}]}}"),
        NULL};

    stage(answers);
    struct program_run run = rinkctl(WORDS("job", "7"), "");
    stand_in_end(&stand_in);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "wins lost by all calls");
    assert_has(run.output, "1.2173");
    assert_null(strstr(run.output, "121.73"));
    program_free(&run);
}

/* Without events rinkctl polls. */
static void the_dashboard_polls_without_events(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED, STAND_IN_ANSWER("502", "", "no"), LEASED, "", DONE, NULL};

    stage(answers);
    expect(WORDS("watch", "7"), 0, "profile  dc3\n", "job 7 leased, 10.0 %\njob 7 done");
    stand_in_end(&stand_in);
}

static void watching_ends_after_the_patience(void **state)
{
    (void)state;
    static const char *const answers[] = {LEASED, STREAM(""), NULL};

    stage(answers);
    expect(WORDS("watch", "7", "--patience=0"), 3, NULL, "no answer from http://127.0.0.1:");
    stand_in_end(&stand_in);
}

static void a_job_that_is_deleted_ends_the_watching(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED, STREAM(""), STAND_IN_ANSWER("404", "", "{\"title\":\"There is nothing here\"}"),
        NULL};

    stage(answers);
    expect(WORDS("watch", "7"), 2, NULL, "There is nothing here (GET /v1/jobs/7: status 404)");
    stand_in_end(&stand_in);
}

/* Runs a program on a terminal and reads all its output; returns its exit status. */
static int run_on_terminal(const char *const *argv, size_t size, char *ret_text)
{
    size_t used = 0;
    ssize_t got;
    int terminal, status;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

    assert_true(pid >= 0);
    if (pid == 0) {
        execv(argv[0], (char *const *)(size_t)argv);
        _exit(127);
    }
    while (used < size - 1 && (got = read(terminal, ret_text + used, size - 1 - used)) > 0)
        used += (size_t)got; /* -1, EIO: the other side has closed */
    ret_text[used] = '\0';
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_terminal_gets_a_bar(void **state)
{
    (void)state;
    static const char *const answers[] = {
        LEASED,
        STREAM("event: progress\ndata: {\"progress\":0.5,\"eta_s\":3700}\n\n"
               "event: done\ndata: {}\n\n"),
        DONE, NULL};
    char text[8192];

    stage(answers);
    assert_int_equal(run_on_terminal(WORDS(RINKCTL, "watch", "7"), sizeof text, text), 0);
    stand_in_end(&stand_in);
    assert_has(text, "\rjob 7 [###---------------------------] leased, 10.0 %");
    assert_has(text, "\rjob 7 [###############---------------] leased, 50.0 %, 1 h 01 min left");
    assert_has(text, "\r\033[Kprofile  dc3\r\n"); /* the progress line is erased before the
                                                   * result */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_post_is_sent_again_with_the_same_key),
        cmocka_unit_test(a_post_is_repeated_a_limited_number_of_times),
        cmocka_unit_test(a_refused_post_is_not_sent_again),
        cmocka_unit_test(without_a_server_the_status_is_3),
        cmocka_unit_test(the_token_goes_with_the_request),
        cmocka_unit_test(a_token_goes_to_the_daemon_alone),
        cmocka_unit_test(lists_go_over_pages),
        cmocka_unit_test(texts_cannot_steer_the_terminal),
        cmocka_unit_test(a_stream_of_events_is_followed),
        cmocka_unit_test(a_move_of_a_running_job_tells_what_follows),
        cmocka_unit_test(the_losses_of_a_review_are_wins),
        cmocka_unit_test(the_dashboard_polls_without_events),
        cmocka_unit_test(watching_ends_after_the_patience),
        cmocka_unit_test(a_job_that_is_deleted_ends_the_watching),
        cmocka_unit_test(a_terminal_gets_a_bar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
