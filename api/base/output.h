/* Makes a program fail when its standard output could not be written. */
#ifndef RINKD_API_BASE_OUTPUT_H
#define RINKD_API_BASE_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With a nonzero status the program has already reported its error. If the reader has gone away, as
 * in "rinkctl --help | head", no message is needed. */
static inline void output_check(int status, void *unused)
{
    (void)unused;
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0)
        return;
    /* An earlier write has failed and left nothing to flush: only another one tells why. */
    if (errno == 0 && putchar('\n') != EOF)
        fflush(stdout);
    if (errno != EPIPE)
        fprintf(stderr, "%s: standard output: %s\n", program_invocation_short_name,
                errno ? strerror(errno) : "cannot be written");
    _exit(1);
}

/* Call once, at the start of main(). If standard output cannot be written, the program then exits
 * with 1 instead of 0 and says why, even when a library calls exit(), as argp does after --help.
 * Standard output must stay open until then. */
static inline void output_check_at_exit(void)
{
    on_exit(output_check, NULL);
}

#endif
