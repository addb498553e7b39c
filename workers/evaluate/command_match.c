/* rink-evaluate match: two players, and a fixed number of pairs or as many as a sequential test
 * needs. */
#include "api/job_kinds.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/worker_jobs.h"

static const char about[] =
    "Play pairs of games between two players: the seats swapped, the luck the same."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each move "
    "of both players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

struct match_options {
    struct play_options play;
    const char *hypothesis; /* the last one given of --elo0 and --elo1 */
};

#define AT(field) offsetof(struct match_options, field)

static void read_elo0(struct argp_state *state, const char *text, void *field)
{
    struct match_options *options = field;

    options->play.sprt.elo0 = option_number(state, "elo0", text, -1000.0, 1000.0);
    options->hypothesis = "elo0";
}

static void read_elo1(struct argp_state *state, const char *text, void *field)
{
    struct match_options *options = field;

    options->play.sprt.elo1 = option_number(state, "elo1", text, -1000.0, 1000.0);
    options->hypothesis = "elo1";
}

static const struct option_row match_rows[] = {
    {"a", 'a', "PLAYER", OPTION_READ, AT(play.players[0]), .read = play_options_read_player,
     .about = "the player whose winning percentage is told"},
    {"b", 'b', "PLAYER", OPTION_READ, AT(play.players[1]), .read = play_options_read_player,
     .about = "its opponent"},
    {"sprt", 0, NULL, OPTION_FLAG, AT(play.has_sprt), .group = 4,
     .about = "stop as soon as a sequential test has decided; --pairs is then the most that are "
              "played"},
    {"elo0", 0, "ELO", OPTION_READ, 0, .read = read_elo0, .group = 4,
     .about = "difference by the first hypothesis of the test (default 0)"},
    {"elo1", 0, "ELO", OPTION_READ, 0, .read = read_elo1, .group = 4,
     .about = "by the second one (default 15)"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct match_options *options = target;

    options->play.player_count = 2;
    if (!options->play.players[0].class || !options->play.players[1].class)
        argp_error(state, "two players are needed: --a PLAYER --b PLAYER");
    if (options->hypothesis && !options->play.has_sprt)
        argp_error(state, "--%s needs --sprt", options->hypothesis);
    if (!(options->play.sprt.elo0 < options->play.sprt.elo1))
        argp_error(state, "--elo0 must be less than --elo1");
}

int command_match(int argc, char **argv)
{
    struct match_options options = {.play = play_options_default()};
    const struct option_parser parser = {
        .about = about,
        .tables = {{match_rows, &options, finish, NULL},
                   {play_option_rows, &options.play, play_options_finish, NULL},
                   {play_length_rows, &options.play, NULL, job_kind_find("match")->fields},
                   {play_record_rows, &options.play, NULL, NULL}},
    };

    return options_parse(&parser, argc, argv) ? play_command(argv[0], "match", &options.play)
                                              : EXIT_TROUBLE;
}
