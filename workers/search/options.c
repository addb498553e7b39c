/* The command line of rink-search: what argp is told, and strict reading of the numbers. */
#include "workers/search/options.h"

#include "workers/option_values.h"
#include "workers/search/player/player.h"
#include "workers/search/policy/policy_store.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rink-search " RINKD_VERSION;

enum { THREADS_MAX = 256, REPORT_LEAST_MS = 10, REPORT_MOST_MS = 86400000 };

static const char about[] =
    "Find the best shot: read a shot query, a JSON object, from FILE (or standard input, also for "
    "-) and write the answer as a line of JSON."
    "\vA query is such as\n"
    "  {\"profile\":\"dc3\",\"state\":{...},\"limits\":{\"time_ms\":3000}}\n"
    "with the state of a Digital Curling 3 update. A query with mistakes is answered by "
    "{\"id\",\"is_final\",\"errors\"}.\n"
    "Exit status: 0 answered, 1 wrong usage or trouble with a file, 2 some query had a mistake. "
    "The manual page rink-search(1) describes the formats.";

enum {
    KEY_STDIO = 'i',
    KEY_LIST = 'l',
    KEY_JSON = 'J',
    KEY_MODELS = 'm',
    KEY_PLAYER = 'p',
    KEY_REPORT = 'r',
    KEY_THREADS = 'j'
};

static const struct argp_option known[] = {
    {"player", KEY_PLAYER, "PLAYER", 0,
     "who answers a query that names nobody: NAME or NAME:SETTING=VALUE,... "
     "(default: " OPTIONS_DEFAULT_PLAYER ")",
     0},
    {"list-players", KEY_LIST, NULL, 0, "show all players with their settings and exit", 0},
    {"json", KEY_JSON, NULL, 0, "with --list-players: as one line of JSON", 0},
    {"models", KEY_MODELS, "FOLDER", 0,
     "where HASH.safetensors are, the models that players name by hash (default: RINKD_MODELS of "
     "the environment); before --player",
     0},
    {"threads", KEY_THREADS, "N", 0, "default: one for each processor", 0},
    {"report-interval-ms", KEY_REPORT, "N", 0,
     "write a partial answer about every N ms for a query that does not say", 0},
    {"stdio", KEY_STDIO, NULL, 0, "a query a line, any number of them; {\"cancel\":ID} cancels one",
     0},
    {0},
};

static void check_player(struct argp_state *state, const char *spec)
{
    struct player player;
    char message[1024];

    if (!player_read(spec, &player, sizeof message, message))
        argp_error(state, "--player: %s", message);
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_PLAYER:
        check_player(state, argument);
        options->player = argument;
        return 0;
    case KEY_MODELS:
        policy_store_folder(argument);
        return 0;
    case KEY_LIST:
        options->list_players = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_THREADS:
        options->threads = (int)option_whole(state, "threads", argument, 1, THREADS_MAX);
        return 0;
    case KEY_REPORT:
        options->report_interval_s = (double)option_whole(state, "report-interval-ms", argument,
                                                          REPORT_LEAST_MS, REPORT_MOST_MS) /
                                     1000.0;
        return 0;
    case KEY_STDIO:
        options->stdio = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "only one file, not also '%s'", argument);
        options->file = strcmp(argument, "-") == 0 ? NULL : argument;
        return 0;
    case ARGP_KEY_END:
        if (options->json && !options->list_players)
            argp_error(state, "--json belongs to --list-players");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct options options_read(int argc, char **argv)
{
    struct options options = {.player = OPTIONS_DEFAULT_PLAYER,
                              .threads = option_processors(THREADS_MAX)};
    const struct argp argp = {known, read_option, "[FILE]", about, NULL, NULL, NULL};

    argp_err_exit_status = 1;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        exit(1); /* argp ran out of memory; everything else it ends itself */
    return options;
}
