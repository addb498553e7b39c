/* Standard output of the programs: nobody is told that all is well when what there was to read
 * could not be written. */
#ifndef RINKD_API_OUTPUT_H
#define RINKD_API_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Other statuses have said why. A reader that has gone away, as in "rinkctl --help | head", needs
 * no message. */
static inline void output_check(int status, void *unused)
{
    (void)unused;
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0)
        return;
    if (errno != EPIPE)
        fprintf(stderr, "%s: standard output: %s\n", program_invocation_short_name,
                errno ? strerror(errno) : "cannot be written");
    _exit(1);
}

/* Once, at the start of main(): the exit status will be 1 instead of 0, and a message tell why,
 * where standard output could not be written; also where somebody else calls exit(), as argp does
 * after --help. Standard output must not be closed before. */
static inline void output_check_at_exit(void)
{
    on_exit(output_check, NULL);
}

#endif
