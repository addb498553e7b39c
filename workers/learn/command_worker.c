/* rink-learn worker: does one job for the daemon (api/wire.h). */
#include "api/wire.h"
#include "workers/learn/command.h"
#include "workers/learn/worker_train.h"

#include <argp.h>
#include <unistd.h>

static const char about[] =
    "Do one job: the program that the daemon starts for training. It talks in lines of JSON over "
    "file descriptor 3."
    "\vExit status: 0 the job's last word was said, 1 it was not.";

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

int command_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {{"train", job_train}, {NULL, NULL}};
    const struct argp argp = {known, read_option, NULL, about, NULL, NULL, NULL};
    bool is_stdio = false;

    if (argp_parse(&argp, argc, argv, 0, NULL, &is_stdio) != 0)
        return EXIT_TROUBLE;
    int status = is_stdio ? worker_run(STDIN_FILENO, STDOUT_FILENO, RINKD_VERSION, kinds)
                          : worker_run(WIRE_FD, WIRE_FD, RINKD_VERSION, kinds);
    status = status == 0 ? EXIT_GOOD : EXIT_TROUBLE;
    if (job_train_is_left_behind())
        _exit(status);
    return status;
}
