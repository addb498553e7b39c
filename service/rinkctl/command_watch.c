/* rinkctl watch: follows a job. */
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/watch.h"

#include <string.h>

static const char about[] =
    "Follow a job to its end, and show its result."
    "\vOn a terminal it draws a bar, else it writes a line for each change, both to standard "
    "error. "
    "It goes on when the daemon comes back after a restart. Interrupting it (Ctrl-C) does nothing "
    "to the job.\n"
    "Exit status: 0 done, 1 the job was buried or cancelled, 2 refused by the server, 3 no "
    "connection, 130 interrupted.";

enum { KEY_PATIENCE = 0x300, PATIENCE_MAX_S = 1000000 };

static const struct argp_option known[] = {
    {"patience", KEY_PATIENCE, "S", 0, "seconds to wait for a server that went away (default 300)",
     1},
    {0},
};

struct watch_options {
    struct common *common;
    const char *id;
    double patience_s;
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct watch_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_PATIENCE:
        options->patience_s = (double)option_whole(state, "patience", argument, 0, PATIENCE_MAX_S);
        return 0;
    case ARGP_KEY_ARG:
        if (options->id)
            argp_error(state, "'%s' is one argument too many", argument);
        options->id = option_job(state, argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->id)
            argp_error(state, "the number of a job is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

enum exit_status command_watch(int argc, char **argv, struct common *common)
{
    struct watch_options options = {common, NULL, WATCH_PATIENCE_S};
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, read_option, "JOB", about, children, NULL, NULL};

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status =
        watch_job(client, argv[0], options.id, options.patience_s, common->json);
    client_free(client);
    return status;
}
