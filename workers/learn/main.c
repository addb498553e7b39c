/* rink-learn: trains policies. */
#include "workers/learn/command.h"

#include <argp.h>
#include <stddef.h>

const char *argp_program_version = "rink-learn " RINKD_VERSION;

static const struct command commands[] = {
    {"train", "learn as a training job does, into a folder", command_train},
    {"estimate", "tell how long such a training would take", command_estimate},
    {"imitate", "learn a policy from what another player does", command_imitate},
    {"worker", "do one job for the daemon", command_worker},
    {"toy", "learn games whose equilibria are known, and say how far from them", command_toy},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    return command_main(argc, argv, "Learn to play by playing against oneself.", NULL, commands);
}
