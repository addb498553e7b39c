/* rink-evaluate regret: how much less the shots of a player are worth than the best known ones; and
 * the commands that have made the bench, positions and referee. */
#include "api/jobs/job_kinds.h"
#include "models/networks/end_value.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/regret/bench.h"
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/pool.h"
#include "workers/progress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void read_referee(struct argp_state *state, const char *text, void *ret_kind)
{
    const int kind = job_value_find(job_referee_values, text);

    if (kind >= 0)
        *(enum referee_kind *)ret_kind = (enum referee_kind)kind;
    else
        argp_error(state, "--referee must be %s, %s or %s, not '%s'", job_referee_values[0],
                   job_referee_values[1], job_referee_values[2], text);
}

#define REFEREE_OPTION(place)                                                     \
    {                                                                             \
        "referee", 'r', "NAME", OPTION_READ, place,                               \
            .read = read_referee, .about = "adjusted (default), deep or playouts" \
    }

/* ---- regret ---- */

static const char regret_about[] =
    "Measure the regret of a player: how much less its shots are worth than the best ones that a "
    "referee knows, at the positions of the bench that comes with rinkd."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. The regret is a lower bound: better "
    "shots may exist. RINKD_REGRET names another folder with positions.jsonl and referee_*.jsonl.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted.";

struct regret_options {
    struct regret_setting setting;
    int positions;
    bool json;
};

#define AT(field) offsetof(struct regret_options, field)

static const struct option_row regret_rows[] = {
    {"player", 'a', "PLAYER", OPTION_READ, AT(setting.player), .read = play_options_read_player,
     .about = "whose regret is measured"},
    REFEREE_OPTION(AT(setting.kind)),
    {"positions", 'N', "N", OPTION_INT, AT(positions), .group = 1},
    {"seeds", 'k', "N", OPTION_INT, AT(setting.seeds), .group = 1},
    {"simulations", 's', "N", OPTION_INT64, AT(setting.limits.simulations), .least = 1,
     .most = PLAYER_SIMULATIONS_MAX, .group = 2, .about = "limit of each answer: simulated throws"},
    {"time-ms", 't', "T", OPTION_NUMBER, AT(setting.limits.time_s), .least_number = 0.001,
     .most_number = PLAYER_TIME_MAX_MS, .unit = 0.001, .group = 2,
     .about = "limit of each answer: milliseconds"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(setting.seed), .most = INT64_MAX, .group = 3,
     .about = "seed of the first answers (default {default})"},
    {"stream", 'm', "N", OPTION_UINT64, AT(setting.stream), .most = UINT32_MAX, .group = 3,
     .about = "stream of their random numbers (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(setting.threads), .least = 1, .most = POOL_THREADS_MAX,
     .group = 3, .about = "positions side by side (default: one for each processor)"},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .group = 3, .about = "write the result as JSON"},
    {0},
};

static void finish_regret(struct argp_state *state, void *target)
{
    const struct regret_options *options = target;

    if (!options->setting.player.class)
        argp_error(state, "a player is needed: --player PLAYER");
}

int command_regret(int argc, char **argv)
{
    struct regret_options options = {.setting = {.seeds = JOB_REGRET_SEEDS,
                                                 .threads = option_processors(POOL_THREADS_MAX),
                                                 .cancel = &command_cancel,
                                                 .progress = progress_show},
                                     .positions = JOB_SITUATIONS_MAX};
    const struct option_parser parser = {
        .about = regret_about,
        .tables = {{regret_rows, &options, finish_regret, job_kind_find("regret")->fields}}};
    struct bench bench;
    char error[SITUATIONS_ERROR_MAX];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (!bench_open(options.setting.kind, options.positions, &bench, error)) {
        command_complain(argv[0], error);
        return EXIT_TROUBLE;
    }
    struct regret *regrets = calloc((size_t)options.positions, sizeof *regrets);
    struct progress progress = progress_start(options.positions);
    options.setting.context = &progress;
    enum player_status status = regrets
                                    ? regret_measure(&options.setting, &bench.situations,
                                                     bench.refereed, 0, options.positions, regrets)
                                    : PLAYER_NO_MEMORY;
    progress_end(&progress);
    const bool is_cancelled = atomic_load(&command_cancel);
    json_t *report =
        status == PLAYER_OK && !is_cancelled
            ? report_regret_json(&options.setting, &bench.situations, regrets, options.positions)
            : NULL;
    free(regrets);
    bench_close(&bench);
    if (is_cancelled)
        return EXIT_INTERRUPTED;
    if (status == PLAYER_FAILED) {
        command_complain(argv[0], end_value_blame(REGRET_FAILED));
        return EXIT_TROUBLE;
    }
    return report_show(argv[0], "regret", report, options.json);
}

/* ---- positions ---- */

struct positions_options {
    uint64_t seed;
    int count;
};

static const struct option_row positions_rows[] = {
    {"seed", 'S', "NUMBER", OPTION_UINT64, offsetof(struct positions_options, seed),
     .most = INT64_MAX, .about = "seed of the positions (default {default})"},
    {"count", 'N', "N", OPTION_INT, offsetof(struct positions_options, count), .least = 1,
     .most = SITUATIONS_MAX, .about = "positions (default {default})"},
    {0},
};

int command_positions(int argc, char **argv)
{
    struct positions_options options = {.count = JOB_SITUATIONS_MAX};
    const struct option_parser parser = {
        .about = "Draw the positions of a regret bench and write them as JSON Lines: each shot of "
                 "an end, dc2 and dc3, the scores and ends that matter.",
        .tables = {{positions_rows, &options, NULL, NULL}}};

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    struct progress progress = progress_start(options.count);
    bool good = true;
    for (int k = 0; good && k < options.count && !atomic_load(&command_cancel); k++) {
        struct game game;
        good = situations_draw(options.seed, k, &game) && situations_write(stdout, k, &game);
        progress_update(&progress, k + 1, false, NULL);
    }
    progress_end(&progress);
    if (atomic_load(&command_cancel))
        return EXIT_INTERRUPTED;
    if (!good || fflush(stdout) != 0) {
        command_complain(argv[0], end_value_blame("a position could not be drawn or written"));
        return EXIT_TROUBLE;
    }
    return EXIT_GOOD;
}

/* ---- referee ---- */

static const char referee_about[] =
    "Let a referee value the best shots of the positions of a regret bench, and add a line for "
    "each "
    "position to FILE. A run that was broken off goes on where FILE ends.";

struct referee_options {
    enum referee_kind kind;
    const char *positions, *with, *output;
    int threads;
};

static const struct option_row referee_rows[] = {
    REFEREE_OPTION(offsetof(struct referee_options, kind)),
    {"positions", 'p', "FILE", OPTION_TEXT, offsetof(struct referee_options, positions),
     .about = "the positions (needed)"},
    {"with", 'w', "FILE", OPTION_TEXT, offsetof(struct referee_options, with),
     .about = "also value the best shots of this file, which a referee has written"},
    {"output", 'o', "FILE", OPTION_TEXT, offsetof(struct referee_options, output),
     .about = "what the referee says (needed)"},
    {"threads", 'j', "N", OPTION_INT, offsetof(struct referee_options, threads), .least = 1,
     .most = POOL_THREADS_MAX, .about = "threads (default: one for each processor)"},
    {0},
};

static void finish_referee(struct argp_state *state, void *target)
{
    const struct referee_options *options = target;

    if (!options->positions || !options->output)
        argp_error(state, "--positions FILE and --output FILE are needed");
}

int command_referee(int argc, char **argv)
{
    struct referee_options options = {.threads = option_processors(POOL_THREADS_MAX)};
    const struct option_parser parser = {
        .about = referee_about, .tables = {{referee_rows, &options, finish_referee, NULL}}};
    struct situations situations;
    char error[SITUATIONS_ERROR_MAX];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (!situations_read(options.positions, &situations, error)) {
        command_complain(argv[0], error);
        return EXIT_TROUBLE;
    }
    struct progress progress = progress_start(situations.count);
    const struct bench_making making = {.kind = options.kind,
                                        .with = options.with,
                                        .threads = options.threads,
                                        .cancel = &command_cancel,
                                        .progress = progress_show,
                                        .context = &progress};
    bool good = bench_make(&making, &situations, options.output, error);
    progress_end(&progress);
    situations_free(&situations);
    if (atomic_load(&command_cancel))
        return EXIT_INTERRUPTED;
    if (!good)
        command_complain(argv[0], error);
    return good ? EXIT_GOOD : EXIT_TROUBLE;
}
