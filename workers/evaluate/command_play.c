/* rink-evaluate match and tournament: pairs of games between two players, as many as a sequential
 * test needs if it is asked for, or a round robin of several players and their ladder. */
#include "api/jobs/job_kinds.h"
#include "workers/evaluate/play_run.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/progress.h"

#include <stdio.h>
#include <string.h>

/* The text of --help: what a command does, and whose moves its limits are for. */
#define ABOUT(what, whose)                                                                      \
    what "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms " \
         "limit each move of " whose " players; without them each uses the budget of its own "  \
         "settings.\n"                                                                          \
         "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished " \
         "is reported). The manual page rink-evaluate(1) describes the output."

#define AT(field) offsetof(struct play_options, field)

static void show_bar(const struct play *play, int64_t done, bool resumed)
{
    char note[64] = "";

    if (play->options->series.player_count == 2)
        snprintf(note, sizeof note, "a %.1f %%", 100.0 * pentanomial_mean(play->half_points));
    progress_update(play->context, done, resumed, note);
}

/* Reads a command line, plays with a progress bar, shows the report and returns the exit status. */
static int run(const char *kind, struct play_options *options, struct option_parser parser,
               int argc, char **argv)
{
    struct progress progress;
    struct play play = {options, kind, &command_cancel, show_bar, &progress, .half_points = {0}};
    char error[1024];
    json_t *result;

    parser.tables[1] = (struct option_table){play_option_rows, options, play_options_finish, NULL};
    parser.tables[2] =
        (struct option_table){play_length_rows, options, NULL, job_kind_find("match")->fields};
    parser.tables[3] =
        (struct option_table){play_record_rows, options, NULL, job_kind_find("match")->fields};
    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    progress = progress_start(series_pairs(&options->series));
    enum series_status status = play_run(&play, &result, sizeof error, error);
    progress_end(&progress);
    if (status != SERIES_FAILED && result)
        return report_show(argv[0], kind, result, options->json);
    command_complain(argv[0], error);
    return EXIT_TROUBLE;
}

/* ---- match ---- */

static void read_values(struct argp_state *state, const char *text, void *field)
{
    const int k = job_value_find(job_sprt_values, text);

    if (k >= 0)
        *(enum job_sprt_values *)field = (enum job_sprt_values)k;
    else
        argp_error(state, "--values must be %s or %s, not '%s'", job_sprt_values[JOB_SPRT_PLAIN],
                   job_sprt_values[JOB_SPRT_ADJUSTED], text);
}

static const struct option_row match_rows[] = {
    {"a", 'a', "PLAYER", OPTION_READ, AT(players[0]), .read = play_options_read_turns,
     .about = "the player whose winning percentage is reported"},
    {"b", 'b', "PLAYER", OPTION_READ, AT(players[1]), .read = play_options_read_turns,
     .about = "its opponent"},
    {"sprt", 0, NULL, OPTION_FLAG, AT(has_sprt), .group = 4,
     .about = "stop as soon as a sequential test has decided; --pairs is then the most that are "
              "played"},
    {"elo0", 0, "ELO", OPTION_NUMBER, AT(test.sprt.elo0), .group = 4},
    {"elo1", 0, "ELO", OPTION_NUMBER, AT(test.sprt.elo1), .group = 4},
    {"values", 0, "KIND", OPTION_READ, AT(test.values), .read = read_values, .group = 4,
     .about = "results of pairs that the test looks at: plain (the default), or adjusted for luck"},
    {0},
};

static void match_finish(struct argp_state *state, void *target)
{
    struct play_options *options = target;
    struct sprt *sprt = &options->test.sprt;

    options->series.player_count = 2;
    if (!options->players[0].class || !options->players[1].class)
        argp_error(state, "two players are needed: --a PLAYER --b PLAYER");
    bool has_elo0 = sprt->elo0 != JOB_SPRT_ELO0, has_elo1 = sprt->elo1 != JOB_SPRT_ELO1;
    if (!options->has_sprt && (has_elo0 || has_elo1))
        argp_error(state, "--%s needs --sprt", has_elo0 ? "elo0" : "elo1");
    if (options->test.values == JOB_SPRT_ADJUSTED && !options->has_sprt)
        argp_error(state, "--values needs --sprt");
    if (options->test.values == JOB_SPRT_ADJUSTED && options->series.setting.luck.throws == 0)
        argp_error(state, "adjusted values need --luck");
    if (!(sprt->elo0 < sprt->elo1))
        argp_error(state, "--elo0 must be less than --elo1");
}

int command_match(int argc, char **argv)
{
    struct play_options options = play_options_default();
    const struct option_parser parser = {
        .about =
            ABOUT("Play pairs of games between two players: the seats swapped, the luck the same.",
                  "both"),
        .tables = {{match_rows, &options, match_finish, job_kind_find("match")->fields}},
    };

    return run("match", &options, parser, argc, argv);
}

/* ---- tournament ---- */

/* Returns the number of the player with the same spec; -1 if there is none. */
static int find_player(const struct play_options *options, const struct player *player)
{
    for (int k = 0; k < options->series.player_count; k++)
        if (is_same_player(&options->players[k], player))
            return k;
    return -1;
}

static void add_player(struct argp_state *state, const char *text, void *context)
{
    struct play_options *options = context;
    struct player player;

    play_options_read_player(state, text, &player);
    if (options->series.player_count == SERIES_PLAYERS_MAX)
        argp_error(state, "more than %d players", SERIES_PLAYERS_MAX);
    else if (find_player(options, &player) >= 0)
        argp_error(state, "player %s takes part twice", text);
    else
        options->players[options->series.player_count++] = player;
}

static const struct option_row tournament_rows[] = {
    {"anchor", 'A', "PLAYER", OPTION_TEXT, AT(anchor_text),
     .about = "the player whose Elo is 0 (default: the first)"},
    {0},
};

static void tournament_finish(struct argp_state *state, void *target)
{
    struct play_options *options = target;
    struct player anchor;

    if (options->series.player_count < 2)
        argp_error(state, "at least two players are needed");
    if (!options->anchor_text)
        return;
    play_options_read_player(state, options->anchor_text, &anchor);
    options->anchor = find_player(options, &anchor);
    if (options->anchor < 0)
        argp_error(state, "the anchor %s does not take part", options->anchor_text);
}

int command_tournament(int argc, char **argv)
{
    struct play_options options = play_options_default();
    const struct option_parser parser = {
        .about =
            ABOUT("Play pairs of games between every two of the players and rate them all.", "all"),
        .tables = {{tournament_rows, &options, tournament_finish, NULL}},
        .arguments = "PLAYER PLAYER...",
        .argument = add_player,
        .context = &options,
    };

    return run("tournament", &options, parser, argc, argv);
}
