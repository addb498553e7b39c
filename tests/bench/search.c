/* Speed of the search: simulated shots per second of CPU time inside player "rink" against the bare
 * engine on the same shots, two threads against one compared with two independent searches on two
 * cores, and the generation of candidates.
 *
 *   bench_search [--rounds N] [--positions N] [--throws N] [--player SPEC] [--vectors DIR]
 *
 * Mid-end scenes of tests/vectors for each kind of ice; budgets of 5000, 50000, … throws a move.
 * The shots of a search are recorded while it runs (the linker puts __wrap_throw_fast() before the
 * engine) and thrown again without it. Each number is the median of several rounds, in which search
 * and engine alternate. */
#include "models/tables/profiles.h"
#include "tests/bench/bench.h"
#include "tests/vectors/vectors.h"
#include "workers/search/player/player.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAWS = 2, BUDGETS = 3, POSITIONS_MAX = 64 };

static const char *const files[LAWS] = {"public-dc2.jsonl", "public-fcv1.jsonl"};
static const int budgets[BUDGETS] = {5000, 50000, 500000};

struct options {
    int rounds, positions, throws; /* throws: the largest budget */
    const char *player, *vectors;
};

/* A scene as a game. */
struct table {
    struct game game;
    const struct ice_profile *ice;
    struct noise noise;
};

/* The recorded shots of a search; if `position` is set, only those thrown from it. */
static struct {
    const struct position *position;
    struct shot *shot;
    int count, most;
} tape;

enum throw_status __real_throw_fast(const struct throw_request *request,
                                    struct throw_result *ret_result);
enum throw_status __wrap_throw_fast(const struct throw_request *request,
                                    struct throw_result *ret_result);

enum throw_status __wrap_throw_fast(const struct throw_request *request,
                                    struct throw_result *ret_result)
{
    if (tape.position && request->before == tape.position && tape.count < tape.most)
        tape.shot[tape.count++] = request->shot;
    return __real_throw_fast(request, ret_result);
}

static struct player_query query_of(const struct table *table, int throws, int threads)
{
    return (struct player_query){.game = &table->game,
                                 .ice = table->ice,
                                 .noise = &table->noise,
                                 .limits = {.simulations = throws, .threads = threads},
                                 .key = {.seed = 1, .shot = (uint32_t)table->game.shot},
                                 .candidates = 10};
}

/* Runs one search; returns its time by that clock, negative on failure. */
static double search_s(const struct player *player, const struct table *table, int throws,
                       int threads, clockid_t clock, int64_t *ret_throws)
{
    struct player_query query = query_of(table, throws, threads);
    struct player_answer answer;
    double start_s = bench_clock_s(clock);
    if (player_choose(player, &query, &answer) != PLAYER_OK)
        return -1.0;
    *ret_throws += answer.simulations;
    return bench_clock_s(clock) - start_s;
}

/* Throws the recorded shots again, without the search. */
static double bare_s(const struct table *table)
{
    struct throw_request request = {.ice = table->ice,
                                    .before = &table->game.position,
                                    .stone =
                                        rules_stone_of_shot(table->game.rules, table->game.shot),
                                    .team0_has_hammer = game_team0_has_hammer(&table->game)};
    struct throw_result result;
    double start_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID);
    for (int k = 0; k < tape.count; k++) {
        request.shot = tape.shot[k];
        if (__real_throw_fast(&request, &result) != THROW_OK)
            return -1.0;
    }
    return bench_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
}

struct lone_search {
    const struct player *player;
    const struct table *table;
    int throws;
    double s; /* negative: failed */
};

static void *search_alone(void *data)
{
    struct lone_search *lone = data;
    int64_t throws = 0;

    lone->s = search_s(lone->player, lone->table, lone->throws, 1, CLOCK_MONOTONIC, &throws);
    return NULL;
}

/* Runs two copies of the one-thread search at once to see what a second core is worth. Returns the
 * wall time until both are done, or negative if one failed. */
static double two_searches_s(const struct player *player, const struct table *table, int throws)
{
    struct lone_search here = {.player = player, .table = table, .throws = throws}, beside = here;
    pthread_t thread;
    double start_s = bench_clock_s(CLOCK_MONOTONIC);

    if (pthread_create(&thread, NULL, search_alone, &beside) != 0)
        return -1.0;
    search_alone(&here);
    pthread_join(thread, NULL);
    return here.s < 0.0 || beside.s < 0.0 ? -1.0 : bench_clock_s(CLOCK_MONOTONIC) - start_s;
}

struct cell {
    struct rates bare, search, ratio, speedup, cores;
};

/* Runs one round of all positions at one budget. */
static bool cell_round(const struct player *player, const struct table *tables, int count,
                       int throws, struct cell *cell)
{
    double bare = 0.0, search = 0.0, one = 0.0, two = 0.0, both = 0.0;
    int64_t bare_throws = 0, search_throws = 0, others = 0;

    for (int k = 0; k < count; k++) {
        tape.position = &tables[k].game.position;
        tape.count = 0;
        if (search_s(player, &tables[k], throws, 1, CLOCK_THREAD_CPUTIME_ID, &others) < 0.0)
            return false;
        tape.position = NULL;
        double once = bare_s(&tables[k]);
        double of_search =
            search_s(player, &tables[k], throws, 1, CLOCK_THREAD_CPUTIME_ID, &search_throws);
        double again = bare_s(&tables[k]);
        double with_one = search_s(player, &tables[k], throws, 1, CLOCK_MONOTONIC, &others);
        double with_two = search_s(player, &tables[k], throws, 2, CLOCK_MONOTONIC, &others);
        double side_by_side = two_searches_s(player, &tables[k], throws);
        if (once < 0.0 || of_search < 0.0 || again < 0.0 || with_one < 0.0 || with_two < 0.0 ||
            side_by_side < 0.0)
            return false;
        bare += once + again;
        bare_throws += 2 * (int64_t)tape.count;
        search += of_search;
        one += with_one;
        two += with_two;
        both += side_by_side;
    }
    double bare_per_s = (double)bare_throws / bare, per_s = (double)search_throws / search;
    cell->bare.per_s[cell->bare.count++] = bare_per_s;
    cell->search.per_s[cell->search.count++] = per_s;
    cell->ratio.per_s[cell->ratio.count++] = per_s / bare_per_s;
    cell->speedup.per_s[cell->speedup.count++] = one / two;
    cell->cores.per_s[cell->cores.count++] = 2.0 * one / both;
    return true;
}

static void print_candidates(const char *name, const struct table *tables, int count, int rounds)
{
    enum { CALLS = 20 };
    static struct candidate candidates[CANDIDATES_MAX];
    struct rates rates = {.count = 0};
    int found = 0;

    while (rates.count < rounds) {
        double start_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID);
        found = 0;
        for (int call = 0; call < CALLS; call++)
            for (int k = 0; k < count; k++)
                found += candidates_generate(
                    tables[k].ice, tables[k].game.rules, &tables[k].game.position,
                    rules_stone_of_shot(tables[k].game.rules, tables[k].game.shot), candidates,
                    CANDIDATES_MAX);
        rates.per_s[rates.count++] =
            CALLS * count / (bench_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s);
    }
    printf("%-8s candidates_generate: %.0f calls/s, %.0f candidates a call\n", name,
           rates_median(&rates), (double)found / (CALLS * count));
}

/* Fills the tables with mid-end scenes spread over the file. Returns how many. */
static int tables_fill(const struct vectors *vectors, int wanted, struct table *ret_tables)
{
    const size_t stride = 7919; /* a prime: walks through all scenes of a smaller file */
    int count = 0;

    for (size_t k = 0; k < vectors->count && count < wanted; k++) {
        const struct vector_scene *scene = &vectors->scene[k * stride % vectors->count];
        struct table *table = &ret_tables[count];
        const struct rules *rules = rules_find(scene->ice->name);
        if (scene->kind != VECTOR_MID || !rules || scene->stone < rules->protected_shots ||
            game_start(rules, 8, 1, 1, &table->game) != GAME_OK)
            continue;
        table->ice = scene->ice;
        table->noise = noise_default(scene->ice, scene->ice->noise);
        table->game.shot = scene->stone;
        table->game.position = scene->before;
        count += game_check(&table->game, NULL) == GAME_OK;
    }
    return count;
}

static bool bench_law(const struct player *player, const struct options *options, int law)
{
    static struct table tables[POSITIONS_MAX];
    struct vectors vectors;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", options->vectors, files[law]);
    if (!vectors_load(path, &vectors))
        return false;
    int count = tables_fill(&vectors, options->positions, tables);
    bool good = count == options->positions;
    if (!good)
        fprintf(stderr, "bench_search: %s has only %d such positions\n", path, count);
    for (int b = 0; good && b < BUDGETS && (b == 0 || budgets[b] <= options->throws); b++) {
        int throws = budgets[b] < options->throws ? budgets[b] : options->throws;
        struct cell cell = {.bare.count = 0};
        for (int round = 0; good && round < options->rounds; round++)
            good = cell_round(player, tables, count, throws, &cell);
        if (good)
            printf("%-8s %9d %14.0f %14.0f %7.2f %12.2fx %13.2fx\n", tables[0].ice->name, throws,
                   rates_median(&cell.bare), rates_median(&cell.search), rates_median(&cell.ratio),
                   rates_median(&cell.speedup), rates_median(&cell.cores));
    }
    if (good)
        print_candidates(tables[0].ice->name, tables, count, options->rounds);
    vectors_free(&vectors);
    return good;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        const char *value = argv[k + 1];
        if (strcmp(argv[k], "--player") == 0)
            options->player = value;
        else if (strcmp(argv[k], "--vectors") == 0)
            options->vectors = value;
        else if (!(strcmp(argv[k], "--rounds") == 0 &&
                   bench_read_count(value, BENCH_ROUNDS_MAX, &options->rounds)) &&
                 !(strcmp(argv[k], "--positions") == 0 &&
                   bench_read_count(value, POSITIONS_MAX, &options->positions)) &&
                 !(strcmp(argv[k], "--throws") == 0 &&
                   bench_read_count(value, budgets[BUDGETS - 1], &options->throws)))
            return false;
    }
    return argc % 2 == 1;
}

int main(int argc, char **argv)
{
    struct options options = {.rounds = 5,
                              .positions = 6,
                              .throws = budgets[BUDGETS - 1],
                              .player = "rink",
                              .vectors = TEST_VECTORS};
    struct player player;
    char error[PLAYER_SPEC_MAX];

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: bench_search [--rounds N] [--positions N] [--throws N]"
                        " [--player SPEC] [--vectors DIR]\n"
                        "  --rounds N     of which the median is printed (5)\n"
                        "  --positions N  of each kind of ice (6)\n"
                        "  --throws N     the largest budget of a move (500000)\n"
                        "  --player SPEC  that searches (rink)\n"
                        "  --vectors DIR  with public-dc2.jsonl and public-fcv1.jsonl\n");
        return 2;
    }
    if (!player_read(options.player, &player, sizeof error, error)) {
        fprintf(stderr, "bench_search: --player: %s\n", error);
        return 2;
    }
    tape.most = options.throws;
    tape.shot = calloc((size_t)tape.most, sizeof *tape.shot);
    bool good = tape.shot != NULL;
    printf("%-8s %9s %14s %14s %7s %13s %14s\n", "profile", "throws", "bare shots/s",
           "search shots/s", "ratio", "two threads", "two searches");
    for (int law = 0; good && law < LAWS; law++)
        good = bench_law(&player, &options, law);
    if (good)
        printf(
            "(shots/s of CPU time, one thread, the search with all it does; median of %d rounds;\n"
            "two threads: wall time of one over that of two; two searches: twice the wall time of\n"
            "one over that of two at once, which share nothing but the machine)\n",
            options.rounds);
    else
        fprintf(stderr, "bench_search: a search failed, or memory was short\n");
    free(tape.shot);
    return good ? 0 : 1;
}
