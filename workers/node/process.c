/* fork, exec, a socketpair for lines and a pipe for stderr. See process.h. */
#include "workers/node/process.h"

#include "api/base/next_line.h"
#include "api/jobs/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NICENESS = 10, CANNOT_RUN = 127, VARIABLES_MAX = 32, BUFFER_BYTES = WIRE_LINE_MAX + 1 };

static const char *const passed_on[] = {
    "PATH",          "HOME",         "TMPDIR",          "LANG",
    "LC_ALL",        "TZ",           "LD_LIBRARY_PATH", "ASAN_OPTIONS",
    "UBSAN_OPTIONS", "TSAN_OPTIONS", "RINKD_WEIGHTS",   NULL,
};

bool process_find(const char *folder, const char *program, char ret_path[PROCESS_PATH_MAX])
{
    /* "rink-learn" of a build is in workers/learn. */
    const char *part = strchr(program, '-');
    const char *const forms[] = {"%s/%s", "%s/../%s/%s"};

    snprintf(ret_path, PROCESS_PATH_MAX, forms[0], folder, program);
    if (access(ret_path, X_OK) == 0)
        return true;
    snprintf(ret_path, PROCESS_PATH_MAX, forms[1], folder, part ? part + 1 : program, program);
    return access(ret_path, X_OK) == 0;
}

/* ---- starting ---- */

static void environment_free(char **list)
{
    for (size_t k = 0; list && list[k]; k++)
        free(list[k]);
    free(list);
}

/* The variables that a process gets; the caller frees each and the list. NULL: no memory. */
static char **make_environment(const char *models)
{
    char **list = calloc(VARIABLES_MAX, sizeof *list);
    size_t count = 0;
    bool good = list != NULL;

    for (int k = 0; good && passed_on[k]; k++) {
        const char *value = getenv(passed_on[k]);
        if (value && (good = asprintf(&list[count], "%s=%s", passed_on[k], value) >= 0))
            count++;
    }
    good = good && asprintf(&list[count], "RINKD_MODELS=%s", models) >= 0;
    if (good)
        return list;
    if (list)
        list[count] = NULL;
    environment_free(list);
    return NULL;
}

/* Between fork and exec: nothing but system calls. */
static _Noreturn void become(const char *path, const char *folder, char *const *environment,
                             pid_t parent, int line, int log)
{
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t) "worker", NULL};
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CANNOT_RUN);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int niceness = nice(NICENESS);
    (void)niceness;
    int null = open("/dev/null", O_RDONLY);
    bool good = chdir(folder) == 0 && null >= 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 &&
                dup2(line, WIRE_FD) == WIRE_FD && dup2(null, 0) == 0;
    close_range(WIRE_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    if (good)
        execve(path, argv, environment);
    _exit(CANNOT_RUN);
}

/* Moves a descriptor above 9, clear of 0 … 3, and closes the old one. */
static int move_up(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);

    if (fd >= 0)
        close(fd);
    return moved;
}

static void close_maybe(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static pid_t fork_quietly(const char *path, const char *folder, char *const *environment, int line,
                          int log)
{
    sigset_t all, before;
    pid_t parent = getpid();

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(path, folder, environment, parent, line, log);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

bool process_start(struct process *process, const char *path, const char *folder,
                   const char *models)
{
    int line[2] = {-1, -1}, log[2] = {-1, -1};
    char **environment = make_environment(models);

    *process = (struct process){.line = -1, .log = -1};
    bool good = environment && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) == 0 &&
                pipe2(log, O_CLOEXEC) == 0 && fcntl(line[0], F_SETFL, O_NONBLOCK) == 0 &&
                fcntl(log[0], F_SETFL, O_NONBLOCK) == 0 &&
                (process->buffer = malloc(BUFFER_BYTES)) != NULL;
    line[1] = move_up(line[1]);
    log[1] = move_up(log[1]);
    pid_t pid = good && line[1] >= 0 && log[1] >= 0
                    ? fork_quietly(path, folder, environment, line[1], log[1])
                    : -1;
    int error = errno;
    environment_free(environment);
    close_maybe(&line[1]);
    close_maybe(&log[1]);
    if (pid > 0) {
        setpgid(pid, pid); /* before any signal; the process does it too */
        process->pid = pid;
        process->line = line[0];
        process->log = log[0];
        return true;
    }
    free(process->buffer);
    process->buffer = NULL;
    close_maybe(&line[0]);
    close_maybe(&log[0]);
    errno = error;
    return false;
}

char *process_output(const char *path, const char *argument)
{
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)argument, NULL};
    char *text = NULL;
    size_t room = 0;
    int ends[2], status = -1;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0)
            execv(path, argv);
        _exit(CANNOT_RUN);
    }
    close(ends[1]);
    FILE *out = pid > 0 ? fdopen(ends[0], "r") : NULL;
    bool good = out && next_text(&text, &room, out) > 0;
    if (out)
        fclose(out);
    else
        close(ends[0]);
    if (pid > 0)
        good = waitpid(pid, &status, 0) == pid && status == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- talking ---- */

bool process_say(struct process *process, const char *line, size_t length)
{
    size_t sent = 0;

    while (process->line >= 0 && sent < length) {
        ssize_t now = send(process->line, line + sent, length - sent, MSG_NOSIGNAL);
        if (now > 0) {
            sent += (size_t)now;
        } else if (now < 0 && errno == EAGAIN) {
            /* A worker reads its first line at once, and later ones are short. */
            struct pollfd ready = {.fd = process->line, .events = POLLOUT};
            if (poll(&ready, 1, 5000) <= 0)
                return false;
        } else if (now == 0 || errno != EINTR) {
            return false;
        }
    }
    return sent == length;
}

void process_read_log(struct process *process)
{
    char text[4096];
    ssize_t got = process->log >= 0 ? read(process->log, text, sizeof text) : 0;

    if (got == 0 && process->log >= 0) {
        close(process->log);
        process->log = -1;
    }
    if (got <= 0)
        return;
    const char *from = text;
    size_t length = (size_t)got;
    if (length > PROCESS_TAIL_MAX) {
        from += length - PROCESS_TAIL_MAX;
        length = PROCESS_TAIL_MAX;
    }
    size_t kept = process->tail_length;
    if (kept + length > PROCESS_TAIL_MAX)
        kept = PROCESS_TAIL_MAX - length;
    memmove(process->tail, process->tail + process->tail_length - kept, kept);
    memcpy(process->tail + kept, from, length);
    process->tail_length = kept + length;
    process->tail[process->tail_length] = '\0';
}

/* Adds what has come to the buffer. False: nothing now. */
static bool fill(struct process *process)
{
    memmove(process->buffer, process->buffer + process->start, process->end - process->start);
    process->end -= process->start;
    process->start = 0;
    if (process->end == BUFFER_BYTES) { /* a line without end */
        process->is_over = true;
        return false;
    }
    ssize_t got = read(process->line, process->buffer + process->end, BUFFER_BYTES - process->end);
    if (got > 0)
        process->end += (size_t)got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        process->is_over = true;
    return got > 0;
}

const char *process_read(struct process *process, size_t *ret_length)
{
    if (process->line < 0)
        return NULL;
    do {
        const char *line = process->buffer + process->start;
        const char *end = memchr(line, '\n', process->end - process->start);
        if (end) {
            *ret_length = (size_t)(end - line);
            process->start += *ret_length + 1;
            return line;
        }
    } while (!process->is_over && fill(process));
    return NULL;
}

/* ---- ending ---- */

void process_end(struct process *process, double now_s, double kill_s)
{
    if (process->pid <= 0)
        return;
    if (process->ended_s == 0) {
        process->ended_s = now_s;
        kill(-process->pid, SIGTERM);
        kill(-process->pid, SIGCONT);
    } else if (now_s - process->ended_s >= kill_s) {
        process_kill(process);
    }
}

void process_kill(struct process *process)
{
    if (process->pid > 0)
        kill(-process->pid, SIGKILL);
}

bool process_reap(struct process *process, int *ret_status)
{
    if (process->pid <= 0 || waitpid(process->pid, ret_status, WNOHANG) != process->pid)
        return false;
    process->pid = 0;
    return true;
}

void process_close(struct process *process)
{
    if (process->line >= 0)
        close(process->line);
    if (process->log >= 0)
        close(process->log);
    process->line = process->log = -1;
    free(process->buffer);
    process->buffer = NULL;
}
