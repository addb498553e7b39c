/* rink-evaluate tournament: a round robin of several players, and their ladder. */
#include "api/job_kinds.h"
#include "workers/evaluate/command.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/report/report.h"
#include "workers/progress.h"

#include <stdlib.h>

static const char about[] =
    "Play pairs of games between every two of the players and rate them all."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each move "
    "of all players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

struct tournament_options {
    struct play_options play;
    struct player players[SERIES_PLAYERS_MAX];
    int player_count, anchor;
    const char *anchor_text;
};

/* The number of the player that is written like this one; -1 if there is none. */
static int find_player(const struct tournament_options *options, const struct player *player)
{
    for (int k = 0; k < options->player_count; k++)
        if (is_same_player(&options->players[k], player))
            return k;
    return -1;
}

static void add_player(struct argp_state *state, const char *text, void *context)
{
    struct tournament_options *options = context;
    struct player player;

    play_options_read_player(state, text, &player);
    if (options->player_count == SERIES_PLAYERS_MAX)
        argp_error(state, "more than %d players", SERIES_PLAYERS_MAX);
    else if (find_player(options, &player) >= 0)
        argp_error(state, "player %s takes part twice", text);
    else
        options->players[options->player_count++] = player;
}

static const struct option_row tournament_rows[] = {
    {"anchor", 'A', "PLAYER", OPTION_TEXT, offsetof(struct tournament_options, anchor_text),
     .about = "the player whose Elo is 0 (default: the first)"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct tournament_options *options = target;
    struct player anchor;

    if (options->player_count < 2)
        argp_error(state, "at least two players are needed");
    if (!options->anchor_text)
        return;
    play_options_read_player(state, options->anchor_text, &anchor);
    options->anchor = find_player(options, &anchor);
    if (options->anchor < 0)
        argp_error(state, "the anchor %s does not take part", options->anchor_text);
}

static bool show_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    struct progress *progress = context;

    (void)result;
    progress_update(progress, index + 1, resumed, NULL);
    return true;
}

static int report(const char *command, const struct report_head *head, bool json,
                  const struct tournament *tournament)
{
    if (!json) {
        report_tournament_text(stdout, head, tournament);
    } else if (!report_print(report_tournament_json(head, tournament))) {
        command_complain(command, "the result could not be written");
        return EXIT_TROUBLE;
    }
    return head->interrupted ? EXIT_INTERRUPTED : EXIT_GOOD;
}

int command_tournament(int argc, char **argv)
{
    struct tournament_options options = {.play = play_options_default()};
    const struct option_parser parser = {
        .about = about,
        .tables = {{tournament_rows, &options, finish, NULL},
                   {play_option_rows, &options.play, play_options_finish, NULL},
                   {play_length_rows, &options.play, NULL, job_kind_find("match")->fields},
                   {play_record_rows, &options.play, NULL, NULL}},
        .arguments = "PLAYER PLAYER...",
        .argument = add_player,
        .context = &options,
    };
    static struct tournament tournament; /* large */
    struct progress progress;
    char error[1024];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    struct series series =
        play_options_series(&options.play, options.players, options.player_count);
    series.finished = show_pair;
    series.context = &progress;
    struct pair_result *results = calloc((size_t)series_pairs(&series), sizeof *results);
    int64_t count;
    if (!results) {
        command_complain(argv[0], "out of memory");
        return EXIT_TROUBLE;
    }
    progress = progress_start(series_pairs(&series));
    enum series_status status = series_run(&series, results, &count, sizeof error, error);
    progress_end(&progress);

    int exit_status = EXIT_TROUBLE;
    struct report_head head = play_options_head(&options.play, options.players,
                                                options.player_count, status == SERIES_CANCELLED);
    if (status == SERIES_FAILED)
        command_complain(argv[0], error);
    else if (!tournament_summarise(options.player_count, results, count, options.play.setting.ends,
                                   options.anchor, &tournament))
        command_complain(argv[0], "the ratings could not be computed");
    else
        exit_status = report(argv[0], &head, options.play.json, &tournament);
    free(results);
    return exit_status;
}
