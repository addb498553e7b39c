/* rink-compete dc2, dc3 and dc4. */
#include "api/base/next_line.h"
#include "workers/command.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/replay.h"
#include "workers/options.h"
#include "workers/search/policy/policy_store.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256, GAMES_MAX = 1000000, WORDS = 2, PASSWORD_MAX = 256 };

#define DEFAULT_PLAYER "rink"
#define SECONDS_MAX    86400

struct options {
    const char *words[WORDS]; /* HOST PORT, or URL */
    int word_count;
    const char *player, *name, *log, *user, *password_file, *match;
    double reserve;
    int threads, team, games, wait_s, silence_s, reconnect_s, rate;
    uint64_t seed;
    bool concede;
};

static void read_player(struct argp_state *state, const char *spec, void *field)
{
    struct player player;
    char message[PLAYER_ERROR_MAX];

    if (!player_read(spec, &player, sizeof message, message))
        argp_error(state, "--player: %s", message);
    *(const char **)field = spec;
}

/* A share: "5%" or "0.05". */
static void read_share(struct argp_state *state, const char *text, void *field)
{
    size_t length = strlen(text);
    bool is_percent = length > 0 && text[length - 1] == '%';
    char number[32];

    snprintf(number, sizeof number, "%.*s", (int)(length - is_percent), text);
    double share = option_number(state, "reserve", number, 0.0, is_percent ? 90.0 : 0.9);
    *(double *)field = is_percent ? share / 100.0 : share;
}

static void read_team(struct argp_state *state, const char *text, void *field)
{
    if (strcmp(text, "team0") != 0 && strcmp(text, "team1") != 0)
        argp_error(state, "--team must be team0 or team1, not '%s'", text);
    *(int *)field = text[4] - '0';
}

static void set_models(struct argp_state *state, const char *folder, void *field)
{
    (void)state, (void)field;
    policy_store_folder(folder);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row common_rows[] = {
    {"models", 'm', "FOLDER", OPTION_READ, 0, .read = set_models,
     .about = "where HASH.safetensors are, the models that players name by hash (default: "
              "RINKD_MODELS of the environment); before --player"},
    {"player", 'p', "PLAYER", OPTION_READ, AT(player), .read = read_player,
     .about = "who plays (default: " DEFAULT_PLAYER ")"},
    {"name", 'n', "NAME", OPTION_TEXT, AT(name), .about = "name of the team (default: rink)"},
    {"reserve", 'r', "SHARE", OPTION_READ, AT(reserve), .read = read_share,
     .about = "share of the time that is kept, such as 5% (default: 5%)"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = THREADS_MAX,
     .about = "of a search (default: one for each processor)"},
    {"seed", 's', "N", OPTION_UINT64, AT(seed), .most = UINT64_MAX,
     .about = "of the searches ({default})"},
    {"log", 'l', "FILE", OPTION_TEXT, AT(log),
     .about = "the log, a new file (default: compete-PROTOCOL-TIME-PROCESS.jsonl here)"},
    {"wait", 'w', "SECONDS", OPTION_INT, AT(wait_s), .least = 0, .most = SECONDS_MAX,
     .about = "dc2 and dc3: try to connect for so long, and wait for the server's first word "
              "({default})"},
    {"silence", 'q', "SECONDS", OPTION_INT, AT(silence_s), .least = 1, .most = SECONDS_MAX,
     .about = "give up after so long without a word of the server ({default})"},
    {"concede", 'c', NULL, OPTION_FLAG, AT(concede),
     .about = "concede where the player wants to; otherwise play on"},
    {0},
};
static const struct option_row dc2_rows[] = {
    {"games", 'g', "N", OPTION_INT, AT(games), .least = 1, .most = GAMES_MAX,
     .about = "leave after so many games ({default})"},
    {"user", 'u', "NAME", OPTION_TEXT, AT(user), .about = "to log in with (default: the team's)"},
    {"password-file", 'f', "FILE", OPTION_TEXT, AT(password_file),
     .about = "its first line is the password (default: none)"},
    {0},
};
static const struct option_row dc4_rows[] = {
    {"match", 'i', "ID", OPTION_TEXT, AT(match), .about = "the id of the match"},
    {"team", 't', "TEAM", OPTION_READ, AT(team), .read = read_team,
     .about = "team0 or team1 (default: team0); the server may decide otherwise"},
    {"user", 'u', "NAME", OPTION_TEXT, AT(user), .about = "to authenticate with"},
    {"password-file", 'f', "FILE", OPTION_TEXT, AT(password_file),
     .about = "its first line is the password"},
    {"reconnect", 'R', "SECONDS", OPTION_INT, AT(reconnect_s), .least = 0, .most = SECONDS_MAX,
     .about = "wait so long before a lost stream is opened again ({default}); the server's lock "
              "lasts 5 s"},
    {"rate", 'A', "N", OPTION_INT, AT(rate), .least = 0, .most = WEB_PER_MINUTE,
     .about = "requests of a kind a minute, 0: any number ({default}); the server admits 30"},
    {0},
};

static void take_word(struct argp_state *state, const char *text, void *context)
{
    struct options *options = context;

    if (options->word_count == WORDS)
        argp_error(state, "too many words");
    options->words[options->word_count++] = text;
}

static void finish_lines(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (options->word_count != 2)
        argp_error(state, "HOST and PORT are needed");
}

static void finish_dc4(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (options->word_count != 1)
        argp_error(state, "the URL of the server is needed");
    if (!options->match || !options->match[0] ||
        strspn(options->match, "0123456789abcdefABCDEF-") != strlen(options->match))
        argp_error(state, "--match: the id of the match is needed");
    if (!options->user || !options->password_file)
        argp_error(state, "--user and --password-file are needed");
}

static struct options options_start(void)
{
    return (struct options){.player = DEFAULT_PLAYER,
                            .name = "rink",
                            .reserve = MATCH_CLOCK_RESERVE,
                            .threads = option_processors(THREADS_MAX),
                            .games = 1,
                            .wait_s = 60,
                            .silence_s = 3600,
                            .reconnect_s = 6,
                            .rate = WEB_PER_MINUTE};
}

/* Reads the first line of a file. Complains and returns false if there is none. */
static bool read_password(const char *command, const char *path, char ret_password[PASSWORD_MAX])
{
    FILE *file = fopen(path, "re");
    char why[TALK_WHY_MAX];
    int found = file ? first_line(file, ret_password, PASSWORD_MAX) : -1;
    bool good = found > 0;

    if (!good)
        snprintf(why, sizeof why, "%.200s: %s", path,
                 found == 0 ? "has no first line" : strerror(errno));
    if (file)
        fclose(file);
    if (!good)
        command_complain(command, why);
    return good;
}

/* Opens the log; complains and returns NULL if that is impossible. */
static struct journal *open_log(const char *command, const struct options *options,
                                const char *protocol)
{
    char path[128], when[32], why[TALK_WHY_MAX];
    time_t now = time(NULL);
    struct tm parts;

    strftime(when, sizeof when, "%Y%m%dT%H%M%S", localtime_r(&now, &parts));
    snprintf(path, sizeof path, "compete-%s-%s-%d.jsonl", protocol, when, (int)getpid());
    const char *name = options->log ? options->log : path;
    struct journal *journal = journal_open(name);
    if (!journal) {
        snprintf(why, sizeof why, "log %.200s: %s", name, strerror(errno));
        command_complain(command, why);
    } else if (!options->log) {
        fprintf(stderr, "%s: the log is %s\n", command, name);
    }
    return journal;
}

static struct transport *connect_to(const struct options *options, const struct protocol *protocol,
                                    const char *password, char ret_why[TALK_WHY_MAX])
{
    const struct web_setting web = {.url = options->words[0],
                                    .user = options->user,
                                    .password = password,
                                    .again_s = options->reconnect_s,
                                    .losses_max = 30,
                                    .per_minute = options->rate};

    if (protocol == &protocol_dc4)
        return web_transport(&web, ret_why);
    return line_transport(options->words[0], options->words[1], protocol == &protocol_dc2,
                          clock_now_s() + options->wait_s, &command_cancel, ret_why);
}

/* Connects, plays, and writes the last line of the log. */
static void play(struct session *session, const struct options *options, const char *password,
                 struct session_report *ret_report)
{
    char why[TALK_WHY_MAX] = "";
    if (!session->protocol->begin)
        session->greeting_until_s = clock_now_s() + options->wait_s;
    struct transport *transport = connect_to(options, session->protocol, password, why);

    *ret_report = (struct session_report){.end = SESSION_FAILED, .team = -1, .left_s = NAN};
    if (transport) {
        session_run(session, transport, ret_report);
        transport->free(transport);
    } else {
        if (atomic_load(&command_cancel))
            ret_report->end = SESSION_STOPPED;
        snprintf(ret_report->why, sizeof ret_report->why, "%s", why);
    }
    journal_write(session->journal, "ended", session_json(ret_report));
}

/* Writes the result as a line of JSON, and why it is no good one on standard error. */
static int tell(const char *command, const struct session_report *report)
{
    json_t *object = session_json(report);
    char why[2 * TALK_WHY_MAX];

    if (object)
        json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
    if (report->end != SESSION_OVER) {
        snprintf(why, sizeof why, "%s: %s", session_text(report->end), report->why);
        command_complain(command, why);
    }
    return session_status(report->end);
}

static int run(int argc, char **argv, const struct protocol *protocol,
               const struct option_row *rows, void (*finish)(struct argp_state *, void *),
               const char *about, const char *words)
{
    struct options options = options_start();
    const struct option_parser parser = {
        .about = about,
        .tables = {{common_rows, &options, finish, NULL}, {rows, &options, NULL, NULL}},
        .arguments = words,
        .argument = take_word,
        .context = &options};
    char password[PASSWORD_MAX] = "", error[PLAYER_ERROR_MAX];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (options.password_file && !read_password(argv[0], options.password_file, password))
        return EXIT_TROUBLE;
    struct session session = {
        .protocol = protocol,
        .talk = {.name = options.name,
                 .team = options.team,
                 .match = options.match,
                 .user = options.user,
                 .password = options.password_file ? password : NULL,
                 .games = options.games},
        .thinker = {.threads = options.threads,
                    .seed = options.seed,
                    .may_concede = options.concede},
        .reserve = options.reserve,
        .silence_s = options.silence_s,
        .cancel = &command_cancel,
    };
    struct session_report report;
    if (!player_read(options.player, &session.thinker.player, sizeof error, error)) {
        command_complain(argv[0], error);
        return EXIT_TROUBLE;
    }
    if (!thinker_prepare(&session.thinker, profile_find(protocol->profile), sizeof error, error)) {
        command_complain(argv[0], error);
        return EXIT_TROUBLE;
    }
    session.journal = open_log(argv[0], &options, protocol->name);
    if (!session.journal)
        return EXIT_TROUBLE;
    journal_write(session.journal, "started", replay_header(&session));
    play(&session, &options, password, &report);
    journal_close(session.journal);
    return tell(argv[0], &report);
}

int command_dc2(int argc, char **argv)
{
    return run(argc, argv, &protocol_dc2, dc2_rows, finish_lines,
               "Play on a server of Digital Curling 2.", "HOST PORT");
}

int command_dc3(int argc, char **argv)
{
    static const struct option_row none[] = {{0}};

    return run(argc, argv, &protocol_dc3, none, finish_lines,
               "Play a game on a server of Digital Curling 3. The port decides the team.",
               "HOST PORT");
}

int command_dc4(int argc, char **argv)
{
    return run(argc, argv, &protocol_dc4, dc4_rows, finish_dc4,
               "Play a match on a server of Digital Curling 4.", "URL");
}
