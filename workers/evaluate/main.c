/* rink-evaluate: who is stronger, by how much, and how sure that is. */
#include "workers/evaluate/command.h"

#include <argp.h>
#include <stddef.h>

const char *argp_program_version = "rink-evaluate " RINKD_VERSION;

static const struct command commands[] = {
    {"match", "pairs of games between two players", command_match},
    {"tournament", "everyone against everyone, and a ladder of Elo ratings", command_tournament},
    {"exploitability", "what responders win from a player who does not change",
     command_exploitability},
    {"tendencies", "how often a player plays which kind of shot", command_tendencies},
    {"worker", "one job for the daemon", command_worker},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    return command_main(argc, argv, "Find out who is stronger, by how much, and how sure that is.",
                        "A player is written NAME or NAME:SETTING=VALUE,SETTING=VALUE.", commands);
}
