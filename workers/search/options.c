/* The command line of rink-search. */
#include "workers/search/options.h"

#include "workers/options.h"
#include "workers/search/player/player.h"
#include "workers/search/policy/policy_store.h"

#include <stdlib.h>

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

static void check_player(struct argp_state *state, const char *spec, void *field)
{
    struct player player;
    char message[1024];

    if (!player_read(spec, &player, sizeof message, message))
        argp_error(state, "--player: %s", message);
    *(const char **)field = spec;
}

static void set_models(struct argp_state *state, const char *folder, void *field)
{
    (void)state, (void)field;
    policy_store_folder(folder);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"player", 'p', "PLAYER", OPTION_READ, AT(player), .read = check_player,
     .about = "who answers a query that names no player: NAME or NAME:SETTING=VALUE,... "
              "(default: " OPTIONS_DEFAULT_PLAYER ")"},
    {"list-players", 'l', NULL, OPTION_FLAG, AT(list_players),
     .about = "show all players with their settings and exit"},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .about = "with --list-players: as one line of JSON"},
    {"models", 'm', "FOLDER", OPTION_READ, 0, .read = set_models,
     .about = "where HASH.safetensors are, the models that players name by hash (default: "
              "RINKD_MODELS of the environment); before --player"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = THREADS_MAX,
     .about = "default: one for each processor"},
    {"report-interval-ms", 'r', "N", OPTION_INT, AT(report_interval_ms), .least = REPORT_LEAST_MS,
     .most = REPORT_MOST_MS,
     .about = "write a partial answer about every N ms for a query that does not say"},
    {"stdio", 'i', NULL, OPTION_FLAG, AT(stdio),
     .about = "a query a line, any number of them; {\"cancel\":ID} cancels one"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (options->json && !options->list_players)
        argp_error(state, "--json belongs to --list-players");
}

struct options options_read(int argc, char **argv)
{
    struct options options = {.player = OPTIONS_DEFAULT_PLAYER,
                              .threads = option_processors(THREADS_MAX)};
    const struct option_parser parser = {
        .about = about, .tables = {{rows, &options, finish, NULL}}, .file = &options.file};

    if (!options_parse(&parser, argc, argv))
        exit(1);
    return options;
}
