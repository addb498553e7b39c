/* fork, exec, a socketpair for lines, a pipe for stderr, and the loop's watchers on them. See
 * child.h.
 *
 * Not uv_spawn(): a death signal, niceness and the rest have to be set between fork and exec. */
#include "service/base/child.h"

#include "api/base/utf8.h"
#include "service/base/config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_SIZE = 65536,
    SILENT_MS = 2000, /* from the end of its lines to its exit */
    HANDLES = 4,
    CANNOT_RUN = 127
};

/* When memory is short the kernel kills children before the daemon. */
#define OOM_SCORE_ADJ "500"

/* Variables that a child gets. */
static const char *const passed_on[] = {
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "TSAN_OPTIONS",
    "RINKD_WEIGHTS",
    "SLURM_CONF",
    NULL,
};

/* Phases follow this order; some may be skipped. */
enum child_phase {
    CHILD_RUNS,
    CHILD_ENDS,  /* SIGTERM was sent */
    CHILD_GONE,  /* the process is gone; its remaining lines are read */
    CHILD_CLOSES /* all lines are read, or the start failed: the loop closes its handles */
};

struct child {
    enum child_phase phase;         /* changed by child_move() alone */
    struct child_settings settings; /* without argv */
    pid_t pid;                      /* -1: the start failed, so it has no owner */
    int line_fd, log_fd;            /* the daemon's ends */
    uv_poll_t line, log;
    uv_signal_t died;
    uv_timer_t patience;
    int open_handles;

    char *buffer; /* bytes start … end are still to be handed out */
    size_t capacity, start, end;
    size_t scanned; /* no newline before this place */
    bool skipping;  /* inside a line that is too long */
    bool deaf;      /* child_listen(false) */
    bool at_end;    /* its lines have ended */
    bool hearing;   /* inside pump() */
    int status;     /* from waitpid(), once the process is gone */

    char *unsent;
    size_t unsent_length;

    char tail[CHILD_LOG_MAX]; /* the last bytes of its stderr */
    size_t tail_length, log_total;
};

static void pump(struct child *child);

static void child_move(struct child *child, enum child_phase to)
{
    assert(to > child->phase);
    assert(to != CHILD_CLOSES || child->phase == CHILD_GONE || child->pid < 0);
    child->phase = to;
}

static bool is_gone(const struct child *child)
{
    return child->phase >= CHILD_GONE;
}

/* ---- between fork and exec: nothing but system calls ---- */

struct start {
    const struct child_settings *settings;
    char program[CHILD_PATH_MAX];
    char **environment;
    pid_t parent;
    int line_fd, log_fd, null_fd; /* its ends; all above 9 */
};

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t written = write(fd, text, strlen(text));
        (void)written; /* a failure does no harm */
        close(fd);
    }
}

static _Noreturn void become(const struct start *start)
{
    const struct child_settings *settings = start->settings;
    static const char sorry[] = "the program cannot be run\n";
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start->parent) /* the daemon ended before the signal was set */
        _exit(CANNOT_RUN);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a failed write can be reported, a signal cannot */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int niceness = nice(settings->niceness); /* capped at 19 */
    (void)niceness;
    write_file("/proc/self/oom_score_adj", OOM_SCORE_ADJ);

    bool is_stdio = settings->line_fd == 0;
    bool good = dup2(is_stdio ? start->line_fd : start->null_fd, 0) == 0 &&
                dup2(is_stdio ? start->line_fd : start->log_fd, 1) == 1 &&
                dup2(start->log_fd, 2) == 2 &&
                (is_stdio || dup2(start->line_fd, settings->line_fd) == settings->line_fd);
    close_range(is_stdio ? 3 : (unsigned)settings->line_fd + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    if (good)
        execve(start->program, (char *const *)(size_t)settings->argv, start->environment);
    ssize_t written = write(2, sorry, sizeof sorry - 1);
    (void)written;
    _exit(CANNOT_RUN);
}

/* ---- starting ---- */

/* Makes a child's environment: the variables above, and the folders of weights. The caller frees
 * each text and the list. */
static char **clean_environment(const char *data)
{
    char **list = calloc(sizeof passed_on / sizeof passed_on[0] + 1, sizeof *list);
    size_t count = 0;

    for (int k = 0; list && passed_on[k]; k++) {
        const char *value = getenv(passed_on[k]);
        if (value && asprintf(&list[count], "%s=%s", passed_on[k], value) >= 0)
            count++;
        else
            list[count] = NULL;
    }
    if (list && asprintf(&list[count], "RINKD_MODELS=%s/models", data) < 0)
        list[count] = NULL;
    return list;
}

static void environment_free(char **list)
{
    for (size_t k = 0; list && list[k]; k++)
        free(list[k]);
    free(list);
}

/* Moves a descriptor above 9, clear of 0 … 3, and closes the old one. -1: too many are open. */
static int move_up(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);

    if (fd >= 0)
        close(fd);
    return moved;
}

static void close_maybe(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void on_line(uv_poll_t *poll, int status, int events);
static void on_log(uv_poll_t *poll, int status, int events);
static void on_died(uv_signal_t *handle, int number);
static void on_patience(uv_timer_t *timer);

/* Starts to watch the descriptors, the child's death and the time. */
static bool watch(uv_loop_t *loop, struct child *child)
{
    /* The first two cannot fail. */
    uv_timer_init(loop, &child->patience);
    uv_signal_init(loop, &child->died);
    child->open_handles = 2;
    child->patience.data = child->died.data = child->line.data = child->log.data = child;
    child->open_handles += uv_poll_init(loop, &child->line, child->line_fd) == 0;
    if (child->open_handles == 3)
        child->open_handles += uv_poll_init(loop, &child->log, child->log_fd) == 0;
    return child->open_handles == HANDLES && uv_signal_start(&child->died, on_died, SIGCHLD) == 0 &&
           uv_poll_start(&child->line, UV_READABLE, on_line) == 0 &&
           uv_poll_start(&child->log, UV_READABLE, on_log) == 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct child *child = handle->data;

    if (--child->open_handles > 0)
        return;
    close(child->line_fd);
    close(child->log_fd);
    if (child->pid > 0)
        child->settings.ended(child->settings.context, child->status);
    free(child->buffer);
    free(child->unsent);
    free(child);
}

/* Closes the handles. The loop then calls settings.ended, if the child ever ran, and frees the
 * child. */
static void close_handles(struct child *child)
{
    uv_handle_t *const handles[HANDLES] = {(uv_handle_t *)&child->patience,
                                           (uv_handle_t *)&child->died, (uv_handle_t *)&child->line,
                                           (uv_handle_t *)&child->log};

    child_move(child, CHILD_CLOSES);
    for (int k = 0; k < child->open_handles; k++)
        uv_close(handles[k], on_closed);
}

/* fork() with all signals blocked, so that none of our handlers runs in the child. */
static pid_t fork_quietly(const struct start *start)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

enum api_error child_start(uv_loop_t *loop, const struct config *config,
                           const struct child_settings *settings, struct child **ret_child)
{
    int line[2] = {-1, -1}, log[2] = {-1, -1};
    struct start start = {.settings = settings, .parent = getpid()};

    if (!child_program(config->programs, settings->argv[0], start.program))
        return API_NO_WORKER;
    start.environment = clean_environment(config->data);
    start.null_fd = move_up(open("/dev/null", O_RDONLY | O_CLOEXEC));
    struct child *child = calloc(1, sizeof *child);
    /* The child's ends block, ours do not. */
    bool good = child && start.environment && start.null_fd >= 0 &&
                socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) == 0 &&
                pipe2(log, O_CLOEXEC) == 0 && fcntl(line[0], F_SETFL, O_NONBLOCK) == 0 &&
                fcntl(log[0], F_SETFL, O_NONBLOCK) == 0;
    start.line_fd = move_up(line[1]);
    start.log_fd = move_up(log[1]);
    good = good && start.line_fd >= 0 && start.log_fd >= 0;
    if (good) {
        child->settings = *settings;
        child->line_fd = line[0];
        child->log_fd = log[0];
        good = watch(loop, child);
        child->pid = good ? fork_quietly(&start) : -1;
        if (child->pid < 0) {
            close_handles(child);
            good = false;
        } else {
            setpgid(child->pid, child->pid); /* before any signal; the child does it too */
            if (settings->patience_ms > 0)
                uv_timer_start(&child->patience, on_patience, (uint64_t)settings->patience_ms, 0);
            *ret_child = child;
        }
    } else {
        free(child);
        close_maybe(line[0]);
        close_maybe(log[0]);
    }
    environment_free(start.environment);
    close_maybe(start.null_fd);
    close_maybe(start.line_fd);
    close_maybe(start.log_fd);
    return good ? API_OK : API_NO_MEMORY;
}

/* ---- hearing ---- */

static void keep_tail(struct child *child, const char *text, size_t length)
{
    assert(length <= CHILD_LOG_MAX);
    size_t all = child->tail_length + length;
    size_t dropped = all > CHILD_LOG_MAX ? all - CHILD_LOG_MAX : 0;

    memmove(child->tail, child->tail + dropped, child->tail_length - dropped);
    memcpy(child->tail + child->tail_length - dropped, text, length);
    child->tail_length = all - dropped;
    child->log_total += length;
}

/* False: nothing more at the moment. */
static bool read_log(struct child *child)
{
    char text[CHILD_LOG_MAX];
    ssize_t got = read(child->log_fd, text, sizeof text);

    if (got == 0)
        uv_poll_stop(&child->log);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    keep_tail(child, text, (size_t)got);
    return true;
}

static void on_log(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    (void)read_log(poll->data);
}

static void watch_line(struct child *child)
{
    int events = (child->deaf || child->at_end ? 0 : UV_READABLE) |
                 (child->unsent_length > 0 ? UV_WRITABLE : 0);

    if (is_gone(child) || events == 0)
        uv_poll_stop(&child->line);
    else
        uv_poll_start(&child->line, events, on_line);
}

static bool make_room(struct child *child)
{
    if (child->start > 0) {
        memmove(child->buffer, child->buffer + child->start, child->end - child->start);
        child->end -= child->start;
        child->scanned -= child->start;
        child->start = 0;
    }
    if (child->capacity - child->end >= READ_SIZE)
        return true;
    size_t wanted = 2 * child->capacity + READ_SIZE;
    char *larger = realloc(child->buffer, wanted);
    if (!larger)
        return false;
    child->buffer = larger;
    child->capacity = wanted;
    return true;
}

/* Hands out the complete lines of the buffer while the owner listens. */
static void hear_lines(struct child *child)
{
    while (!child->deaf && child->buffer) {
        char *text = child->buffer + child->start;
        char *end = child->end > child->scanned
                        ? memchr(child->buffer + child->scanned, '\n', child->end - child->scanned)
                        : NULL;
        size_t length = end ? (size_t)(end - text) : child->end - child->start;
        bool was_skipping = child->skipping;

        child->scanned = end ? (size_t)(end - child->buffer) + 1 : child->end;
        if (!end && length <= child->settings.line_max && !was_skipping)
            return;
        child->skipping = !end;
        child->start = child->scanned;
        if (!was_skipping) {
            bool too_long = length > child->settings.line_max;
            child->settings.line(child->settings.context, too_long ? NULL : text,
                                 too_long ? 0 : length);
        }
        if (!end)
            return;
    }
}

/* False: nothing more at the moment. */
static bool read_line(struct child *child)
{
    if (!make_room(child)) {
        child_kill(child);
        return false;
    }
    ssize_t got = recv(child->line_fd, child->buffer + child->end, READ_SIZE, 0);
    if (got > 0)
        child->end += (size_t)got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        child->at_end = true;
    return got > 0;
}

static void on_patience(uv_timer_t *timer)
{
    child_kill(timer->data);
}

/* Hands out lines; reads the lines of a dead child to the end. */
static void pump(struct child *child)
{
    if (child->hearing || child->phase == CHILD_CLOSES)
        return; /* called from inside settings.line, or already closing */
    child->hearing = true;
    do
        hear_lines(child);
    while (is_gone(child) && !child->deaf && !child->at_end && read_line(child));
    child->hearing = false;

    if (is_gone(child) && !child->deaf) {
        while (read_log(child))
            ;
        close_handles(child);
    } else {
        watch_line(child);
    }
}

static void send_rest(struct child *child)
{
    ssize_t sent = send(child->line_fd, child->unsent, child->unsent_length, MSG_NOSIGNAL);

    if (sent > 0) {
        child->unsent_length -= (size_t)sent;
        memmove(child->unsent, child->unsent + sent, child->unsent_length);
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        child->unsent_length = 0; /* it no longer reads; its end follows */
    }
}

static void on_line(uv_poll_t *poll, int status, int events)
{
    struct child *child = poll->data;

    if (status != 0)
        child->at_end = true;
    if (events & UV_WRITABLE)
        send_rest(child);
    if (events & UV_READABLE)
        (void)read_line(child);
    if (child->at_end && child->phase == CHILD_RUNS &&
        (!uv_is_active((uv_handle_t *)&child->patience) ||
         uv_timer_get_due_in(&child->patience) > SILENT_MS))
        uv_timer_start(&child->patience, on_patience, SILENT_MS, 0);
    pump(child);
}

void child_listen(struct child *child, bool listen)
{
    child->deaf = !listen;
    pump(child);
}

/* ---- speaking ---- */

bool child_write(struct child *child, const char *text, size_t length)
{
    ssize_t sent = 0;

    if (is_gone(child))
        return false;
    if (child->unsent_length == 0) {
        sent = send(child->line_fd, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        sent = sent < 0 ? 0 : sent;
    }
    length -= (size_t)sent;
    if (length == 0)
        return true;
    char *larger = child->unsent_length + length <= CHILD_UNSENT_MAX
                       ? realloc(child->unsent, child->unsent_length + length)
                       : NULL;
    if (!larger)
        return false;
    child->unsent = larger;
    memcpy(child->unsent + child->unsent_length, text + sent, length);
    child->unsent_length += length;
    watch_line(child);
    return true;
}

/* ---- ending ---- */

/* Whether SIGSTOP has stopped it. */
static bool is_stopped(const struct child *child)
{
    siginfo_t about = {0};

    return !is_gone(child) &&
           waitid(P_PID, (id_t)child->pid, &about, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           about.si_pid == child->pid;
}

static void on_died(uv_signal_t *handle, int number)
{
    struct child *child = handle->data;
    siginfo_t about = {0};

    (void)number; /* the death or stop of any child calls this for all */
    if (child->settings.is_killed_when_stopped && is_stopped(child))
        child_kill(child);
    if (is_gone(child) ||
        waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        about.si_pid != child->pid)
        return;
    kill(-child->pid, SIGKILL); /* kills what it started, while its process id cannot be reused */
    if (waitpid(child->pid, &child->status, WNOHANG) != child->pid)
        return;
    child_move(child, CHILD_GONE);
    uv_timer_stop(&child->patience);
    uv_signal_stop(&child->died);
    uv_poll_stop(&child->line);
    pump(child);
}

void child_kill(struct child *child)
{
    if (!is_gone(child))
        kill(-child->pid, SIGKILL);
}

void child_end(struct child *child)
{
    if (child->phase != CHILD_RUNS)
        return;
    child_move(child, CHILD_ENDS);
    kill(-child->pid, SIGTERM);
    kill(-child->pid, SIGCONT); /* a stopped process would not act on SIGTERM */
    uv_timer_start(&child->patience, on_patience, CHILD_TERM_MS, 0);
}

/* ---- looking ---- */

int child_pid(const struct child *child)
{
    return (int)child->pid;
}

size_t child_log(const struct child *child, char ret_text[CHILD_LOG_MAX + 1])
{
    size_t length = child->tail_length;
    const char *text = child->tail;

    if (length < child->log_total) { /* the start was dropped: begin with a whole line */
        const char *end = memchr(text, '\n', length);
        size_t cut = end ? (size_t)(end - text) + 1 : 0;
        text += cut;
        length -= cut;
    }
    for (size_t k = 0; k < length; k++)
        ret_text[k] = text[k] ? text[k] : '?';
    ret_text[length] = '\0';
    utf8_make_plain(ret_text);
    return child->log_total;
}

void child_describe(int status, size_t size, char *ret_text)
{
    if (WIFSIGNALED(status))
        snprintf(ret_text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(ret_text, size, "exit status %d", WEXITSTATUS(status));
}

bool child_program(const char *programs, const char *name, char ret_path[CHILD_PATH_MAX])
{
    const char *slash = strchr(name, '/'), *dash = strchr(name, '-');
    int length =
        snprintf(ret_path, CHILD_PATH_MAX, "%s%s%s", slash ? "" : programs, slash ? "" : "/", name);

    if (dash && !slash && length < CHILD_PATH_MAX && access(ret_path, X_OK) != 0)
        length =
            snprintf(ret_path, CHILD_PATH_MAX, "%s/../workers/%s/%s", programs, dash + 1, name);
    return length < CHILD_PATH_MAX && access(ret_path, X_OK) == 0;
}
