/* rink-search: reads a shot query and writes the best shot; with --stdio for any number of
 * queries. */
#include "api/base/clock.h"
#include "api/base/output.h"
#include "models/networks/end_value.h"
#include "workers/options.h"
#include "workers/search/dialog.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/query.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_GOOD = 0, EXIT_TROUBLE = 1, EXIT_BAD_QUERY = 2 };

/* ---- command line ---- */

const char *argp_program_version = "rink-search " RINKD_VERSION;

/* The player of a query that names none. */
#define DEFAULT_PLAYER "rink"

struct options {
    const char *player; /* spec of the default player, already checked */
    int threads;
    int report_interval_ms; /* 0: no partial answers */
    bool stdio;             /* many queries, one per line */
    bool list_players, json, check_weights;
    const char *file; /* NULL: stdin */
};

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
              "(default: " DEFAULT_PLAYER ")"},
    {"list-players", 'l', NULL, OPTION_FLAG, AT(list_players),
     .about = "show all players with their settings and exit"},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .about = "with --list-players: as one line of JSON"},
    {"check-weights", 'w', NULL, OPTION_FLAG, AT(check_weights),
     .about = "check the files of weights that are shipped, and exit"},
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

/* Reads the command line. --help, --version and mistakes end the program (status 0, 0 and 1). The
 * strings belong to argv. */
static struct options options_read(int argc, char **argv)
{
    struct options options = {.player = DEFAULT_PLAYER, .threads = option_processors(THREADS_MAX)};
    const struct option_parser parser = {
        .about = about, .tables = {{rows, &options, finish, NULL}}, .file = &options.file};

    if (!options_parse(&parser, argc, argv))
        exit(1);
    return options;
}

/* ---- answering ---- */

/* A closed pipe, as in "rink-search | head", needs no message. */
static int complain_about_output(void)
{
    if (errno != EPIPE)
        warn("standard output");
    return EXIT_TROUBLE;
}

/* ---- --list-players ---- */

static void list_setting(const struct player_setting *setting)
{
    printf("  %s: %s\n    ", setting->name, setting->about);
    switch (setting->kind) {
    case SETTING_BOOL:
        printf("true or false (%s)\n", setting->initial != 0.0 ? "true" : "false");
        break;
    case SETTING_CHOICE:
        for (int k = 0; setting->choices[k]; k++)
            printf("%s%s", k ? ", " : "", setting->choices[k]);
        printf(" (%s)\n", setting->choices[(int)setting->initial]);
        break;
    case SETTING_NUMBER:
    case SETTING_WHOLE:
        printf("%snumber, %.15g to %.15g (%.15g)\n", setting->kind == SETTING_WHOLE ? "whole " : "",
               setting->least, setting->most, setting->initial);
        break;
    case SETTING_MODEL:
    case SETTING_VALUES:
        printf("a model: the SHA-256 of its file or a path%s\n",
               setting->least > 0.0 ? "; has to be given" : "");
        break;
    }
}

static void list_players(const struct player_kind *kinds)
{
    for (const struct player_kind *kind = kinds; kind->name; kind++) {
        printf("%s%s: %s\n", kind == kinds ? "" : "\n", kind->name, kind->about);
        for (const struct player_setting *setting = kind->settings; setting && setting->name;
             setting++)
            list_setting(setting);
    }
}

static void list_players_json(const struct player_kind *kinds)
{
    json_t *list = player_kinds_json(kinds);

    if (!list)
        errx(EXIT_TROUBLE, "list: out of memory");
    json_dumpf(list, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(list);
}

/* ---- --check-weights ---- */

static int check_weights(void)
{
    char error[WEIGHTS_ERROR_MAX];
    const char *fault = end_value_check();

    if (!fault && !policy_check_shipped(error))
        fault = error;
    if (fault)
        warnx("%s", fault);
    return fault ? EXIT_TROUBLE : EXIT_GOOD;
}

/* ---- one query ---- */

static bool write_line(void *context, const char *line)
{
    (void)context;
    return puts(line) != EOF && fflush(stdout) != EOF;
}

static int answer_one(const struct query_host *host, FILE *in, const char *name)
{
    static char text[SHOT_QUERY_BYTES_MAX + 1]; /* one byte more than a query may have */
    static struct query query;
    atomic_bool cancel = false;
    const char *message = NULL;
    size_t length = fread(text, 1, sizeof text, in);

    if (ferror(in)) {
        warn("%s", name);
        return EXIT_TROUBLE;
    }
    double arrived_s = clock_now_s();
    query_read(host, text, length, &query);
    switch (query_answer(host, &query, clock_now_s() - arrived_s, &cancel, write_line, NULL,
                         &message)) {
    case QUERY_ANSWERED:
    case QUERY_STOPPED:
        return EXIT_GOOD;
    case QUERY_BAD:
        return EXIT_BAD_QUERY;
    case QUERY_UNANSWERED:
    case QUERY_FAILED:
        break;
    }
    if (!message)
        return complain_about_output();
    warnx("query: %s", message);
    return EXIT_TROUBLE;
}

/* ---- many queries ---- */

static int answer_lines(const struct query_host *host, FILE *in, const char *name)
{
    const char *message = NULL;

    switch (dialog_run(host, fileno(in), stdout, &message)) {
    case DIALOG_OK:
        return EXIT_GOOD;
    case DIALOG_BAD_LINES:
        return EXIT_BAD_QUERY;
    case DIALOG_READ_FAILED:
        warn("%s", name);
        break;
    case DIALOG_WRITE_FAILED:
        complain_about_output();
        break;
    case DIALOG_UNANSWERED:
    case DIALOG_FAILED:
        warnx("query: %s", message);
        break;
    }
    return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    output_check_at_exit();
    const struct options options = options_read(argc, argv);
    const struct query_host host = {
        .read_player = player_read,
        .default_player = options.player,
        .threads = options.threads,
        .report_interval_s = 0.001 * options.report_interval_ms,
    };
    const char *name = options.file ? options.file : "standard input";

    /* A closed pipe is an error of write(), not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    if (options.check_weights)
        return check_weights();
    if (options.list_players) {
        struct player_kind kinds[PLAYER_KINDS_MAX];
        player_kinds(kinds);
        (options.json ? list_players_json : list_players)(kinds);
        return EXIT_GOOD;
    }
    FILE *in = options.file ? fopen(options.file, "re") : stdin;
    if (!in)
        err(EXIT_TROUBLE, "%s", name);
    return (options.stdio ? answer_lines : answer_one)(&host, in, name);
}
