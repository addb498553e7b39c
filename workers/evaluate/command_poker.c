/* rink-evaluate poker: hands of heads-up hold'em between two players. */
#include "api/base/print.h"
#include "api/jobs/job_kinds.h"
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/holdem/poker_match.h"
#include "workers/holdem/poker_players.h"
#include "workers/options.h"
#include "workers/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Play hands of heads-up no-limit hold'em, each twice with swapped seats, and tell what the "
    "first player wins in thousandths of a big blind a hand."
    "\vA PLAYER is poker:o1 to poker:o8 (rule players), poker:random, poker:base, poker:c1 to "
    "poker:c8, poker:ensemble, poker:a-int, poker:a-ave, poker:model=FILE, or "
    "switch:PLAYER|PLAYER,every=HANDS.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted.";

struct options {
    const char *names[2];
    int sessions, hands, threads;
    uint64_t seed;
    bool json;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"player", 'a', "PLAYER", OPTION_TEXT, AT(names[0]), .about = "whose winnings are shown"},
    {"opponent", 'b', "PLAYER", OPTION_TEXT, AT(names[1]), .about = "against whom"},
    {"sessions", 'n', "N", OPTION_INT, AT(sessions), .group = 1},
    {"hands", 'H', "N", OPTION_INT, AT(hands), .group = 1},
    {"seed", 's', "N", OPTION_UINT64, AT(seed), .group = 1},
    {"threads", 't', "N", OPTION_INT, AT(threads), .group = 1},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .about = "write the result as JSON"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (!options->names[0] || !options->names[1])
        argp_error(state, "two players are needed: --player PLAYER --opponent PLAYER");
}

static void on_progress(void *context, int done, const struct poker_tally *tally, bool resumed)
{
    (void)tally;
    progress_show(context, done, resumed);
}

static int play(const char *command, const struct options *options,
                const struct poker_opened opened[2])
{
    struct progress progress = progress_start(options->sessions);
    const struct poker_match match = {
        .session = {.player = {opened[0].player, opened[1].player},
                    .seed = options->seed,
                    .hands = options->hands,
                    .every = opened[0].every > 0 ? opened[0].every : opened[1].every},
        .sessions = options->sessions,
        .threads = options->threads,
        .stop = &command_cancel,
        .progress = on_progress,
        .context = &progress};
    struct poker_tally tally;
    enum poker_match_status status = poker_match_run(&match, &tally);

    progress_end(&progress);
    if (status == POKER_MATCH_STOPPED)
        return EXIT_INTERRUPTED;
    json_t *result = status == POKER_MATCH_OK
                         ? poker_match_json(&match, options->names, options->sessions, &tally)
                         : NULL;
    if (options->json || !result)
        return report_show(command, "poker-match", result, true);
    print_result(stdout, "poker-match", result);
    json_decref(result);
    return EXIT_GOOD;
}

int command_poker(int argc, char **argv)
{
    static struct poker_opened opened[2]; /* large */
    struct options options = {.seed = 0};
    const struct option_parser parser = {
        .about = about,
        .tables = {{rows, &options, finish, job_kind_find("poker-match")->fields}},
    };
    char error[PLAYER_ERROR_MAX];
    int status = EXIT_TROUBLE;

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    for (int k = 0; k < 2; k++)
        if (!poker_open(options.names[k], NULL, &opened[k], error)) {
            command_complain(argv[0], error);
            return EXIT_TROUBLE;
        }
    status = play(argv[0], &options, opened);
    for (int k = 0; k < 2; k++)
        poker_close(&opened[k]);
    return status;
}
