/* rink-evaluate tournament: a round robin of several players, and their ladder. */
#include "api/job_kinds.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/worker_jobs.h"

static const char about[] =
    "Play pairs of games between every two of the players and rate them all."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each move "
    "of all players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

struct tournament_options {
    struct play_options play;
    const char *anchor_text;
};

/* Returns the number of the player with the same spec; -1 if there is none. */
static int find_player(const struct play_options *options, const struct player *player)
{
    for (int k = 0; k < options->player_count; k++)
        if (is_same_player(&options->players[k], player))
            return k;
    return -1;
}

static void add_player(struct argp_state *state, const char *text, void *context)
{
    struct play_options *options = context;
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

    if (options->play.player_count < 2)
        argp_error(state, "at least two players are needed");
    if (!options->anchor_text)
        return;
    play_options_read_player(state, options->anchor_text, &anchor);
    options->play.anchor = find_player(&options->play, &anchor);
    if (options->play.anchor < 0)
        argp_error(state, "the anchor %s does not take part", options->anchor_text);
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
        .context = &options.play,
    };

    return options_parse(&parser, argc, argv) ? play_command(argv[0], "tournament", &options.play)
                                              : EXIT_TROUBLE;
}
