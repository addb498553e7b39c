/* The commands of rink-learn. Each reads its own command line, writes its result to standard
 * output, its complaints to standard error, and returns the exit status. */
#ifndef RINKD_WORKERS_LEARN_COMMAND_H
#define RINKD_WORKERS_LEARN_COMMAND_H

#include <stdatomic.h>

enum {
    EXIT_GOOD = 0,
    EXIT_TROUBLE = 1,      /* wrong usage, or something failed */
    EXIT_INTERRUPTED = 130 /* by a signal; what was finished has been reported */
};

/* argv[0] is "rink-learn COMMAND", what messages begin with. */
typedef int command_function(int argc, char **argv);

command_function command_toy;

/* Becomes true at SIGINT or SIGTERM; the second such signal ends the program. */
extern atomic_bool command_cancel;

#endif
