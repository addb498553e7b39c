/* A child process that talks in lines: start, read, write, end. job_worker.c and pool.c give the
 * lines their meaning. Core thread only: the kernel kills a child when the thread that started
 * it ends.
 *
 * A child has its own process group and inherits only its three or four file descriptors. It
 * gets a clean environment without tokens (of RINKD_… variables only RINKD_MODELS and
 * RINKD_WEIGHTS) and no new privileges. It is killed first when memory runs short, and killed
 * when the daemon ends: the next daemon may start at once and needs the child's folder. */
#ifndef RINKD_SERVICE_BASE_CHILD_H
#define RINKD_SERVICE_BASE_CHILD_H

#include "api/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct child;
struct config;

enum {
    CHILD_LOG_MAX = 8192,       /* bytes of stderr that are kept */
    CHILD_TERM_MS = 5000,       /* from SIGTERM to SIGKILL */
    CHILD_UNSENT_MAX = 4 << 20, /* bytes that may wait for the child to read them */
    CHILD_PATH_MAX = 4096
};

struct child_settings {
    /* argv[0]: a program in the folder of programs, or a path (child_program()); NULL at the end */
    const char *const *argv;
    /* The child's descriptor for lines: 3 (stdin is then empty and stdout goes to stderr) or 0
     * (stdin and stdout). */
    int line_fd;
    size_t line_max;             /* bytes */
    int niceness;                /* added to the daemon's; at most 19 */
    int patience_ms;             /* it is killed after this time; 0: no limit */
    bool is_killed_when_stopped; /* by SIGSTOP: a caller waits for its answer */
    void *context;
    /* Receives a line without its newline, valid during the call; NULL: the line was too long. */
    void (*line)(void *context, const char *text, size_t length);
    /* The last call, made once: the process is gone and all its lines were handed out. `status`
     * is from waitpid(). The child is freed afterwards. */
    void (*ended)(void *context, int status);
};

/* Starts a child. API_NO_WORKER: no such program. */
enum api_error child_start(uv_loop_t *loop, const struct config *config,
                           const struct child_settings *settings, struct child **ret_child);

/* Sends a copy of the text. False: the child does not read, or memory is short; end the child
 * then. */
bool child_write(struct child *child, const char *text, size_t length);

/* Turns reading of lines on (the default) or off. While it is off, the lines of a dead child are
 * kept, and the child ends only once they are read. */
void child_listen(struct child *child, bool listen);

/* Sends SIGTERM to its group, then SIGKILL after CHILD_TERM_MS. Repeating it does nothing. */
void child_end(struct child *child);
void child_kill(struct child *child);

int child_pid(const struct child *child);

/* Copies the last bytes of its stderr as text, from the start of a line if possible. Returns how
 * many bytes it has written in all, so that callers notice changes. */
size_t child_log(const struct child *child, char ret_text[CHILD_LOG_MAX + 1]);

/* Describes the end of a process: "exit status 3", "signal 9 (Killed)". */
void child_describe(int status, size_t size, char *ret_text);

/* Finds a program: <programs>/<name>, or in a build tree, where each program has its own folder,
 * <programs>/../workers/search/rink-search. A name with a '/' is already a path. False: no such
 * executable. */
bool child_program(const char *programs, const char *name, char ret_path[CHILD_PATH_MAX]);

#endif
