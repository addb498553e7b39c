/* rink-learn ensemble: a base network and eight counters become one file with the styles of the
 * rule players, as models/weights has it. */
#include "models/networks/weights.h"
#include "workers/holdem/network_file.h"
#include "workers/holdem/style_library.h"
#include "workers/learn/command.h"
#include "workers/learn/training/train_file.h"
#include "workers/options.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Join networks for hold'em, as evolve makes them, into one file: NETWORKS are the base network "
    "and the counters of rule players 1 to 8, in this order. The styles of the rule players are "
    "measured and added."
    "\vExit status: 0 done, 1 wrong usage or a failure.";

struct options {
    const char *out;
    int hands;
    uint64_t seed;
    const char *files[ENSEMBLE_NETWORKS];
    int count;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"out", 'o', "FILE", OPTION_TEXT, AT(out), .about = "file to write (required)"},
    {"hands", 'H', "N", OPTION_INT, AT(hands), .least = 1, .most = 100000000,
     .about = "hands for the style of each rule player (default {default})"},
    {"seed", 's', "N", OPTION_UINT64, AT(seed), .most = INT64_MAX,
     .about = "seed of these hands (default {default})"},
    {0},
};

static void take_file(struct argp_state *state, const char *text, void *context)
{
    struct options *options = context;

    if (options->count == ENSEMBLE_NETWORKS)
        argp_error(state, "more than %d NETWORKS", ENSEMBLE_NETWORKS);
    options->files[options->count++] = text;
}

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (!options->out)
        argp_error(state, "the file to write is missing: --out FILE");
    if (options->count < ENSEMBLE_NETWORKS)
        argp_error(state, "%d NETWORKS are needed", ENSEMBLE_NETWORKS);
}

static bool read_network(const char *path, struct poker_network *ret_network,
                         char error[POKER_FILE_ERROR_MAX])
{
    struct weights file;

    if (!weights_map(path, &file, error))
        return false;
    bool good = network_file_read(file.bytes, file.size, ret_network, error);
    weights_unmap(&file);
    return good;
}

/* Reads all networks, which must have one form. */
static bool read_all(const struct options *options, struct ensemble *ensemble,
                     char error[POKER_FILE_ERROR_MAX])
{
    const struct poker_form *first = &ensemble->network[0].form;

    for (int k = 0; k < ENSEMBLE_NETWORKS; k++) {
        const struct poker_form *form = &ensemble->network[k].form;
        if (!read_network(options->files[k], &ensemble->network[k], error))
            return false;
        if (form->cells == first->cells && form->hidden == first->hidden)
            continue;
        snprintf(error, POKER_FILE_ERROR_MAX, "%s: has other cells or hidden units than %s",
                 options->files[k], options->files[0]);
        return false;
    }
    return true;
}

static bool write_all(const struct options *options, struct ensemble *ensemble, char *error)
{
    char sha256[TRAIN_SHA256_MAX];
    size_t size = 0;

    unsigned char *bytes = style_library_measure(ensemble, options->hands, options->seed)
                               ? ensemble_file_write(ensemble, &size)
                               : NULL;
    if (!bytes)
        snprintf(error, POKER_FILE_ERROR_MAX, "out of memory");
    bool good =
        bytes && train_file_write_bytes(options->out, bytes, size, sha256, error) == TRAIN_OK;
    free(bytes);
    if (good)
        printf("%s  %s\n", sha256, options->out);
    return good;
}

int command_ensemble(int argc, char **argv)
{
    struct options options = {.hands = 100000, .seed = 1};
    struct ensemble ensemble = {.kind = ENSEMBLE_FULL};
    char error[POKER_FILE_ERROR_MAX + TRAIN_ERROR_MAX];
    const struct option_parser parser = {.about = about,
                                         .tables = {{rows, &options, finish, NULL}},
                                         .arguments = "NETWORKS",
                                         .argument = take_file,
                                         .context = &options};

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    bool good = read_all(&options, &ensemble, error) && write_all(&options, &ensemble, error);
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++)
        free((float *)ensemble.network[k].weights);
    if (good)
        return EXIT_GOOD;
    command_complain(argv[0], error);
    return EXIT_TROUBLE;
}
