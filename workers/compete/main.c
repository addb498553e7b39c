/* rink-compete: plays on the servers of Digital Curling 2, 3 and 4. */
#include "api/base/load_json.h"
#include "workers/command.h"
#include "workers/compete/compete_commands.h"
#include "workers/search/policy/policy_store.h"

#include <argp.h>
#include <curl/curl.h>
#include <signal.h>
#include <stddef.h>

const char *argp_program_version = "rink-compete " RINKD_VERSION;

static const struct command commands[] = {
    {"dc3", "a game on a server of Digital Curling 3", command_dc3},
    {"dc4", "a match on a server of Digital Curling 4, mixed doubles too", command_dc4},
    {"dc2", "games on a server of Digital Curling 2", command_dc2},
    {"host", "hosts a game of Digital Curling 3", command_host},
    {"replay", "repeats a conversation from its log", command_replay},
    {"worker", "one job for the daemon", command_worker},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    load_json_begin();
    signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int status =
        command_main(argc, argv, "Play on the servers of Digital Curling.",
                     "A player is written NAME or NAME:SETTING=VALUE,SETTING=VALUE.", commands);
    curl_global_cleanup();
    return status;
}
