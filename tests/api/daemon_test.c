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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Checks that it exits at once with status 1 and a message that contains `word`. */
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

static void a_healthy_daemon_answers(void **state)
{
    struct daemon_process *daemon = *state;

    daemon_start_well(daemon, NULL);
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

static void the_daemon_drains_and_leaves_one_file(void **state)
{
    struct daemon_process *daemon = *state;
    struct stat about;
    char path[128];

    daemon_start_well(daemon, NULL);
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

static void the_daemon_restarts_after_a_kill(void **state)
{
    struct daemon_process *daemon = *state;

    for (int k = 0; k < 3; k++) {
        daemon_start_well(daemon, NULL);
        assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
    }
    daemon_start_well(daemon, NULL);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
}

static void make_folder(const struct daemon_process *daemon, const char *name)
{
    char path[192];

    snprintf(path, sizeof path, "%s/%s", daemon->data, name);
    mkdir(path, 0700);
    assert_int_equal(access(path, W_OK), 0);
}

static void make_file(const struct daemon_process *daemon, const char *name)
{
    char path[192];

    snprintf(path, sizeof path, "%s/%s", daemon->data, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(name, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static bool has_file(const struct daemon_process *daemon, const char *name)
{
    char path[192];

    snprintf(path, sizeof path, "%s/%s", daemon->data, name);
    return access(path, F_OK) == 0;
}

/* Returns whether a folder in lost+found has the file that make_file() made under this name. */
static bool is_found_again(const struct daemon_process *daemon, const char *name)
{
    char command[400];

    snprintf(command, sizeof command, "grep -qx '%s' '%s'/lost+found/*/'%s'", name, daemon->data,
             name);
    return system(command) == 0;
}

#define HEX_16      "0123456789abcdef"
#define WEIGHTS     "models/" HEX_16 HEX_16 HEX_16 HEX_16 ".safetensors"
#define OLD_RECORDS "jobs/4711/records.jsonl"

/* The database may be an old copy: files unknown to it may be all that is left of a month. */
static void unknown_files_are_moved_aside(void **state)
{
    struct daemon_process *daemon = *state;
    const char *const no_workers[] = {"--workers", "0", NULL};
    char checkpoint[64], folder[64];
    int status;

    assert_true(daemon_start(daemon, no_workers, &status));
    daemon_wait_ready(daemon);
    struct reply reply = client_post(
        daemon->port, "/v1/jobs",
        "{\"kind\":\"train\",\"spec\":{\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]}}}");
    assert_int_equal(reply.status, 202);
    int id = (int)json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);

    snprintf(folder, sizeof folder, "jobs/%d", id);
    snprintf(checkpoint, sizeof checkpoint, "jobs/%d/seed1-step9.checkpoint", id);
    make_folder(daemon, "jobs");
    make_folder(daemon, "jobs/4711");
    make_folder(daemon, "jobs/notes");
    make_folder(daemon, folder);
    make_folder(daemon, "models");
    make_file(daemon, OLD_RECORDS);
    make_file(daemon, checkpoint);
    make_file(daemon, WEIGHTS);
    make_file(daemon, "models/notes");
    make_file(daemon, WEIGHTS ".part");

    assert_true(daemon_start(daemon, no_workers, &status));
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
    assert_true(is_found_again(daemon, OLD_RECORDS));
    assert_true(is_found_again(daemon, checkpoint));
    assert_true(is_found_again(daemon, WEIGHTS));
    assert_false(has_file(daemon, "jobs/4711"));
    assert_false(has_file(daemon, checkpoint));
    assert_false(has_file(daemon, WEIGHTS));
    assert_false(has_file(daemon, WEIGHTS ".part")); /* the daemon's own partial file */
    assert_true(has_file(daemon, "jobs/notes"));     /* a user's file */
    assert_true(has_file(daemon, "models/notes"));
}

static void files_without_their_database_are_refused_or_adopted(void **state)
{
    struct daemon_process *daemon = *state;
    const char *const adopt[] = {"--adopt", NULL};
    char path[160];
    int status;

    daemon_start_well(daemon, NULL);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
    make_folder(daemon, "jobs");
    make_folder(daemon, "jobs/4711");
    make_folder(daemon, "models");
    make_file(daemon, OLD_RECORDS);
    make_file(daemon, WEIGHTS);
    snprintf(path, sizeof path, "%s/rinkd.db", daemon->data);
    assert_int_equal(unlink(path), 0);
    assert_refuses(daemon, (const char *[]){"--check-config", NULL}, "--adopt");
    assert_refuses(daemon, NULL, "--adopt");
    assert_true(has_file(daemon, OLD_RECORDS));
    assert_true(has_file(daemon, WEIGHTS));

    assert_true(daemon_start(daemon, adopt, &status));
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
    assert_true(is_found_again(daemon, OLD_RECORDS));
    assert_true(is_found_again(daemon, WEIGHTS));
    assert_false(has_file(daemon, "jobs/4711"));
    daemon_start_well(daemon, NULL); /* later starts work as usual */
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
}

/* A new job may get the same id as the leftover folder. */
static void a_folder_that_cannot_be_moved_stops_the_start(void **state)
{
    struct daemon_process *daemon = *state;

    daemon_start_well(daemon, NULL);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
    make_folder(daemon, "jobs");
    make_folder(daemon, "jobs/4711");
    make_file(daemon, "lost+found"); /* a file where a folder is expected */
    assert_refuses(daemon, NULL, "jobs/");
    assert_true(has_file(daemon, "jobs/4711"));
}

static void the_daemon_refuses_settings_that_cannot_work(void **state)
{
    struct daemon_process *daemon = *state, other;
    char path[128];

    assert_refuses(daemon, (const char *[]){"--workers", "many", NULL}, "--workers");
    assert_refuses(daemon, (const char *[]){"--listen", "0.0.0.0:0", NULL}, "--tokens");
    assert_refuses(daemon, (const char *[]){"--listen", "192.0.2.1:0", "--tokens", "none", NULL},
                   "none: No such file");
    snprintf(path, sizeof path, "%s/not/there", daemon->folder);
    assert_refuses(daemon, (const char *[]){"--data", path, NULL},
                   "its parent folder does not exist");
    daemon_start_well(daemon, NULL);
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

static void an_unknown_default_player_is_refused(void **state)
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

/* Replaces the program by one that lists its players and then stays silent. */
static void put_silent_program(const struct daemon_process *daemon, const char *name,
                               const char *real)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", daemon->programs, name);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\ncase $1 in --list-players|--check-weights) exec '%s' \"$@\" ;; esac\n"
            "exec sleep 60\n",
            real);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void readyz_lists_every_reason(void **state)
{
    struct daemon_process *daemon = *state;

    put_silent_program(daemon, "rink-search", RINK_SEARCH);
    put_silent_program(daemon, "rink-simulate", RINK_SIMULATE);
    daemon_start_well(daemon, NULL);
    struct reply reply = client_get(daemon->port, "/readyz");
    assert_problem(&reply, 503, "no-worker");
    assert_string_equal(json_string_value(json_object_get(reply.json, "detail")),
                        "the search workers are starting; the simulation worker is starting");
    reply_free(&reply);
    reply = client_get(daemon->port, "/healthz");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static int run_program(const char *command, char ret_text[8192])
{
    FILE *out = popen(command, "re");

    assert_non_null(out);
    size_t got = fread(ret_text, 1, 8191, out);
    ret_text[got] = '\0';
    int status = pclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The daemon finds the programs in the build tree without --programs. */
static void the_daemon_finds_the_programs_of_its_build(void **state)
{
    const struct daemon_process *daemon = *state;
    char command[1024], text[8192];

    snprintf(command, sizeof command, "'%s' --check-config --listen 127.0.0.1:0 --data '%s' 2>&1",
             RINKD, daemon->data);
    int status = run_program(command, text);
    if (status != 0)
        fail_msg("%s", text);
    json_t *settings = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(settings, "data")), daemon->data);
    json_decref(settings);
    assert_int_equal(access(daemon->data, F_OK), -1); /* nothing was created */

    snprintf(command, sizeof command,
             "cd '%s'; '%s' --data data --listen 127.0.0.1:0 >said 2>log & pid=$!;"
             " until [ -s said ]; do kill -0 $pid || break; sleep 0.02; done;"
             " kill $pid && wait $pid && cat said",
             daemon->folder, RINKD);
    assert_int_equal(run_program(command, text), 0);
    assert_non_null(strstr(text, "listening on http://127.0.0.1:"));
}

static void a_check_finds_the_errors_of_a_start(void **state)
{
    struct daemon_process *daemon = *state;
    const char *const check[] = {"--check-config", "--player", "nobody", NULL};
    char path[160];

    daemon_start_well(daemon, NULL);
    assert_int_equal(daemon_end(daemon, SIGINT), 0);
    assert_refuses(daemon, check, "--player nobody: ");
    make_file(daemon, "rinkd.db");
    assert_refuses(daemon, (const char *[]){"--check-config", NULL}, "not a database");
    snprintf(path, sizeof path, "%s/rink-search", daemon->programs);
    assert_int_equal(unlink(path), 0);
    assert_refuses(daemon, (const char *[]){"--check-config", NULL}, "rink-search");
}

/* The folder of the data and the port, as a start would use them; nothing is left behind. */
static void a_check_tries_the_folder_and_the_port(void **state)
{
    struct daemon_process *daemon = *state;
    char address[32], missing[160];
    const char *const nowhere[] = {"--check-config", "--data", missing, NULL};
    const char *const no_folder[] = {"--check-config", "--data", "/dev/null", NULL};
    const char *const unmade[] = {"--check-config", "--data", "/proc/rinkd-data", NULL};
    const char *const taken[] = {"--check-config", "--listen", address, NULL};
    struct daemon_process other = {.pid = 0};
    char command[1024], text[8192];

    snprintf(missing, sizeof missing, "%s/none/data", daemon->folder);
    assert_refuses(daemon, nowhere, "its parent folder does not exist");
    assert_refuses(daemon, no_folder, "--data /dev/null: Not a directory");
    assert_refuses(daemon, unmade, "--data /proc/rinkd-data: ");
    daemon_prepare(&other);
    daemon_start_well(&other, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%d", other.port);
    assert_refuses(daemon, taken, "Address already in use");
    assert_int_equal(access(daemon->data, F_OK), -1);
    /* The settings of a rinkd that runs can be checked. */
    snprintf(command, sizeof command, "'%s' --check-config --listen %s --data '%s' 2>&1", RINKD,
             address, other.data);
    assert_int_equal(run_program(command, text), 0);
    assert_non_null(strstr(text, "so its port is not tried"));
    assert_true(daemon_end_well(&other));
}

/* The first line is the token; the second line goes into the file unchanged. */
static void a_new_token_can_be_used_as_it_is_printed(void **state)
{
    struct daemon_process *daemon = *state;
    char command[1024], text[8192], header[128], path[160];
    int status;

    snprintf(path, sizeof path, "%s/tokens", daemon->folder);
    snprintf(command, sizeof command,
             "umask 077; '%s' --new-token read:ann >'%s.new' && tail -n 1 '%s.new' >>'%s' && "
             "head -n 1 '%s.new'",
             RINKD, path, path, path, path);
    assert_int_equal(run_program(command, text), 0);
    snprintf(header, sizeof header, "Authorization: Bearer %.*s", (int)strcspn(text, "\n"), text);
    assert_true(daemon_start(daemon, (const char *[]){"--tokens", path, NULL}, &status));
    const char *const headers[] = {header, NULL};
    struct reply reply =
        client_call(daemon->port, &(struct client_call){.path = "/v1/jobs", .header = headers});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

/* "ulimit -f" must act like a full disk and not kill the daemon. */
static void a_limit_of_file_sizes_is_reported(void **state)
{
    enum { LIMIT = 3 << 20, UPLOAD = 4 << 20 };
    struct daemon_process *daemon = *state;
    const char *const octets[] = {"Content-Type: application/octet-stream", NULL};
    struct rlimit before, low;
    char *upload = calloc(1, UPLOAD);

    assert_non_null(upload);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = (struct rlimit){.rlim_cur = LIMIT, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    daemon_start_well(daemon, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    struct reply reply = client_call(daemon->port, &(struct client_call){.method = "PUT",
                                                                         .path = "/v1/models/large",
                                                                         .body = upload,
                                                                         .bytes = UPLOAD,
                                                                         .header = octets,
                                                                         .is_direct = true});
    assert_int_equal(reply.status, 507);
    reply_free(&reply);
    free(upload);
    reply = client_get(daemon->port, "/v1/jobs");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

/* Returns the niceness of the daemon's child whose program has this name; -100: no such child. */
static int niceness_of(const struct daemon_process *daemon, const char *name)
{
    char path[64], command[64];
    int pid, niceness = -100;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", daemon->pid, daemon->pid);
    FILE *children = fopen(path, "re");
    assert_non_null(children);
    while (niceness == -100 && fscanf(children, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *comm = fopen(path, "re");
        if (!comm)
            continue;
        if (fscanf(comm, "%63s", command) == 1 && strcmp(command, name) == 0)
            niceness = getpriority(PRIO_PROCESS, (id_t)pid);
        fclose(comm);
    }
    fclose(children);
    return niceness;
}

/* Jobs run behind shots at any niceness of the daemon. */
static void workers_are_as_nice_as_the_daemon_or_nicer(void **state)
{
    static const struct {
        int daemon, job;
    } cases[] = {{3, 13}, {12, 19}};
    struct daemon_process *daemon = *state;
    const char *const flags[] = {"--workers", "1", NULL};
    int status;

    for (size_t k = 0; k < sizeof cases / sizeof *cases;
         k++) { /* the last test: the niceness cannot be lowered again */
        assert_int_equal(setpriority(PRIO_PROCESS, 0, cases[k].daemon), 0);
        assert_true(daemon_start(daemon, flags, &status));
        daemon_wait_ready(daemon);
        struct reply reply = client_post(daemon->port, "/v1/jobs",
                                         "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\","
                                         "\"b\":\"random\",\"pairs\":100000}}");
        assert_int_equal(reply.status, 202);
        reply_free(&reply);
        while (niceness_of(daemon, "rink-evaluate") == -100)
            usleep(10000);
        assert_int_equal(niceness_of(daemon, "rink-evaluate"), cases[k].job);
        assert_int_equal(niceness_of(daemon, "rink-search"), cases[k].daemon);
        assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
    }
}

/* Only workers link the engine: the daemon starts at once and stays small. */
static void the_program_links_no_engine(void **state)
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
        DAEMON_TEST(a_healthy_daemon_answers),
        DAEMON_TEST(the_daemon_drains_and_leaves_one_file),
        DAEMON_TEST(the_daemon_restarts_after_a_kill),
        DAEMON_TEST(unknown_files_are_moved_aside),
        DAEMON_TEST(files_without_their_database_are_refused_or_adopted),
        DAEMON_TEST(a_folder_that_cannot_be_moved_stops_the_start),
        DAEMON_TEST(the_daemon_refuses_settings_that_cannot_work),
        DAEMON_TEST(an_unknown_default_player_is_refused),
        DAEMON_TEST(readyz_lists_every_reason),
        DAEMON_TEST(the_daemon_finds_the_programs_of_its_build),
        DAEMON_TEST(a_check_finds_the_errors_of_a_start),
        cmocka_unit_test(the_program_links_no_engine),
        DAEMON_TEST(a_check_tries_the_folder_and_the_port),
        DAEMON_TEST(a_new_token_can_be_used_as_it_is_printed),
        DAEMON_TEST(a_limit_of_file_sizes_is_reported),
        DAEMON_TEST(workers_are_as_nice_as_the_daemon_or_nicer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
