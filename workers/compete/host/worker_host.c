/* Jobs of the kind "host". The game is a process of its own in a session of its own, which the
 * death of the daemon or of this worker does not touch: here the worker starts it, or finds the one
 * that an earlier attempt started, shows how it stands, and reports its result.
 *
 *   host.lock is held      a game goes on: watch it
 *   result.json is there   it has ended: report it
 *   game.dcl2 alone        its process was killed: the job fails
 *   nothing                start it; a game of dc4 that was broken off goes on
 */
#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/host/host.h"
#include "workers/search/job_spec.h"
#include "workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 100, STOP_S = 8, ARGUMENTS = 64 };

/* ---- starting ---- */

/* The command line of a spec: each field is the option of its name. */
struct command_line {
    char *word[ARGUMENTS];
    int count;
};

static void free_line(struct command_line *line)
{
    for (int k = 0; k < line->count; k++)
        free(line->word[k]);
}

static bool add_word(struct command_line *line, const char *key, const char *value)
{
    char **word = &line->word[line->count];

    if (line->count >= ARGUMENTS - 1 || asprintf(word, "--%s=%s", key, value) < 0)
        return false;
    for (char *c = *word; *c && *c != '='; c++)
        if (*c == '_')
            *c = '-';
    line->count++;
    return true;
}

static bool make_line(const struct wire_job *job, json_t *spec, struct command_line *ret_line)
{
    const char *key;
    json_t *value;
    char number[40];
    bool good = true;

    *ret_line = (struct command_line){.word = {strdup("rink-compete"), strdup("host")}, .count = 2};
    json_object_foreach(spec, key, value)
    {
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        else
            snprintf(number, sizeof number, "%.17g", json_number_value(value));
        good = add_word(ret_line, key, json_is_string(value) ? json_string_value(value) : number) &&
               good;
    }
    return add_word(ret_line, "folder", job->folder) && good && ret_line->word[0] &&
           ret_line->word[1];
}

/* Starts the game. Between fork and exec only what is safe beside other threads. */
static pid_t start(const struct command_line *line, const char *log)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), in = open("/dev/null", O_RDONLY);
    if (out < 0 || in < 0 || setsid() < 0 || dup2(in, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(127);
    closefrom(STDERR_FILENO + 1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", line->word);
    _exit(127);
}

/* ---- watching ---- */

static json_t *load_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    ssize_t length = file ? next_text(&text, &size, file) : -1;
    json_t *value = length > 0 ? load_json(text, (size_t)length, 0, NULL) : NULL;
    free(text);
    if (file)
        fclose(file);
    return value;
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* Tells how the game stands, if that is new. */
static void show(struct worker *worker, const char *folder, struct timespec *seen)
{
    char path[PATH_MAX];
    struct stat status;

    snprintf(path, sizeof path, "%s/" HOST_STATE_FILE, folder);
    if (stat(path, &status) != 0 ||
        (status.st_mtim.tv_sec == seen->tv_sec && status.st_mtim.tv_nsec == seen->tv_nsec))
        return;
    *seen = status.st_mtim;
    json_t *state = load_file(folder, HOST_STATE_FILE);
    const json_t *progress = json_object_get(state, "progress");
    if (!state)
        return;
    if (json_is_number(progress))
        worker_progress(worker, json_number_value(progress), NAN);
    worker_partial(worker, state);
}

/* Waits for the result; NULL: there is none. A drain leaves the game alone. `started`: its process,
 * if this worker has started it. One that finds the lock taken ends at once: a game that an earlier
 * worker started goes on, and is watched. */
static json_t *watch(struct worker *worker, const char *folder, pid_t started)
{
    struct timespec seen = {0};
    double until_s = INFINITY;

    for (;; poll(NULL, 0, LOOK_MS)) {
        if (started > 0 && waitpid(started, NULL, WNOHANG) == started)
            started = 0;
        pid_t host = host_locked_by(folder);
        if (host <= 0 && started <= 0)
            return load_file(folder, HOST_RESULT_FILE);
        show(worker, folder, &seen);
        if (!atomic_load(worker_stop(worker)))
            continue;
        if (!worker_is_cancelled(worker) || clock_now_s() > until_s)
            return NULL;
        if (isinf(until_s) && host > 0) {
            until_s = clock_now_s() + STOP_S;
            kill(host, SIGTERM);
        }
    }
}

/* ---- the job ---- */

/* The last word about a game. */
static json_t *verdict(struct worker *worker, const struct wire_job *job, json_t *result)
{
    const char *end = json_string_value(json_object_get(result, "end"));
    const char *why = json_string_value(json_object_get(result, "why"));

    if (!result && worker_is_drained(worker))
        return NULL;
    if (worker_is_cancelled(worker))
        return result ? result : json_object();
    if (end && strcmp(end, session_word(SESSION_OVER)) == 0)
        return result;
    if (end && why)
        worker_fail(worker, end, false, "%s", why);
    else
        worker_fail(worker, "interrupted", has_file(job->folder, HOST_DC4_FILE),
                    "the process of the game ended without a result (attempt %lld); see host.log",
                    (long long)job->attempt);
    json_decref(result);
    return NULL;
}

json_t *job_host(struct worker *worker, const struct wire_job *job)
{
    bool is_new = !has_file(job->folder, HOST_GAME_FILE) && host_locked_by(job->folder) == 0 &&
                  !has_file(job->folder, HOST_RESULT_FILE);
    json_t *spec = is_new ? spec_read(worker, job, job->spec, spec_check_player) : NULL;
    struct command_line line = {.count = 0};
    char log[PATH_MAX];
    pid_t started = 0;

    if (is_new && !spec)
        return NULL;
    snprintf(log, sizeof log, "%s/host.log", job->folder);
    if (is_new)
        started = make_line(job, spec, &line) ? start(&line, log) : -1;
    free_line(&line);
    json_decref(spec);
    if (started < 0)
        return worker_fail(worker, "no-process", true, "the game cannot be started: %s",
                           strerror(errno));
    return verdict(worker, job, watch(worker, job->folder, started));
}
