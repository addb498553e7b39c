/* The daemon as a program: how it starts, what it refuses to start with, and how it ends. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void start(struct daemon_process *daemon)
{
    int status = 0;

    if (!daemon_start(daemon, NULL, &status)) {
        char *log = daemon_log(daemon);
        print_error("%s\n", log);
        free(log);
        fail_msg("the daemon ended with %d", status);
    }
}

/* It ends at once with status 1, and says something with `word` in it. */
static void assert_refuses(struct daemon_process *daemon, const char *const *flags,
                           const char *word)
{
    int status = 0;

    assert_false(daemon_start(daemon, flags, &status));
    assert_int_equal(status, 1);
    char *log = daemon_log(daemon);
    assert_non_null(strstr(log, word));
    free(log);
}

static void it_says_how_it_is(void **state)
{
    struct daemon_process *daemon = *state;

    start(daemon);
    daemon_wait_ready(daemon);
    struct reply reply = client_get(daemon->port, "/healthz");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = client_get(daemon->port, "/v1/version");
    assert_int_equal(reply.status, 200);
    assert_true(json_is_object(reply.json));
    reply_free(&reply);
    reply = client_get(daemon->port, "/metrics");
    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(reply.text, "\nrinkd_jobs{state=\"ready\"} 0\n"));
    assert_non_null(strstr(reply.text, "\nrinkd_request_seconds_bucket{le=\"+Inf\"} "));
    reply_free(&reply);
    reply = client_get(daemon->port, "/v2/nothing");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void it_drains_and_leaves_one_file(void **state)
{
    struct daemon_process *daemon = *state;
    struct stat about;
    char path[128];

    start(daemon);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    snprintf(path, sizeof path, "%s/rinkd.db", daemon->data);
    assert_int_equal(stat(path, &about), 0);
    snprintf(path, sizeof path, "%s/rinkd.db-wal", daemon->data);
    assert_true(stat(path, &about) != 0 || about.st_size == 0);
    char *log = daemon_log(daemon);
    assert_non_null(strstr(log, "stopped"));
    assert_null(strstr(log, " error "));
    free(log);
}

static void it_starts_again_after_a_kill(void **state)
{
    struct daemon_process *daemon = *state;

    for (int k = 0; k < 3; k++) {
        start(daemon);
        assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
    }
    start(daemon);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
}

/* A kill between the commit of a deletion and the removal of the files. */
static void folders_of_jobs_that_are_gone_are_removed_at_start(void **state)
{
    struct daemon_process *daemon = *state;
    char jobs[128], folder[160], file[192];

    snprintf(jobs, sizeof jobs, "%s/jobs", daemon->data);
    snprintf(folder, sizeof folder, "%s/4711", jobs);
    snprintf(file, sizeof file, "%s/records.jsonl", folder);
    start(daemon);
    assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
    mkdir(jobs, 0700);
    assert_int_equal(mkdir(folder, 0700), 0);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    snprintf(file, sizeof file, "%s/notes", jobs); /* somebody's own */
    assert_int_equal(mkdir(file, 0700), 0);

    start(daemon);
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
}

static void it_refuses_what_cannot_work(void **state)
{
    struct daemon_process *daemon = *state, other;
    char path[128];

    assert_refuses(daemon, (const char *[]){"--workers", "many", NULL}, "--workers");
    assert_refuses(daemon, (const char *[]){"--listen", "0.0.0.0:0", NULL}, "--tokens");
    assert_refuses(daemon, (const char *[]){"--listen", "192.0.2.1:0", "--tokens", "none", NULL},
                   "none: No such file");
    snprintf(path, sizeof path, "%s/not/there", daemon->folder);
    assert_refuses(daemon, (const char *[]){"--data", path, NULL},
                   "the folder that it is to be made in is not there");
    start(daemon);
    other = *daemon;
    assert_refuses(&other, NULL, "rinkd: "); /* the same folder */
    snprintf(path, sizeof path, "127.0.0.1:%d", daemon->port);
    char data[128];
    snprintf(data, sizeof data, "%s/other", daemon->folder);
    assert_refuses(&other, (const char *[]){"--data", data, "--listen", path, NULL},
                   "Address already in use");
    daemon_end(daemon, SIGTERM);
    snprintf(path, sizeof path, "%s/rink-search", daemon->programs);
    assert_int_equal(unlink(path), 0);
    assert_refuses(daemon, NULL, "rink-search");
}

static void a_default_player_has_to_be_one(void **state)
{
    struct daemon_process *daemon = *state;
    const char *const named[] = {"--player", "rink:simulations=50", NULL};
    int status;

    assert_refuses(daemon, (const char *[]){"--player", "nobody", NULL}, "--player nobody: ");
    assert_refuses(daemon, (const char *[]){"--player", "rink:speed=9", NULL},
                   "--player rink:speed=9: ");
    assert_true(daemon_start(daemon, named, &status));
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

/* In place of the program one that tells its players and then says nothing any more. */
static void put_silent_program(const struct daemon_process *daemon, const char *name,
                               const char *real)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", daemon->programs, name);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n[ \"$1\" != --list-players ] || exec '%s' \"$@\"\nexec sleep 60\n",
            real);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void it_says_every_reason_why_it_is_not_ready(void **state)
{
    struct daemon_process *daemon = *state;

    put_silent_program(daemon, "rink-search", RINK_SEARCH);
    put_silent_program(daemon, "rink-simulate", RINK_SIMULATE);
    start(daemon);
    struct reply reply = client_get(daemon->port, "/readyz");
    assert_problem(&reply, 503, "no-worker");
    assert_string_equal(json_string_value(json_object_get(reply.json, "detail")),
                        "the search workers are starting; the simulation worker is starting");
    reply_free(&reply);
    reply = client_get(daemon->port, "/healthz");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

/* What a worker needs stays with the workers: the daemon starts in no time and is small. */
static void it_links_no_engine(void **state)
{
    FILE *libraries = popen("ldd '" RINKD "'", "re");
    char line[512];
    int lines = 0;

    (void)state;
    assert_non_null(libraries);
    while (fgets(line, sizeof line, libraries)) {
        lines++;
        assert_null(strstr(line, "libtorch"));
        assert_null(strstr(line, "libc10"));
        assert_null(strstr(line, "libbox2d"));
        assert_null(strstr(line, "libopenblas"));
    }
    assert_int_equal(pclose(libraries), 0);
    assert_true(lines > 3);
}

#define DAEMON_TEST(function) \
    cmocka_unit_test_setup_teardown(function, daemon_prepare_here, daemon_remove_here)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DAEMON_TEST(it_says_how_it_is),
        DAEMON_TEST(it_drains_and_leaves_one_file),
        DAEMON_TEST(it_starts_again_after_a_kill),
        DAEMON_TEST(folders_of_jobs_that_are_gone_are_removed_at_start),
        DAEMON_TEST(it_refuses_what_cannot_work),
        DAEMON_TEST(a_default_player_has_to_be_one),
        DAEMON_TEST(it_says_every_reason_why_it_is_not_ready),
        cmocka_unit_test(it_links_no_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
