/* rinkctl watch: follows a job. */
#include "service/rinkctl/options.h"
#include "service/rinkctl/watch.h"

#include <stdlib.h>

static const char about[] =
    "Follow a job to its end, and show its result."
    "\vOn a terminal it draws a bar, else it writes a line for each change, both to standard "
    "error. "
    "It goes on when the daemon comes back after a restart. Interrupting it (Ctrl-C) does nothing "
    "to the job.\n"
    "Exit status: 0 done, 1 the job was buried or cancelled, 2 refused by the server, 3 no "
    "connection, 130 interrupted.";

static const struct option_row known[] = {
    {"patience", "S", "seconds to wait for a server that went away (default 300)", 1, 0, 1000000},
    {0},
};

enum exit_status command_watch(int argc, char **argv, struct common *common)
{
    static const struct command_line line = {about, known, WORD_JOB, NULL};
    struct arguments arguments;

    options_read(&line, argc, argv, common, &arguments);
    double patience_s = arguments.option[0] ? atof(arguments.option[0]) : WATCH_PATIENCE_S;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status =
        watch_job(client, argv[0], arguments.word[0], patience_s, common->json);
    client_free(client);
    return status;
}
