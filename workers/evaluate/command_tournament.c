/* rink-evaluate tournament: a round robin of several players, and their ladder. */
#include "workers/evaluate/command.h"
#include "workers/evaluate/progress.h"
#include "workers/evaluate/report/report.h"

#include <stdlib.h>

static const char about[] =
    "Play pairs of games between every two of the players and rate them all."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each "
    "move of all players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

enum { KEY_ANCHOR = 'A' };

static const struct argp_option known[] = {
    {"anchor", KEY_ANCHOR, "PLAYER", 0, "the player whose Elo is 0 (default: the first)", 0},
    {0},
};

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

static void add_player(struct argp_state *state, struct tournament_options *options,
                       const char *text)
{
    struct player player = read_player_option(state, text);

    if (options->player_count == SERIES_PLAYERS_MAX)
        argp_error(state, "more than %d players", SERIES_PLAYERS_MAX);
    else if (find_player(options, &player) >= 0)
        argp_error(state, "player %s takes part twice", text);
    else
        options->players[options->player_count++] = player;
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct tournament_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->play;
        return 0;
    case KEY_ANCHOR:
        options->anchor_text = argument;
        return 0;
    case ARGP_KEY_ARG:
        add_player(state, options, argument);
        return 0;
    case ARGP_KEY_END:
        if (options->player_count < 2)
            argp_error(state, "at least two players are needed");
        if (options->anchor_text) {
            struct player anchor = read_player_option(state, options->anchor_text);
            options->anchor = find_player(options, &anchor);
            if (options->anchor < 0)
                argp_error(state, "the anchor %s does not take part", options->anchor_text);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool show_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    struct progress *progress = context;

    (void)result;
    progress_update(progress, index + 1, resumed, NULL);
    return true;
}

static int report(const char *command, const struct report_head *head,
                  const struct tournament *tournament)
{
    if (!head->options->json) {
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
    static const struct argp_child children[] = {{&recorded_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, read_option, "PLAYER PLAYER...", about, children, NULL, NULL};
    static struct tournament tournament; /* large */
    struct progress progress;
    char error[1024];

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
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
    struct report_head head = {&options.play, options.players, options.player_count,
                               status == SERIES_CANCELLED};
    if (status == SERIES_FAILED)
        command_complain(argv[0], error);
    else if (!tournament_summarise(options.player_count, results, count, options.play.setting.ends,
                                   options.anchor, &tournament))
        command_complain(argv[0], "the ratings could not be computed");
    else
        exit_status = report(argv[0], &head, &tournament);
    free(results);
    return exit_status;
}
