/* rink-evaluate match: two players, a number of pairs, or as many as a sequential test needs. */
#include "api/job_kinds.h"
#include "workers/evaluate/command.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/report/report.h"
#include "workers/progress.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Play pairs of games between two players: the seats swapped, the luck the same."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each move "
    "of both players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

struct match_options {
    struct play_options play;
    struct player players[2];
    bool has_sprt;
    const char *hypothesis; /* the last of --elo0 and --elo1 that was given */
    struct sprt sprt;
};

#define AT(field) offsetof(struct match_options, field)

static void read_elo0(struct argp_state *state, const char *text, void *field)
{
    struct match_options *options = field;

    options->sprt.elo0 = option_number(state, "elo0", text, -1000.0, 1000.0);
    options->hypothesis = "elo0";
}

static void read_elo1(struct argp_state *state, const char *text, void *field)
{
    struct match_options *options = field;

    options->sprt.elo1 = option_number(state, "elo1", text, -1000.0, 1000.0);
    options->hypothesis = "elo1";
}

static const struct option_row match_rows[] = {
    {"a", 'a', "PLAYER", OPTION_READ, AT(players[0]), .read = play_options_read_player,
     .about = "the player whose winning percentage is told"},
    {"b", 'b', "PLAYER", OPTION_READ, AT(players[1]), .read = play_options_read_player,
     .about = "its opponent"},
    {"sprt", 0, NULL, OPTION_FLAG, AT(has_sprt), .group = 4,
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
    const struct match_options *options = target;

    if (!options->players[0].class || !options->players[1].class)
        argp_error(state, "two players are needed: --a PLAYER --b PLAYER");
    if (options->hypothesis && !options->has_sprt)
        argp_error(state, "--%s needs --sprt", options->hypothesis);
    if (!(options->sprt.elo0 < options->sprt.elo1))
        argp_error(state, "--elo0 must be less than --elo1");
}

/* The pairs so far, for the test and for the bar. */
struct course {
    const struct match_options *options;
    struct progress progress;
    int64_t half_points[PENTANOMIAL];
};

static bool count_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    struct course *course = context;
    char note[64];

    course->half_points[pair_half_points(result)]++;
    snprintf(note, sizeof note, "a %.1f %%", 100.0 * pentanomial_mean(course->half_points));
    progress_update(&course->progress, index + 1, resumed, note);
    return !course->options->has_sprt ||
           sprt_decide(&course->options->sprt, course->half_points) == SPRT_OPEN;
}

static int report(const char *command, const struct report_head *head, bool json,
                  const struct match_summary *match, const struct sprt *sprt)
{
    if (!json) {
        report_match_text(stdout, head, match, sprt);
    } else if (!report_print(report_match_json(head, match, sprt))) {
        command_complain(command, "the result could not be written");
        return EXIT_TROUBLE;
    }
    return head->interrupted ? EXIT_INTERRUPTED : EXIT_GOOD;
}

int command_match(int argc, char **argv)
{
    struct match_options options = {.play = play_options_default(), .sprt = sprt_default()};
    const struct option_parser parser = {
        .about = about,
        .tables = {{match_rows, &options, finish, NULL},
                   {play_option_rows, &options.play, play_options_finish, NULL},
                   {play_length_rows, &options.play, NULL, job_kind_find("match")->fields},
                   {play_record_rows, &options.play, NULL, NULL}},
    };
    char error[1024];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    struct course course = {.options = &options};
    struct series series = play_options_series(&options.play, options.players, 2);
    series.finished = count_pair;
    series.context = &course;
    struct pair_result *results = calloc((size_t)series_pairs(&series), sizeof *results);
    int64_t count;
    if (!results) {
        command_complain(argv[0], "out of memory");
        return EXIT_TROUBLE;
    }
    course.progress = progress_start(series_pairs(&series));
    enum series_status status = series_run(&series, results, &count, sizeof error, error);
    progress_end(&course.progress);

    int exit_status = EXIT_TROUBLE;
    if (status == SERIES_FAILED) {
        command_complain(argv[0], error);
    } else {
        struct report_head head =
            play_options_head(&options.play, options.players, 2, status == SERIES_CANCELLED);
        struct match_summary match;
        match_summarise(results, count, options.play.setting.ends, options.play.setting.seed,
                        &match);
        exit_status = report(argv[0], &head, options.play.json, &match,
                             options.has_sprt ? &options.sprt : NULL);
    }
    free(results);
    return exit_status;
}
