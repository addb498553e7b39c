/* rink-compete replay LOG */
#include "workers/command.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/replay.h"
#include "workers/options.h"

#include <stdio.h>

struct options {
    const char *log;
    int threads;
};

enum { THREADS_MAX = 256 };

static const struct option_row rows[] = {
    {"threads", 'j', "N", OPTION_INT, offsetof(struct options, threads), .least = 1,
     .most = THREADS_MAX, .about = "default: one for each processor"},
    {0},
};

static void take_log(struct argp_state *state, const char *text, void *context)
{
    struct options *options = context;

    if (options->log)
        argp_error(state, "one LOG at a time");
    options->log = text;
}

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (!options->log)
        argp_error(state, "which LOG?");
}

int command_replay(int argc, char **argv)
{
    struct options options = {.threads = option_processors(THREADS_MAX)};
    const struct option_parser parser = {
        .about = "Repeat every decision of a conversation from its log and compare.",
        .tables = {{rows, &options, finish, NULL}},
        .arguments = "LOG",
        .argument = take_log,
        .context = &options};
    struct replay_result result;
    char why[TALK_WHY_MAX];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (!replay_run(options.log, options.threads, &command_cancel, &result, why)) {
        command_complain(argv[0], why);
        return EXIT_TROUBLE;
    }
    printf("%d messages heard, %d said; %d decisions made again, %d taken from the log, "
           "%d differences\n",
           result.heard, result.said, result.decisions, result.remembered, result.different);
    if (result.different > 0)
        printf("first difference: %s\n", result.first);
    return result.different > 0 ? EXIT_TROUBLE : EXIT_GOOD;
}
