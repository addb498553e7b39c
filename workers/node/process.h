/* The process that does a task: rink-evaluate or rink-learn, with lines on descriptor 3
 * (api/jobs/wire.h). It has its own process group and a low priority, sees no token, and dies with
 * the node. */
#ifndef RINKD_WORKERS_NODE_PROCESS_H
#define RINKD_WORKERS_NODE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROCESS_TAIL_MAX = 512, PROCESS_PATH_MAX = 4096 };

struct process {
    pid_t pid;     /* 0: not running */
    int line, log; /* our ends; -1: closed */
    char *buffer;  /* bytes start … end have come and are not handed out */
    size_t start, end;
    bool is_over;                    /* its lines have ended, or one is too long */
    char tail[PROCESS_TAIL_MAX + 1]; /* the end of what it wrote to stderr */
    size_t tail_length;
    double ended_s; /* when it was told to end; 0: not yet */
};

/* Finds PROGRAM in the folder, or where a build tree has it beside this program. False: there is
 * none. */
bool process_find(const char *folder, const char *program, char ret_path[PROCESS_PATH_MAX]);

/* Runs "PATH ARGUMENT" to its end and returns what it writes to standard output, malloc'ed. NULL:
 * it failed. */
char *process_output(const char *path, const char *argument);

/* Starts "PATH worker" in a folder; it finds weights that players name by hash in `models`. False:
 * errno says why. */
bool process_start(struct process *process, const char *path, const char *folder,
                   const char *models);
/* Sends a line, which ends with a newline. False: it does not read. */
bool process_say(struct process *process, const char *line, size_t length);
/* Takes what it wrote to stderr. */
void process_read_log(struct process *process);
/* The next complete line that has come, without its newline; it lives until the next call. NULL:
 * none now, or is_over. Never waits. */
const char *process_read(struct process *process, size_t *ret_length);
/* Sends SIGTERM to its group, and SIGKILL when called again after `kill_s`. */
void process_end(struct process *process, double now_s, double kill_s);
void process_kill(struct process *process);
/* Whether the process has ended; then *ret_status is its status from waitpid(). Its last lines may
 * still be read. */
bool process_reap(struct process *process, int *ret_status);
/* Closes the descriptors. */
void process_close(struct process *process);

#endif
