/* rink-evaluate match: two players, a number of pairs, or as many as a sequential test needs. */
#include "workers/evaluate/command.h"
#include "workers/evaluate/progress.h"
#include "workers/evaluate/report/report.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Play pairs of games between two players: the seats swapped, the luck the same."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. --simulations and --time-ms limit "
    "each "
    "move of both players; without them each uses the budget of its own settings.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted (what was finished is "
    "reported). The manual page rink-evaluate(1) describes the output.";

enum { KEY_A = 'a', KEY_B = 'b', KEY_SPRT = 0x100, KEY_ELO0, KEY_ELO1 };

static const struct argp_option known[] = {
    {"a", KEY_A, "PLAYER", 0, "the player whose winning percentage is told", 0},
    {"b", KEY_B, "PLAYER", 0, "the other one", 0},
    {"sprt", KEY_SPRT, NULL, 0,
     "stop as soon as a sequential test has decided; --pairs is then the most that are played", 4},
    {"elo0", KEY_ELO0, "ELO", 0, "difference by the first hypothesis of the test (default 0)", 4},
    {"elo1", KEY_ELO1, "ELO", 0, "by the second one (default 15)", 4},
    {0},
};

struct match_options {
    struct play_options play;
    struct player players[2];
    bool has_player[2], has_sprt;
    const char *hypothesis; /* an option that says something of the test; NULL: none was given */
    struct sprt sprt;
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct match_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->play;
        return 0;
    case KEY_A:
    case KEY_B:
        options->players[key == KEY_B] = read_player_option(state, argument);
        options->has_player[key == KEY_B] = true;
        return 0;
    case KEY_SPRT:
        options->has_sprt = true;
        return 0;
    case KEY_ELO0:
        options->sprt.elo0 = option_number(state, "elo0", argument, -1000.0, 1000.0);
        options->hypothesis = "elo0";
        return 0;
    case KEY_ELO1:
        options->sprt.elo1 = option_number(state, "elo1", argument, -1000.0, 1000.0);
        options->hypothesis = "elo1";
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option", argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->has_player[0] || !options->has_player[1])
            argp_error(state, "two players are needed: --a PLAYER --b PLAYER");
        if (options->hypothesis && !options->has_sprt)
            argp_error(state, "--%s needs --sprt", options->hypothesis);
        if (!(options->sprt.elo0 < options->sprt.elo1))
            argp_error(state, "--elo0 must be less than --elo1");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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

static int report(const char *command, const struct report_head *head,
                  const struct match_summary *match, const struct sprt *sprt)
{
    if (!head->options->json) {
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
    static const struct argp_child children[] = {{&recorded_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, read_option, NULL, about, children, NULL, NULL};
    char error[1024];

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
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
        struct report_head head = {&options.play, options.players, 2, status == SERIES_CANCELLED};
        struct match_summary match;
        match_summarise(results, count, options.play.setting.ends, options.play.setting.seed,
                        &match);
        exit_status = report(argv[0], &head, &match, options.has_sprt ? &options.sprt : NULL);
    }
    free(results);
    return exit_status;
}
