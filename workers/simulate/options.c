/* The command line of rink-simulate: what argp is told, and strict reading of the numbers. */
#include "workers/simulate/options.h"

#include "workers/option_values.h"
#include "workers/pool.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rink-simulate " RINKD_VERSION;

#define SAMPLES_MAX      1000000000
#define INTERVAL_LEAST_S 0.001
#define INTERVAL_MOST_S  1000.0

static const char about[] =
    "Throw curling stones: read scenes as JSON Lines from FILE (or standard input, also for -) and "
    "write where the stones come to rest, one line a throw, in the order of the input."
    "\vA scene is a line such as\n"
    "  {\"model\":\"dc3\",\"id\":1,\"n\":0,\"before\":[null, ... 16 entries],\n"
    "   \"shot\":{\"speed\":2.4,\"angle\":1.5,\"angular_velocity\":1.57}}\n"
    "A line with a mistake is answered by {\"id\",\"error\",\"line\"}.\n"
    "Exit status: 0 all lines answered, 1 wrong usage or trouble with a file, 2 some line had a "
    "mistake. The manual page rink-simulate(1) describes the formats.";

enum {
    KEY_PROFILE = 'p',
    KEY_ENGINE = 'e',
    KEY_NOISE = 'n',
    KEY_SAMPLES = 's',
    KEY_SEED = 'S',
    KEY_THREADS = 'j',
    KEY_TRAJECTORY = 't'
};

static const struct argp_option known[] = {
    {"profile", KEY_PROFILE, "NAME", 0,
     "ice and rules: dc2, fcv1, dc3 or dc4 (default: the line's model)", 0},
    {"engine", KEY_ENGINE, "NAME", 0, "fast (default) or box2d, the slow reference", 0},
    {"noise", KEY_NOISE, "KIND", 0, "error of the hand: none (default), gat or normal_dist", 0},
    {"samples", KEY_SAMPLES, "N", 0, "throw each scene N times, each with its own noise", 0},
    {"seed", KEY_SEED, "NUMBER", 0, "of the noise (default 0)", 0},
    {"threads", KEY_THREADS, "N", 0, "default: one for each processor", 0},
    {"trajectory", KEY_TRAJECTORY, "DT", 0, "add the paths of the stones, a point every DT seconds",
     0},
    {0},
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    char list[PROFILE_LIST_MAX];

    switch (key) {
    case KEY_PROFILE:
        options->ice = ice_profile_find(argument);
        if (!options->ice)
            argp_error(state, "--profile must be one of %s, not '%s'", ice_profile_list(list),
                       argument);
        return 0;
    case KEY_ENGINE:
        options->engine = throw_engine_find(argument);
        if (!options->engine)
            argp_error(state, "--engine must be fast or box2d, not '%s'", argument);
        return 0;
    case KEY_NOISE:
        options->noise = option_noise(state, argument);
        return 0;
    case KEY_SAMPLES:
        options->samples = (int64_t)option_whole(state, "samples", argument, 1, SAMPLES_MAX);
        return 0;
    case KEY_SEED:
        options->seed = option_whole(state, "seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_THREADS:
        options->threads = (int)option_whole(state, "threads", argument, 1, POOL_THREADS_MAX);
        return 0;
    case KEY_TRAJECTORY:
        options->interval_s =
            option_number(state, "trajectory", argument, INTERVAL_LEAST_S, INTERVAL_MOST_S);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "only one file, not also '%s'", argument);
        options->file = strcmp(argument, "-") == 0 ? NULL : argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct options options_read(int argc, char **argv)
{
    struct options options = {.engine = throw_engine_find("fast"),
                              .threads = option_processors(POOL_THREADS_MAX)};
    const struct argp argp = {known, read_option, "[FILE]", about, NULL, NULL, NULL};

    argp_err_exit_status = 1;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        exit(1); /* argp ran out of memory; everything else it ends itself */
    return options;
}
