/* A child process that talks in lines: starting, reading, writing, ending. job_worker.c and pool.c
 * know what the lines mean. Core thread only, as a child gets its death signal when the thread that
 * started it ends.
 *
 * A child has its own process group, inherits only its three or four file descriptors, gets a clean
 * environment (of RINKD_… variables only RINKD_MODELS and RINKD_WEIGHTS, so no tokens) and no new
 * privileges, is killed first when memory is short, and is killed when the daemon ends: the next
 * one may start at once, and needs its folder. */
#ifndef RINKD_SERVICE_BASE_CHILD_H
#define RINKD_SERVICE_BASE_CHILD_H

#include "api/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct child;
struct config;

enum {
    CHILD_LOG_MAX = 8192,       /* bytes of stderr that are kept */
    CHILD_TERM_MS = 5000,       /* from SIGTERM to SIGKILL */
    CHILD_UNSENT_MAX = 4 << 20, /* bytes that may wait until it reads them */
    CHILD_PATH_MAX = 4096
};

struct child_settings {
    /* argv[0]: a program in the folder of programs, or a path (child_program()); NULL at the end */
    const char *const *argv;
    /* The descriptor of the child for lines: 3 (then stdin is empty and stdout goes to stderr), or
     * 0 (stdin and stdout). */
    int line_fd;
    size_t line_max; /* bytes */
    int niceness;    /* added to that of the daemon; 19 is the maximum */
    void *context;
    /* A line without its newline, valid during the call; NULL: it was too long. */
    void (*line)(void *context, const char *text, size_t length);
    /* The last call, once: the process is gone and all lines were handed out. `status` is that of
     * waitpid(). The child is freed afterwards. */
    void (*ended)(void *context, int status);
};

/* API_NO_WORKER: there is no such program. */
enum api_error child_start(uv_loop_t *loop, const struct config *config,
                           const struct child_settings *settings, struct child **ret_child);

/* Sends a copy of the text. False: the child does not read, or memory is short; end it then. */
bool child_write(struct child *child, const char *text, size_t length);

/* Whether lines are read; at first they are. The lines of a child that is gone are kept, and it
 * counts as ended only when they are read. */
void child_listen(struct child *child, bool listen);

/* SIGTERM to its group, then SIGKILL after CHILD_TERM_MS. Repeating it does nothing. */
void child_end(struct child *child);
void child_kill(struct child *child);

int child_pid(const struct child *child);

/* Copies the last bytes of its stderr as text, whole lines if possible. Returns how many bytes it
 * has written in all, which shows changes. */
size_t child_log(const struct child *child, char ret_text[CHILD_LOG_MAX + 1]);

/* Describes the end of a process: "exit status 3", "signal 9 (Killed)". */
void child_describe(int status, size_t size, char *ret_text);

/* Finds a program: <programs>/<name>, or in a build tree, where each has its own folder,
 * <programs>/../workers/search/rink-search. A name with a '/' is a path already. False: there is
 * none that can be run. */
bool child_program(const char *programs, const char *name, char ret_path[CHILD_PATH_MAX]);

#endif
