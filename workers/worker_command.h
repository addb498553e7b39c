/* The command "worker" of the programs that do jobs for the daemon (worker.h). The daemon starts it
 * with its connection on file descriptor WIRE_FD; with --stdio it uses standard input and output.
 */
#ifndef RINKD_WORKERS_WORKER_COMMAND_H
#define RINKD_WORKERS_WORKER_COMMAND_H

#include "workers/worker.h"

/* Reads the command line, does one job and returns the exit status (workers/command.h): EXIT_GOOD
 * when the final message was sent. `version`: of the program; `kinds` end with a name of NULL. */
int worker_command(int argc, char **argv, const char *version, const struct worker_kind *kinds);

#endif
