/* The command line of rink-simulate. */
#include "workers/simulate/options.h"

#include "models/tables/profiles.h"
#include "workers/options.h"
#include "workers/pool.h"

#include <stdlib.h>

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

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    const struct ice_profile *ice = ice_profile_find(name);

    char list[PROFILE_LIST_MAX];

    if (!ice)
        argp_error(state, "--profile must be one of %s, not '%s'", ice_profile_list(list), name);
    *(const struct ice_profile **)field = ice;
}

static void read_engine(struct argp_state *state, const char *name, void *field)
{
    const char *reason;
    throw_engine *engine = throw_engine_find(name, &reason);

    if (!engine)
        argp_error(state, "--engine=%s: %s", name, reason);
    *(throw_engine **)field = engine;
}

static void read_noise(struct argp_state *state, const char *text, void *field)
{
    *(enum ice_noise *)field = option_noise(state, text);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"profile", 'p', "NAME", OPTION_READ, AT(ice), .read = read_profile,
     .about = "ice and rules: {ices} (default: the line's model)"},
    {"engine", 'e', "NAME", OPTION_READ, AT(engine), .read = read_engine,
     .about = "fast (default) or box2d, the slow reference"},
    {"noise", 'n', "KIND", OPTION_READ, AT(noise), .read = read_noise,
     .about = "error of the hand: {noises} (default: none)"},
    {"samples", 's', "N", OPTION_INT64, AT(samples), .least = 1, .most = SAMPLES_MAX,
     .about = "throw each scene N times, each with its own noise"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(seed), .most = UINT64_MAX,
     .about = "of the noise (default 0)"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = POOL_THREADS_MAX,
     .about = "default: one for each processor"},
    {"trajectory", 't', "DT", OPTION_NUMBER, AT(interval_s), .least_number = INTERVAL_LEAST_S,
     .most_number = INTERVAL_MOST_S,
     .about = "add the paths of the stones, a point every DT seconds"},
    {0},
};

struct options options_read(int argc, char **argv)
{
    struct options options = {.engine = throw_fast, .threads = option_processors(POOL_THREADS_MAX)};
    const struct option_parser parser = {
        .about = about, .tables = {{rows, &options, NULL, NULL}}, .file = &options.file};

    if (!options_parse(&parser, argc, argv))
        exit(1);
    return options;
}
