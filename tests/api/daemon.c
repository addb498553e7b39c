/* See daemon.h. Paths of the programs: RINKD, RINK_DATA, RINK_SEARCH, RINK_SIMULATE, RINK_EVALUATE,
 * RINK_LEARN, RINK_POST, RINK_COMPETE. */
#include "tests/api/daemon.h"

#include "tests/api/client.h"
#include "tests/patience.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { FLAGS_MAX = 32 };

void daemon_prepare(struct daemon_process *daemon)
{
    static const char *const programs[] = {RINK_SEARCH, RINK_SIMULATE, RINK_EVALUATE, RINK_LEARN,
                                           RINK_POST,   RINK_DATA,     RINK_COMPETE};
    char link[160];

    *daemon = (struct daemon_process){.folder = "/tmp/rinkd-api-XXXXXX"};
    assert_non_null(mkdtemp(daemon->folder));
    snprintf(daemon->data, sizeof daemon->data, "%s/data", daemon->folder);
    snprintf(daemon->programs, sizeof daemon->programs, "%s/programs", daemon->folder);
    snprintf(daemon->log, sizeof daemon->log, "%s/log", daemon->folder);
    assert_int_equal(mkdir(daemon->programs, 0700), 0);
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        snprintf(link, sizeof link, "%s%s", daemon->programs, strrchr(programs[k], '/'));
        assert_int_equal(symlink(programs[k], link), 0);
    }
}

static int wait_for_end(struct daemon_process *daemon)
{
    int status;

    assert_int_equal(waitpid(daemon->pid, &status, 0), daemon->pid);
    daemon->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run(const struct daemon_process *daemon, const char *const *argv, int out)
{
    int log = open(daemon->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (log >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execv(RINKD, (char *const *)(size_t)argv);
    _exit(127);
}

bool daemon_start(struct daemon_process *daemon, const char *const *flags, int *ret_status)
{
    const char *listen = getenv("RINKD_TEST_LISTEN");
    const char *argv[FLAGS_MAX] = {
        "rinkd",      "--data",        daemon->data, "--listen", listen ? listen : "127.0.0.1:0",
        "--programs", daemon->programs};
    char line[128] = "";
    int count = 7, ends[2];

    for (; flags && *flags; flags++) {
        assert_true(count < FLAGS_MAX - 1);
        argv[count++] = *flags;
    }
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    daemon->pid = fork();
    assert_true(daemon->pid >= 0);
    if (daemon->pid == 0)
        run(daemon, argv, ends[1]);
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    assert_non_null(out);
    bool spoke = fgets(line, sizeof line, out) != NULL;
    fclose(out);
    if (!spoke) {
        *ret_status = wait_for_end(daemon);
        return false;
    }
    const char *at = strstr(line, "://127.0.0.1:"); /* http or https */
    assert_non_null(at);
    assert_int_equal(sscanf(at, "://127.0.0.1:%d\n", &daemon->port), 1);
    return true;
}

void daemon_wait_ready(const struct daemon_process *daemon)
{
    for (double end_s = 0; patience_left(&end_s);) {
        struct reply reply = client_get(daemon->port, "/readyz");
        long status = reply.status;
        reply_free(&reply);
        if (status == 200)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("the daemon never gets ready");
}

int daemon_end(struct daemon_process *daemon, int signal)
{
    assert_int_equal(kill(daemon->pid, signal), 0);
    return wait_for_end(daemon);
}

/* Opens the daemon's database beside the daemon. */
static sqlite3 *open_database(const struct daemon_process *daemon)
{
    char path[160];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", daemon->data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    return db;
}

void daemon_change_database(const struct daemon_process *daemon, const char *sql)
{
    sqlite3 *db = open_database(daemon);

    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

void daemon_add_ballast(const struct daemon_process *daemon, int mib)
{
    char sql[300];

    snprintf(sql, sizeof sql,
             "CREATE TABLE IF NOT EXISTS ballast (bytes);"
             "WITH RECURSIVE mib(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM mib WHERE n < %d)"
             " INSERT INTO ballast SELECT randomblob(1048576) FROM mib",
             mib);
    daemon_change_database(daemon, sql);
}

void daemon_fill_webhooks(const struct daemon_process *daemon)
{
    daemon_change_database(daemon, "UPDATE webhook SET waiting_max = 0");
}

sqlite3 *daemon_lock(const struct daemon_process *daemon)
{
    sqlite3 *db = open_database(daemon);

    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

void daemon_unlock(sqlite3 *lock)
{
    assert_int_equal(sqlite3_exec(lock, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(lock), SQLITE_OK);
}

void daemon_add_checkpoint(const struct daemon_process *daemon, const char *bytes)
{
    char path[160], sql[400];
    sqlite3_stmt *job;
    sqlite3 *db = open_database(daemon);

    snprintf(sql, sizeof sql,
             "INSERT INTO checkpoint SELECT id, 1, 'step1', '%064d', %zu, 0 FROM run LIMIT 1", 0,
             strlen(bytes));
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT job FROM run LIMIT 1", -1, &job, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(job), SQLITE_ROW);
    snprintf(path, sizeof path, "%s/jobs/%lld/step1", daemon->data,
             (long long)sqlite3_column_int64(job, 0));
    sqlite3_finalize(job);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(bytes, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

int64_t daemon_bury_job(const struct daemon_process *daemon)
{
    struct reply reply = client_post(daemon->port, "/v1/jobs",
                                     "{\"kind\":\"match\",\"spec\":{\"a\":\"rink\","
                                     "\"b\":\"random\"},\"max_attempts\":1}");
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    bool is_buried = false;
    char path[64];

    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    for (double end_s = 0; !is_buried;) {
        assert_true(patience_left(&end_s));
        json_t *worker;
        size_t k;
        reply = client_get(daemon->port, "/v1/workers");
        json_array_foreach(json_object_get(reply.json, "items"), k, worker)
        {
            json_int_t pid = json_integer_value(json_object_get(worker, "pid"));
            if (json_integer_value(json_object_get(worker, "job")) == id && pid > 0)
                kill((pid_t)pid, SIGKILL);
        }
        reply_free(&reply);
        reply = client_get(daemon->port, path);
        const char *state = json_string_value(json_object_get(reply.json, "state"));
        is_buried = state && strcmp(state, "buried") == 0;
        reply_free(&reply);
    }
    return id;
}

long daemon_resident_kb(const struct daemon_process *daemon)
{
    char path[32];
    long pages = 0;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)daemon->pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

char *daemon_log(const struct daemon_process *daemon)
{
    FILE *file = fopen(daemon->log, "re");
    char *text = NULL;
    size_t room = 0;

    assert_non_null(file);
    if (getdelim(&text, &room, '\0', file) < 0) { /* empty file */
        free(text);
        text = strdup("");
    }
    fclose(file);
    assert_non_null(text);
    return text;
}

void daemon_remove(struct daemon_process *daemon)
{
    char command[128];

    if (daemon->pid > 0)
        daemon_end(daemon, SIGKILL);
    snprintf(command, sizeof command, "rm -rf '%s'", daemon->folder);
    assert_int_equal(system(command), 0);
}

void daemon_start_well(struct daemon_process *daemon, const char *const *flags)
{
    int status = 0;

    if (!daemon_start(daemon, flags, &status)) {
        char *log = daemon_log(daemon);
        print_error("%s\n", log);
        free(log);
        fail_msg("the daemon ended with %d", status);
    }
}

bool daemon_end_well(struct daemon_process *daemon)
{
    int status = daemon_end(daemon, SIGTERM);
    char *log = status != 0 ? daemon_log(daemon) : NULL;

    if (log)
        print_error("the daemon ended with %d: %s\n", status, log);
    free(log);
    daemon_remove(daemon);
    return status == 0;
}

struct daemon_process daemon_here;

int daemon_prepare_here(void **state)
{
    daemon_prepare(&daemon_here);
    *state = &daemon_here;
    return 0;
}

int daemon_remove_here(void **state)
{
    (void)state;
    daemon_remove(&daemon_here);
    return 0;
}

int daemon_start_here(void **state)
{
    int status;

    daemon_prepare_here(state);
    if (!daemon_start(&daemon_here, NULL, &status))
        return -1;
    daemon_wait_ready(&daemon_here);
    return 0;
}

int daemon_end_here(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_here) ? 0 : -1;
}
