/* The daemon as its operator meets it: settings that change while it runs, and too many callers. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* SHA-256 of "abc" and of "abd" */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABD "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"

static void wait_for_log(const struct daemon_process *daemon, const char *text)
{
    for (bool found = false; !found;) {
        char *log = daemon_log(daemon);
        found = strstr(log, text) != NULL;
        free(log);
        usleep(10000);
    }
}

/* ---- settings ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static long status_with(const struct daemon_process *daemon, const char *token)
{
    char header[80];

    snprintf(header, sizeof header, "Authorization: Bearer %s", token);
    const char *const headers[] = {header, NULL};
    struct reply reply =
        client_call(daemon->port, &(struct client_call){.path = "/v1/jobs", .header = headers});
    long status = reply.status;
    reply_free(&reply);
    return status;
}

static void a_hang_up_signal_reads_the_settings_again(void **state)
{
    struct daemon_process *daemon = *state;
    char tokens[128], settings[128];

    snprintf(tokens, sizeof tokens, "%s/tokens", daemon->folder);
    snprintf(settings, sizeof settings, "%s/rinkd.json", daemon->folder);
    write_file(tokens, "ann read " ABC "\n");
    write_file(settings, "{\"log_level\":\"info\",\"drain_ms\":1000}");
    daemon_start_well(daemon, (const char *[]){"--tokens", tokens, "--config", settings, NULL});
    assert_int_equal(status_with(daemon, "abc"), 200);
    assert_int_equal(status_with(daemon, "abd"), 401);

    write_file(tokens, "bob read " ABD "\n");
    write_file(settings, "{\"log_level\":\"debug\",\"drain_ms\":2000}");
    assert_int_equal(kill(daemon->pid, SIGHUP), 0);
    wait_for_log(daemon, "settings read again");
    wait_for_log(daemon, "setting waits for a restart name=drain_ms");
    assert_int_equal(status_with(daemon, "abc"), 401);
    assert_int_equal(status_with(daemon, "abd"), 200);

    write_file(tokens, "bob everything " ABC "\n");
    assert_int_equal(kill(daemon->pid, SIGHUP), 0);
    wait_for_log(daemon, "settings stay as they were");
    assert_int_equal(status_with(daemon, "abd"), 200);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static char *log_of_environment(const struct daemon_process *daemon, const char *environment)
{
    char command[512];
    size_t size = 0;
    char *text = NULL;

    snprintf(command, sizeof command,
             "%s '%s' --check-config --listen 127.0.0.1:0 --data '%s' 2>&1 >/dev/null", environment,
             RINKD, daemon->data);
    FILE *out = popen(command, "re");
    assert_non_null(out);
    if (getdelim(&text, &size, '\0', out) < 0) {
        free(text);
        text = strdup("");
    }
    assert_int_equal(pclose(out), 0);
    return text;
}

/* A misspelt name would otherwise be ignored silently. */
static void unknown_variables_are_told_in_the_format_of_the_log(void **state)
{
    const struct daemon_process *daemon = *state;
    char *log = log_of_environment(
        daemon,
        "env RINKD_WORKRES=3 RINKD_WEIGHTS= RINKD_WORKERS=2 RINKD_PORT=x "
        "RINKD_PORT_80_TCP=y RINKD_SERVICE_HOST=z RINKD_PORTS=4 RINKD_workers=5 rinkd_data=6");

    assert_non_null(strstr(log, " warning unknown variable name=RINKD_WORKRES why="));
    assert_non_null(strstr(log, "name=RINKD_PORTS "));
    assert_non_null(strstr(log, "name=RINKD_workers "));
    assert_non_null(strstr(log, "name=rinkd_data "));
    assert_null(strstr(log, "name=RINKD_WEIGHTS")); /* for the workers */
    assert_null(strstr(log, "name=RINKD_WORKERS"));
    assert_null(strstr(log, "name=RINKD_PORT ")); /* set by Kubernetes */
    assert_null(strstr(log, "name=RINKD_PORT_80_TCP"));
    assert_null(strstr(log, "name=RINKD_SERVICE_HOST"));
    free(log);

    log = log_of_environment(daemon, "env RINKD_LOG_FORMAT=json \"$(printf 'RINKD_A\\nB=1')\"");
    json_t *line = json_loads(log, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(json_string_value(json_object_get(line, "name")), "RINKD_A\nB");
    json_decref(line);
    free(log);
}

/* ---- shipped weights ---- */

#define NULLS "[null,null,null,null,null,null,null,null]"
#define SHOT                                                                              \
    "{\"profile\":\"dc3\",\"limits\":{\"simulations\":200},\"player\":\"%s\",\"state\":{" \
    "\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},"   \
    "\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}}}"

static void assert_shot(const struct daemon_process *daemon, const char *player, long status)
{
    char body[1024];

    snprintf(body, sizeof body, SHOT, player);
    struct reply reply = client_post(daemon->port, "/v1/shots", body);
    if (reply.status != status)
        fail_msg("%s: %ld, not %ld: %s", player, reply.status, status, reply.text);
    assert_null(strstr(reply.text, daemon->folder)); /* no paths of the server */
    reply_free(&reply);
}

static void run(const char *format, const char *folder)
{
    char command[512];

    snprintf(command, sizeof command, format, folder);
    assert_int_equal(system(command), 0);
}

static void missing_weights_are_reported(void **state)
{
    struct daemon_process *daemon = *state;
    char weights[128];
    int status;

    snprintf(weights, sizeof weights, "%s/weights", daemon->folder);
    assert_int_equal(mkdir(weights, 0700), 0);
    run("cp " SHIPPED_WEIGHTS "/*.safetensors '%s'", weights);
    run("printf x >>'%s/end_value_dc3_for_sente.safetensors'", weights);
    assert_int_equal(setenv("RINKD_WEIGHTS", weights, 1), 0);
    assert_false(daemon_start(daemon, (const char *[]){"--check-config", NULL}, &status));
    assert_int_equal(status, 1);
    wait_for_log(daemon, "end_value_dc3_for_sente.safetensors: the file is damaged");

    daemon_start_well(daemon, NULL);
    struct reply reply = client_get(daemon->port, "/readyz");
    while (strstr(reply.text, "starting")) {
        reply_free(&reply);
        usleep(10000);
        reply = client_get(daemon->port, "/readyz");
    }
    assert_problem(&reply, 503, "no-worker");
    assert_non_null(strstr(reply.text, "weights of the players are missing or damaged"));
    reply_free(&reply);
    assert_shot(daemon, "rink", 500);
    assert_shot(daemon, "rink", 500);
    assert_shot(daemon, "ai-simple", 200);
    char *log = daemon_log(daemon);
    assert_null(strstr(log, "worker died"));
    free(log);

    run("cp " SHIPPED_WEIGHTS "/*.safetensors '%s'", weights); /* the operator mends it */
    assert_shot(daemon, "rink", 200);
    daemon_wait_ready(daemon);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    unsetenv("RINKD_WEIGHTS");
}

/* ---- a data folder that goes away ---- */

/* Every write to a file that was removed still succeeds. */
static void a_removed_database_is_reported(void **state)
{
    struct daemon_process *daemon = *state;
    char away[128];

    daemon_start_well(daemon, (const char *[]){"--workers", "0", NULL});
    daemon_wait_ready(daemon);
    snprintf(away, sizeof away, "%s/away", daemon->folder);
    assert_int_equal(rename(daemon->data, away), 0);
    wait_for_log(daemon, "error database lost file=");
    struct reply reply = client_get(daemon->port, "/readyz");
    assert_problem(&reply, 507, "storage");
    assert_null(strstr(reply.text, daemon->folder));
    reply_free(&reply);
    reply = client_post(
        daemon->port, "/v1/jobs",
        "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\",\"pairs\":1}}");
    assert_problem(&reply, 507, "storage");
    reply_free(&reply);
    assert_int_equal(rename(away, daemon->data), 0);
    daemon_wait_ready(daemon);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static long status_of(const struct daemon_process *daemon, const char *path)
{
    struct reply reply = client_get(daemon->port, path);
    long status = reply.status;

    reply_free(&reply);
    return status;
}

/* ---- what others may read ---- */

/* Fails for a file below the folder that others than its owner may open. */
static int is_closed(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_SL && (about->st_mode & 077) != 0)
        fail_msg("%s has the mode %o", path, about->st_mode & 07777);
    return 0;
}

static void others_read_nothing_of_a_folder_that_was_there_before(void **state)
{
    struct daemon_process *daemon = *state;
    const char *const flags[] = {"--webhook-addresses", "any", NULL};
    char file[128];

    mode_t before = umask(022);
    assert_int_equal(mkdir(daemon->data, 0755), 0);
    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    struct reply reply =
        client_post(daemon->port, "/v1/webhooks", "{\"url\":\"http://127.0.0.1:9/\"}");
    assert_int_equal(reply.status, 201);
    reply_free(&reply);
    reply = client_post(daemon->port, "/v1/backup", "");
    assert_int_equal(reply.status, 201);
    reply_free(&reply);
    assert_int_equal(chmod(daemon->data, 0700), 0); /* the folder itself is the operator's */
    assert_int_equal(nftw(daemon->data, is_closed, 8, FTW_PHYS), 0);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    /* A database of an earlier version */
    snprintf(file, sizeof file, "%s/rinkd.db", daemon->data);
    assert_int_equal(chmod(file, 0644), 0);
    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    assert_int_equal(nftw(daemon->data, is_closed, 8, FTW_PHYS), 0);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    umask(before);
}

/* ---- below a path of a proxy ---- */

static void addresses_begin_with_the_base_path(void **state)
{
    struct daemon_process *daemon = *state;
    char value[128];

    daemon_start_well(daemon,
                      (const char *[]){"--workers", "0", "--base-path", "/ice/rinkd", NULL});
    daemon_wait_ready(daemon);
    static const char *const paths[] = {"/ice/rinkd/v1/jobs", "/v1/jobs"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        struct reply reply =
            client_post(daemon->port, paths[k], "{\"kind\":\"diagnose\",\"spec\":{}}");
        assert_int_equal(reply.status, 202);
        snprintf(value, sizeof value, "/ice/rinkd/v1/jobs/%d", (int)k + 1);
        char location[128];
        assert_string_equal(reply_header(&reply, "Location", sizeof location, location), value);
        reply_free(&reply);
        assert_int_equal(status_of(daemon, value), 200);
    }
    struct reply reply = client_get(daemon->port, "/ice/rinkd?x");
    assert_int_equal(reply.status, 308);
    assert_string_equal(reply_header(&reply, "Location", sizeof value, value), "/ice/rinkd/");
    reply_free(&reply);
    reply = client_get(daemon->port, "/ice/rinkd/");
    assert_int_equal(reply.status, 200);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(reply.json, "links"), "jobs")),
        "/ice/rinkd/v1/jobs");
    reply_free(&reply);
    assert_int_equal(status_of(daemon, "/ice/rinkdom/v1/jobs"), 404);
    reply = client_get(daemon->port, "/ice/rinkd/v1/jobs/");
    assert_problem(&reply, 404, "not-found");
    assert_non_null(strstr(reply.text, "no / at its end"));
    reply_free(&reply);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    int status;
    static const char *const bad[] = {"rinkd", "/", "/rinkd/", "//x", "/a//b", "/a b", "/../x"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(daemon_start(daemon, (const char *[]){"--base-path", bad[k], NULL}, &status));
}

/* ---- connections ---- */

enum { MOST = 16, CROWD = 200 };

static void fill(const struct daemon_process *daemon, int count, const char *text, int *ret_fds)
{
    for (int k = 0; k < count; k++) {
        ret_fds[k] = client_connect(daemon->port);
        if (send(ret_fds[k], text, strlen(text), MSG_NOSIGNAL) < 0)
            continue; /* the server has closed it already */
    }
}

static void empty(int count, const int *fds)
{
    for (int k = 0; k < count; k++)
        close(fds[k]);
}

static void idle_connections_do_not_lock_others_out(void **state)
{
    struct daemon_process *daemon = *state;
    int fds[CROWD];

    daemon_start_well(daemon, (const char *[]){"--connections-max", "16", NULL});
    daemon_wait_ready(daemon);
    fill(daemon, CROWD, "", fds);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(status_of(daemon, "/healthz"), 200);
        assert_int_equal(status_of(daemon, "/v1/jobs"), 200);
    }
    struct reply page = client_get(daemon->port, "/metrics");
    const char *count = strstr(page.text, "\nrinkd_connections_ended_total ");
    assert_non_null(count);
    assert_true(atoi(count + strlen("\nrinkd_connections_ended_total ")) >= CROWD - MOST);
    assert_non_null(strstr(page.text, "\nrinkd_connections "));
    reply_free(&page);
    wait_for_log(daemon, "too many connections connections_max=16 idle_ended=");
    empty(CROWD, fds);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static void health_checks_get_through_when_all_connections_are_at_work(void **state)
{
    struct daemon_process *daemon = *state;
    int fds[MOST];

    daemon_start_well(daemon, (const char *[]){"--connections-max", "16", NULL});
    daemon_wait_ready(daemon);
    fill(daemon, MOST, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n", fds);
    for (int k = 0; k < MOST; k++) {
        char first;
        assert_int_equal(recv(fds[k], &first, 1, 0), 1); /* the stream has begun */
    }
    assert_int_equal(status_of(daemon, "/healthz"), 200);
    assert_int_equal(status_of(daemon, "/readyz"), 200);
    assert_int_equal(status_of(daemon, "/metrics"), 200);
    struct reply reply = client_get(daemon->port, "/v1/jobs");
    while (reply.status == 200) { /* the connection of an earlier call is not closed yet */
        reply_free(&reply);
        reply = client_get(daemon->port, "/v1/jobs");
    }
    assert_problem(&reply, 503, "busy");
    reply_free(&reply);
    empty(MOST, fds);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

#define DAEMON_TEST(function) \
    cmocka_unit_test_setup_teardown(function, daemon_prepare_here, daemon_remove_here)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DAEMON_TEST(a_hang_up_signal_reads_the_settings_again),
        DAEMON_TEST(unknown_variables_are_told_in_the_format_of_the_log),
        DAEMON_TEST(missing_weights_are_reported),
        DAEMON_TEST(a_removed_database_is_reported),
        DAEMON_TEST(others_read_nothing_of_a_folder_that_was_there_before),
        DAEMON_TEST(addresses_begin_with_the_base_path),
        DAEMON_TEST(idle_connections_do_not_lock_others_out),
        DAEMON_TEST(health_checks_get_through_when_all_connections_are_at_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
