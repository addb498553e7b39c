/* rink-learn: trains policies. */
#include "workers/learn/command.h"

#include <argp.h>
#include <stddef.h>

const char *argp_program_version = "rink-learn " RINKD_VERSION;

static const struct command commands[] = {
    {"train", "run a training without the daemon", command_train},
    {"estimate", "estimate how long a training takes", command_estimate},
    {"imitate", "train a policy to imitate a player", command_imitate},
    {"ensemble", "join networks for hold'em into one file", command_ensemble},
    {"golden", "print hashes of weights that must not differ between machines", command_golden},
    {"worker", "do one job for the daemon", command_worker},
    {"toy", "train on games with known equilibria and print the distance from them", command_toy},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    return command_main(argc, argv, "Train policies by self-play.", NULL, commands);
}
