/* The command line of "worker". See worker.h. */
#include "workers/worker.h"

#include "api/wire.h"
#include "workers/command.h"
#include "workers/options.h"

#include <stdio.h>
#include <unistd.h>

static const struct option_row rows[] = {
    {"stdio", 'i', NULL, OPTION_FLAG, 0, .about = "talk over standard input and output instead"},
    {0},
};

int worker_command(int argc, char **argv, const char *version, const struct worker_kind *kinds)
{
    char text[512], names[256] = "";
    size_t used = 0;
    bool is_stdio = false;
    const struct option_parser parser = {.about = text, .tables = {{rows, &is_stdio, NULL, NULL}}};

    for (const struct worker_kind *kind = kinds; kind->name && used < sizeof names; kind++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                 kind->name);
    snprintf(
        text, sizeof text,
        "Do one job: the program that the daemon starts for jobs of these kinds: %s. It talks in "
        "lines of JSON over file descriptor 3.\vExit status: 0 the job's last word was said, 1 it "
        "was not.",
        names);
    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    int status = is_stdio ? worker_run(STDIN_FILENO, STDOUT_FILENO, version, kinds)
                          : worker_run(WIRE_FD, WIRE_FD, version, kinds);
    return status == 0 ? EXIT_GOOD : EXIT_TROUBLE;
}
