/* rink-evaluate: finds which player is stronger, by how much, and how certain that is. */
#include "workers/evaluate/worker_jobs.h"
#include "workers/search/policy/policy_store.h"
#include "workers/worker.h"

#include <argp.h>
#include <stddef.h>
#include <string.h>

const char *argp_program_version = "rink-evaluate " RINKD_VERSION;

static int command_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {
        {"match", job_play, false},
        {"tournament", job_play, false},
        {"exploitability", job_exploitability, false},
        {"rate", job_rate, false},
        {"diagnose", job_diagnose, false},
        {"poker-match", job_poker, false},
        {"review", job_review, true},
        {"regret", job_regret, false},
        {0},
    };

    return worker_command(argc, argv, RINKD_VERSION, kinds);
}

static const struct command commands[] = {
    {"match", "pairs of games between two players", command_match},
    {"tournament", "everyone against everyone, and a ladder of Elo ratings", command_tournament},
    {"exploitability", "what responders win from a player who does not change",
     command_exploitability},
    {"tendencies", "how often a player plays which kind of shot", command_tendencies},
    {"calibration", "whether the chances of winning that players told came true",
     command_calibration},
    {"poker", "hands of heads-up hold'em between two players", command_poker},
    {"styles", "the library of known styles, measured or checked", command_styles},
    {"regret", "how much less a player's shots are worth than the best known ones", command_regret},
    {"positions", "draws the positions of a regret bench", command_positions},
    {"referee", "values the best shots of a regret bench", command_referee},
    {"golden", "hashes of results that must not differ between machines", command_golden},
    {"worker", "one job for the daemon", command_worker},
    {NULL, NULL, NULL},
};

/* Reads --models FOLDER or --models=FOLDER before the command, because the options of a command
 * load players. Returns how many arguments it takes. */
static int take_models(int argc, char **argv)
{
    static const char option[] = "--models";
    const size_t length = strlen(option);

    if (argc < 2 || strncmp(argv[1], option, length) != 0)
        return 0;
    if (argv[1][length] == '=') {
        policy_store_folder(argv[1] + length + 1);
        return 1;
    }
    if (argv[1][length] != '\0' || argc < 3)
        return 0;
    policy_store_folder(argv[2]);
    return 2;
}

int main(int argc, char **argv)
{
    int taken = take_models(argc, argv);

    return command_main(argc - taken, argv + taken,
                        "Find out which player is stronger, by how much, and how certain that is.",
                        "A player is written NAME or NAME:SETTING=VALUE,SETTING=VALUE.\n"
                        "--models=FOLDER before the command says where HASH.safetensors are, the\n"
                        "models that players name by hash (default: RINKD_MODELS).",
                        commands);
}
