/* The command line of "worker". See worker_command.h. */
#include "workers/worker_command.h"

#include "api/wire.h"
#include "workers/command.h"

#include <argp.h>
#include <stdio.h>
#include <unistd.h>

enum { KEY_STDIO = 'i' };

static const struct argp_option known[] = {
    {"stdio", KEY_STDIO, NULL, 0, "talk over standard input and output instead", 0},
    {0},
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    bool *is_stdio = state->input;

    if (key == ARGP_KEY_ARG)
        argp_error(state, "'%s' is not an option", argument);
    if (key != KEY_STDIO)
        return ARGP_ERR_UNKNOWN;
    *is_stdio = true;
    return 0;
}

int worker_command(int argc, char **argv, const char *about, const char *version,
                   const struct worker_kind *kinds)
{
    char text[512];
    const struct argp argp = {known, read_option, NULL, text, NULL, NULL, NULL};
    bool is_stdio = false;

    snprintf(
        text, sizeof text,
        "Do one job: the program that the daemon starts for %s. It talks in lines of JSON over "
        "file descriptor 3.\vExit status: 0 the job's last word was said, 1 it was not.",
        about);
    if (argp_parse(&argp, argc, argv, 0, NULL, &is_stdio) != 0)
        return EXIT_TROUBLE;
    int status = is_stdio ? worker_run(STDIN_FILENO, STDOUT_FILENO, version, kinds)
                          : worker_run(WIRE_FD, WIRE_FD, version, kinds);
    return status == 0 ? EXIT_GOOD : EXIT_TROUBLE;
}
