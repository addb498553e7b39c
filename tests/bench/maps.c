/* Is a map quick, and are its best shots good? Makes maps of positions from games between two short
 * searches, and compares the best shot of each with that of a whole search, both valued by the same
 * fresh throws. Prints how often the map's is at most .01 of win probability worse, the times to
 * the first picture and to the whole map, and the load of the machine.
 *
 *   bench_maps [--positions N] [--threads N] [--seed N]
 */
#include "tests/bench/bench.h"

#include "workers/search/maps/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAY_SIMULATIONS = 2000, SEARCH_SIMULATIONS = 50000, FRESH = 16384, ENDS = 8 };
#define LESS_MOST    0.01
#define PROFILE_NAME "dc3"

struct settings {
    int positions, threads, seed;
};

struct tally {
    int good, positions;
    double less, worst, first_s, worst_first_s, whole_s, worst_whole_s;
};

static struct player rink(void)
{
    struct player player;
    char error[PLAYER_ERROR_MAX];

    if (!player_read("rink", &player, sizeof error, error)) {
        fprintf(stderr, "bench_maps: %s\n", error);
        exit(1);
    }
    return player;
}

static struct shot best_shot(const struct player *player, struct player_query query,
                             int64_t simulations, int threads)
{
    static struct player_answer answer;

    query.limits = (struct player_limits){.simulations = simulations, .threads = threads};
    query.candidates = 1;
    if (player_choose(player, &query, &answer) != PLAYER_OK)
        exit(1);
    return answer.shot;
}

static void note_first(void *context, const struct map *so_far)
{
    double *first_s = context;

    if (*first_s == 0.0)
        *first_s = so_far->elapsed_s;
}

/* How much less often the second shot wins than the first, by fresh throws. */
static double less_of(const struct player *player, const struct player_query *query,
                      struct shot first, struct shot second)
{
    struct player_query other = *query;
    struct valuation valuation;
    struct valued valued[2] = {{.candidate = candidate_of_shot(first)},
                               {.candidate = candidate_of_shot(second)}};

    other.key.seed += 1000000007;
    if (valuation_open(&valuation, player, &other) != PLAYER_OK)
        exit(1);
    struct normal_pair *errors = valuation_errors(&valuation, RANDOM_SCENE, FRESH);
    if (!errors || !valuation_appraise(&valuation, errors, FRESH, valued, 2))
        exit(1);
    free(errors);
    valuation_close(&valuation, PLAYER_OK);
    return valued[1].appraised.win_less.mean;
}

static void try_position(const struct settings *settings, const struct player *player,
                         struct player_query query, struct tally *tally)
{
    const struct map_setting grid = {.columns = 32, .rows = 32, .lines = 96, .throws = 32};
    double first_s = 0.0;
    struct map map;

    query.limits = (struct player_limits){.threads = settings->threads};
    if (map_make(&grid, player, &query, note_first, &first_s, &map) != PLAYER_OK)
        exit(1);
    struct shot searched = best_shot(player, query, SEARCH_SIMULATIONS, settings->threads);
    double less = less_of(player, &query, searched, map.best[0].valued.candidate.shot);
    tally->positions++;
    tally->good += less <= LESS_MOST;
    tally->less += less;
    tally->worst = fmax(tally->worst, less);
    tally->first_s += first_s;
    tally->worst_first_s = fmax(tally->worst_first_s, first_s);
    tally->whole_s += map.elapsed_s;
    tally->worst_whole_s = fmax(tally->worst_whole_s, map.elapsed_s);
    map_free(&map);
}

/* Plays a game up to a shot of it that the key chooses; false: it has none. */
static bool play_to(const struct player *player, const struct profile *profile,
                    const struct noise *noise, struct random_key key, struct game *ret_game)
{
    key.purpose = RANDOM_SCENE;
    int until = (int)(random_uniform(&key, 0) * ENDS * profile->rules.shots);

    if (game_start(&profile->rules, ENDS, 0, 1, ret_game) != GAME_OK)
        exit(1);
    for (int k = 0; k < until && ret_game->result.reason == GAME_RUNNING; k++) {
        key.shot = (uint32_t)(16 * ret_game->end + ret_game->shot);
        const struct player_query query = {
            .game = ret_game, .ice = profile->ice, .noise = noise, .key = key};
        key.purpose = RANDOM_EXECUTION;
        struct shot thrown =
            noise_apply(noise, profile->ice, best_shot(player, query, PLAY_SIMULATIONS, 1),
                        random_normal_pair(&key, 0));
        struct throw_request request = player_throw(ret_game, profile->ice, thrown);
        struct throw_result result;
        if (throw_fast(&request, &result) != THROW_OK ||
            game_play(ret_game, &result.after, NULL) != GAME_OK)
            exit(1);
    }
    return ret_game->result.reason == GAME_RUNNING;
}

static void print_tally(const struct settings *settings, const struct tally *tally)
{
    double n = tally->positions, load[1] = {NAN};

    if (getloadavg(load, 1) < 1)
        load[0] = NAN;
    printf("%d of %d best shots at most .01 worse than the search's (mean %+.4f, worst %.4f); "
           "first picture %.0f ms (worst %.0f), whole map %.0f ms (worst %.0f), %d threads, "
           "load %.1f\n",
           tally->good, tally->positions, tally->less / n, tally->worst, 1e3 * tally->first_s / n,
           1e3 * tally->worst_first_s, 1e3 * tally->whole_s / n, 1e3 * tally->worst_whole_s,
           settings->threads, load[0]);
    fflush(stdout);
}

static bool read_options(int argc, char **argv, struct settings *settings)
{
    for (int k = 1; k < argc; k += 2) {
        int *value = strcmp(argv[k], "--positions") == 0 ? &settings->positions
                     : strcmp(argv[k], "--threads") == 0 ? &settings->threads
                     : strcmp(argv[k], "--seed") == 0    ? &settings->seed
                                                         : NULL;
        if (!value || k + 1 >= argc || !bench_read_count(argv[k + 1], 1000000, value))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.positions = 100, .threads = 2, .seed = 1};
    const struct profile *profile = profile_find(PROFILE_NAME);
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct tally tally = {.good = 0};
    struct player player = rink();

    if (!read_options(argc, argv, &settings)) {
        fputs("usage: bench_maps [--positions N] [--threads N] [--seed N]\n", stderr);
        return 2;
    }
    throw_warm_up(profile->ice);
    for (int number = 0; tally.positions < settings.positions; number++) {
        struct game game;
        struct random_key key = {.seed = (uint64_t)settings.seed, .game = (uint64_t)number};
        if (!play_to(&player, profile, &noise, key, &game))
            continue;
        const struct player_query query = {
            .game = &game, .ice = profile->ice, .noise = &noise, .key = key};
        try_position(&settings, &player, query, &tally);
        if (tally.positions % 10 == 0 || tally.positions == settings.positions)
            print_tally(&settings, &tally);
    }
    return 0;
}
