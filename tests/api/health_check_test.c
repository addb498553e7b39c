/* rinkd --healthcheck, as a container engine runs it: beside the daemon, with its settings. */
#include "tests/api/daemon.h"
#include "tests/programs/http_stand_in.h"
#include "tests/programs/program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Checks for exit status 0 and "healthy", or 1 and a reason that contains these words. */
static void assert_says(const char *listen, const char *reason)
{
    struct program_run run =
        program_run((const char *[]){RINKD, "--healthcheck", "--listen", listen, NULL}, "", 0);

    if (reason) {
        assert_string_equal(run.output, "");
        assert_non_null(strstr(run.errors, "not healthy"));
        assert_non_null(strstr(run.errors, reason));
    } else {
        assert_string_equal(run.output, "healthy\n");
        assert_string_equal(run.errors, "");
    }
    assert_int_equal(run.status, reason ? 1 : 0);
    program_free(&run);
}

static void healthy_stopped_and_missing_daemons_are_told_apart(void **state)
{
    struct daemon_process daemon;
    char listen[64], everywhere[64];
    int status;
    struct timespec before, after;

    (void)state;
    unsetenv("RINKD_TEST_LISTEN");
    daemon_prepare(&daemon);
    assert_true(daemon_start(&daemon, NULL, &status));
    snprintf(listen, sizeof listen, "127.0.0.1:%d", daemon.port);
    snprintf(everywhere, sizeof everywhere, "0.0.0.0:%d", daemon.port);
    assert_says(listen, NULL);
    assert_says(everywhere, NULL); /* the check does not connect to 0.0.0.0 and needs no token */

    /* The kernel still accepts connections. */
    assert_int_equal(kill(daemon.pid, SIGSTOP), 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_says(listen, "timed out");
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_in_range(after.tv_sec - before.tv_sec, 2, 6);
    assert_int_equal(kill(daemon.pid, SIGCONT), 0);
    assert_says(listen, NULL);

    assert_true(daemon_end_well(&daemon));
    assert_says(listen, "Connection refused");
}

static void only_200_counts_as_healthy(void **state)
{
    static const char *const answers[] = {STAND_IN_ANSWER("503", "", ""),
                                          STAND_IN_ANSWER("200", "", "{}"),
                                          STAND_IN_ANSWER("503", "", ""), /* not ready yet */
                                          "",
                                          "HTTP/1.1 200",
                                          "HTTP/1.1 2000 OK\r\n\r\n",
                                          "SSH-2.0-OpenSSH\r\n",
                                          NULL};
    static const char *const reasons[] = {
        "503 X", NULL, "without a status", "without a status", "2000 OK", "SSH-2.0"};
    static struct http_stand_in stand_in;
    char listen[64];

    (void)state;
    stand_in_start(&stand_in, answers);
    snprintf(listen, sizeof listen, "127.0.0.1:%d", stand_in.port);
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        assert_says(listen, reasons[k]);
    stand_in_end(&stand_in);
    assert_int_equal(strncmp(stand_in.requests[0], "GET /healthz HTTP/1.1\r\n", 23), 0);
    assert_int_equal(strncmp(stand_in.requests[2], "GET /readyz HTTP/1.1\r\n", 22), 0);
}

static void a_url_is_required(void **state)
{
    (void)state;
    assert_says("127.0.0.1:0", "port 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_stopped_and_missing_daemons_are_told_apart),
        cmocka_unit_test(only_200_counts_as_healthy),
        cmocka_unit_test(a_url_is_required),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
