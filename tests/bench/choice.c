/* How well does a search choose by its own values? At the positions of the regret bench players of
 * the class "rink" choose shots with several seeds. The shots of a seed are valued by the same
 * fresh throws with the network of the first player: what is worse than its shot is lost by the
 * search alone, not by the values. Prints for each player how much more its shots lose than those
 * of the first, in percent of winning, with a standard error over positions, and its time.
 *
 *   bench_choice [--seeds N] [--positions N] [--first-seed N] PLAYER PLAYER…
 *
 * Far cheaper than `rink-evaluate regret`, which says how good the shots are. */
#include "tests/bench/bench.h"

#include "models/ice/noise.h"
#include "models/tables/profiles.h"
#include "workers/evaluate/regret/situations.h"
#include "workers/evaluate/statistics/sample.h"
#include "workers/search/maps/valuation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS_MAX = 16, FRESH = 8192, FRESH_SEED = 1000000007, STAGES = 4 };

struct settings {
    int seeds, positions, first_seed, count;
    struct player player[PLAYERS_MAX];
    const char *spec[PLAYERS_MAX];
};

struct result {
    struct sample lost[1 + STAGES]; /* of all positions, and by stage of the end */
    double time_s;
    int64_t throws;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_choice: %s\n", what);
    exit(1);
}

static int stage_of(int shot)
{
    return shot == 15 ? 4 : shot >= 10 ? 3 : shot >= 5 ? 2 : 1;
}

/* Values the shots of one seed; adds how much less than the first each wins. */
static void value(const struct settings *settings, const struct player_query *query,
                  struct valued *valued, double ret_lost[PLAYERS_MAX])
{
    struct player_query other = *query;
    struct valuation valuation;

    other.key.seed += FRESH_SEED;
    if (valuation_open(&valuation, &settings->player[0], &other) != PLAYER_OK)
        fail("the shots cannot be valued");
    struct normal_pair *errors = valuation_errors(&valuation, RANDOM_SCENE, FRESH);
    if (!errors || !valuation_appraise(&valuation, errors, FRESH, valued, settings->count))
        fail("the shots cannot be valued");
    free(errors);
    valuation_close(&valuation, PLAYER_OK);
    for (int k = 0; k < settings->count; k++)
        ret_lost[k] += valued[k].appraised.win_less.mean;
}

static void try_position(const struct settings *settings, const struct game *game, int number,
                         struct result results[PLAYERS_MAX])
{
    static struct player_answer answer; /* large */
    const struct profile *profile = profile_of(game->rules);
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    double lost[PLAYERS_MAX] = {0.0};

    for (int seed = 0; seed < settings->seeds; seed++) {
        const struct player_query query = {
            .game = game,
            .ice = profile->ice,
            .noise = &noise,
            .limits = {.threads = 1},
            .key = {.seed = (uint64_t)(settings->first_seed + seed), .game = (uint64_t)number}};
        struct valued valued[PLAYERS_MAX];
        throw_warm_up(query.ice);
        for (int k = 0; k < settings->count; k++) {
            double start_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID);
            if (player_choose(&settings->player[k], &query, &answer) != PLAYER_OK)
                fail("a player gave no answer");
            results[k].time_s += bench_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
            results[k].throws += answer.simulations;
            valued[k] = (struct valued){.candidate = candidate_of_shot(answer.shot)};
        }
        value(settings, &query, valued, lost);
    }
    for (int k = 0; k < settings->count; k++) {
        sample_add(&results[k].lost[0], 100.0 * lost[k] / settings->seeds);
        sample_add(&results[k].lost[stage_of(game->shot)], 100.0 * lost[k] / settings->seeds);
    }
}

static struct settings read_settings(int argc, char **argv)
{
    struct settings settings = {.seeds = 2, .positions = 200};
    char error[PLAYER_ERROR_MAX];

    for (int k = 1; k < argc; k++) {
        int *number = strcmp(argv[k], "--seeds") == 0        ? &settings.seeds
                      : strcmp(argv[k], "--positions") == 0  ? &settings.positions
                      : strcmp(argv[k], "--first-seed") == 0 ? &settings.first_seed
                                                             : NULL;
        if (number) {
            *number = k + 1 < argc ? atoi(argv[++k]) : 0;
            continue;
        }
        if (settings.count == PLAYERS_MAX)
            fail("too many players");
        if (!player_read(argv[k], &settings.player[settings.count], sizeof error, error))
            fail(error);
        settings.spec[settings.count++] = argv[k];
    }
    if (settings.count < 2 || settings.seeds < 1)
        fail("[--seeds N] [--positions N] [--first-seed N] PLAYER PLAYER…");
    return settings;
}

int main(int argc, char **argv)
{
    const struct settings settings = read_settings(argc, argv);
    static struct result results[PLAYERS_MAX];
    struct situations situations;
    char error[SITUATIONS_ERROR_MAX];

    if (!situations_read(REGRET_POSITIONS, &situations, error))
        fail(error);
    int positions = settings.positions < situations.count ? settings.positions : situations.count;
    for (int k = 0; k < positions; k++)
        try_position(&settings, &situations.games[k], k, results);
    printf("%d positions, %d seeds: %% of winning lost to the first player\n", positions,
           settings.seeds);
    printf("all              shots 0-4        5-9              10-14            last             "
           "ms      throws  player\n");
    for (int k = 0; k < settings.count; k++) {
        const double answers = (double)positions * settings.seeds;
        for (int s = 0; s <= STAGES; s++)
            printf("%+.3f +- %.3f  ", sample_mean(&results[k].lost[s]),
                   sqrt(sample_variance(&results[k].lost[s]) / (double)results[k].lost[s].count));
        printf("%6.2f  %6.0f  %s\n", 1e3 * results[k].time_s / answers,
               (double)results[k].throws / answers, settings.spec[k]);
    }
    situations_free(&situations);
    return 0;
}
