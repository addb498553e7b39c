/* Programs of several commands, such as "rink-learn train --…": the first word names the command.
 * Each command reads its own options, writes its result to standard output and messages to standard
 * error, and returns the exit status. */
#ifndef RINKD_WORKERS_COMMAND_H
#define RINKD_WORKERS_COMMAND_H

#include <stdatomic.h>

enum {
    EXIT_GOOD = 0,
    EXIT_TROUBLE = 1,      /* wrong usage, or something failed */
    EXIT_INTERRUPTED = 130 /* by a signal; the finished part has been reported */
};

/* A command. argv[0] is "PROGRAM COMMAND", the start of messages. */
typedef int command_function(int argc, char **argv);

struct command {
    const char *name, *about; /* about: a phrase for the list of commands */
    command_function *run;
};

/* Becomes true at SIGINT or SIGTERM; the second such signal ends the program. */
extern atomic_bool command_cancel;

/* Runs a program that defines argp_program_version; its main() calls this. `about` is the sentence
 * at the head of --help, `note` a line below its commands (may be NULL); `commands` end with a name
 * of NULL. Returns the exit status. */
int command_main(int argc, char **argv, const char *about, const char *note,
                 const struct command *commands);

/* Writes the name of the command and a sentence about the failure. */
void command_complain(const char *command, const char *what);

#endif
