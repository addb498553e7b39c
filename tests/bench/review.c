/* Does a review find what it should? Plays games between two copies of a search, with the hand that
 * the review assumes, and replaces one call of each by a worse one. A deep referee (more throws,
 * other random numbers) keeps the games in which this call costs at least a tenth of the game and
 * twice as much as any other call; it looks at all calls with a tenth of its throws, and with all
 * of them at the planted one and at those that may cost half as much. Prints how often a review
 * lists it first, the mean loss of the execution of all throws with its standard error, and the
 * time of a review.
 *
 *   bench_review [--games N] [--ends N] [--threads N] [--seed N] [--deep N]
 *
 * With --person 1 to 3 the hands are those of people, in games and reviews alike (bad misses; other
 * errors at hit weight; both, and a side), no call is replaced, searches are short, and only the
 * loss of the execution is measured.
 */
#include "tests/bench/bench.h"

#include "models/networks/end_value.h"
#include "workers/evaluate/review/review.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAY_SIMULATIONS = 2000,
    REVIEW_THROWS = 2048,
    DEEP_THROWS_MAX = 8192,
    PLANTS_TRIED = 4,
    PERSON_SIMULATIONS = 500,
    PERSON_THROWS = 512,
    TRIES_MAX = 50 /* games for one that the referee keeps */
};
#define LOSS_LEAST 0.1
#define TIMES_NEXT 2.0
/* By the first look of the referee: a call that costs less of the planted one's loss is no rival,
 * one that costs more is one for certain. */
#define RIVAL_LEAST  0.25
#define RIVAL_SURE   0.75
#define PROFILE_NAME "dc3"

struct settings {
    int games, ends, threads, seed;
    int deep;   /* simulations of the referee, and its throws up to a limit */
    int person; /* 0: the profile's hands */
};

enum look { QUICK, FIRST, DEEP }; /* the review under test, the referee's two looks */

struct tally {
    int found, games;
    double loss, squares; /* of the execution */
    int throws;
    double worst_s, worst_imbalance;
};

static struct noise hand_of(const struct settings *settings)
{
    const struct ice_profile *ice = profile_find(PROFILE_NAME)->ice;
    struct noise noise = noise_default(ice, ice->noise);

    if (settings->person % 2 != 0)
        noise.degrees_of_freedom_count = 4.0;
    if (settings->person >= 2)
        noise.hit_factor_ratio = 1.6;
    if (settings->person == 3) {
        noise.release_deviations = 0.4;
        noise.stddev_spin_share = 0.1;
    }
    return noise;
}

static struct player read_judge(const char *spec)
{
    struct player player;
    char error[PLAYER_ERROR_MAX];

    if (!player_read(spec, &player, sizeof error, error)) {
        fprintf(stderr, "bench_review: %s\n", error);
        exit(1);
    }
    return player;
}

static struct review_setting setting_of(const struct settings *settings,
                                        const struct player *player, enum look look)
{
    const int deep = look == FIRST ? settings->deep / 10 : settings->deep;

    return (struct review_setting){
        .judge = player,
        .noise = hand_of(settings),
        .limits = {.simulations = look != QUICK      ? deep
                                  : settings->person ? PERSON_SIMULATIONS
                                                     : 0,
                   .threads = settings->threads},
        .throws = look == QUICK            ? (settings->person ? PERSON_THROWS : REVIEW_THROWS)
                  : deep < DEEP_THROWS_MAX ? deep
                                           : DEEP_THROWS_MAX,
        .seed = look == QUICK ? 1 : 12345 + (uint64_t)look};
}

/* Finds a call that costs at least a tenth of the game, by the referee. False: none of some. */
static bool find_plant(const struct settings *settings, const struct player *referee,
                       const struct player_query *query, int number, struct shot *ret_call)
{
    static struct candidate candidates[CANDIDATES_MAX];
    const struct review_setting deep = setting_of(settings, referee, DEEP);
    struct review_move move = {.before = *query->game, .has_call = true};
    struct random_key key = query->key;
    int count = candidates_generate(query->ice, query->game->rules, &query->game->position,
                                    game_next_stone(query->game), candidates, CANDIDATES_MAX);

    key.purpose = RANDOM_SCENE;
    for (int k = 0; k < PLANTS_TRIED; k++) {
        struct review_shot shot;
        int chosen = (int)(random_uniform(&key, (uint64_t)(k + 1)) * count);
        move.called = move.thrown = candidates[chosen].shot;
        if (review_shot(&deep, &move, number, NULL, &shot) != REVIEW_OK)
            exit(1);
        *ret_call = move.called;
        if (shot.call.win >= LOSS_LEAST)
            return true;
    }
    return false;
}

/* The best call that a short search finds. */
static struct shot good_call(const struct player *player, const struct player_query *query)
{
    static struct player_answer answer;

    if (player_choose(player, query, &answer) != PLAYER_OK) {
        fprintf(stderr, "bench_review: %s\n", end_value_blame("a player failed"));
        exit(1);
    }
    return answer.shot;
}

/* Plays a game; the call of move number *ret_plant is a bad one. False: no such call was found. */
static bool play(const struct settings *settings, const struct player *player,
                 const struct player *referee, int number, struct review_game *game, int *ret_plant)
{
    const struct profile *profile = profile_find(PROFILE_NAME);
    const struct noise noise = hand_of(settings);
    struct random_key key = {.seed = (uint64_t)settings->seed, .game = (uint64_t)number};
    struct game now;

    *game = (struct review_game){.profile = profile, .ends = settings->ends};
    game->move = calloc(REVIEW_SHOTS_MAX, sizeof *game->move);
    if (!game->move || game_start(&profile->rules, settings->ends, 0, 1, &now) != GAME_OK)
        exit(1);
    key.purpose = RANDOM_SCENE;
    *ret_plant = (int)(random_uniform(&key, 0) * settings->ends * profile->rules.shots);
    while (now.result.reason == GAME_RUNNING) {
        struct review_move *move = &game->move[game->count];
        struct throw_result result;
        key.shot = (uint32_t)(16 * now.end + now.shot);
        const struct player_query query = {
            .game = &now,
            .ice = profile->ice,
            .noise = &noise,
            .limits = {.simulations = settings->person ? PERSON_SIMULATIONS : PLAY_SIMULATIONS,
                       .threads = 1},
            .key = key};
        *move = (struct review_move){.before = now, .has_call = true};
        if (settings->person || game->count != *ret_plant)
            move->called = good_call(player, &query);
        else if (!find_plant(settings, referee, &query, game->count, &move->called))
            return false;
        key.purpose = RANDOM_EXECUTION;
        move->thrown = noise_apply(&noise, profile->ice, move->called, random_normal_pair(&key, 0));
        struct throw_request request = player_throw(&now, profile->ice, move->thrown);
        if (throw_fast(&request, &result) != THROW_OK ||
            game_play(&now, &result.after, NULL) != GAME_OK)
            exit(1);
        game->count++;
    }
    return settings->person || *ret_plant < game->count;
}

static struct review judge(const struct settings *settings, const struct player *player,
                           const struct review_game *game, enum look look)
{
    const struct review_setting setting = setting_of(settings, player, look);
    struct review review;

    if (review_game(&setting, game, NULL, NULL, NULL, &review) != REVIEW_OK) {
        fputs("bench_review: the judge failed\n", stderr);
        exit(1);
    }
    return review;
}

/* What a call costs by all throws of the referee. */
static double deep_loss(const struct settings *settings, const struct player *referee,
                        const struct review_game *game, int k)
{
    const struct review_setting deep = setting_of(settings, referee, DEEP);
    struct review_shot shot;

    if (review_shot(&deep, &game->move[k], k, NULL, &shot) != REVIEW_OK)
        exit(1);
    return shot.call.win;
}

/* Whether the referee keeps a game. */
static bool is_kept(const struct settings *settings, const struct player *referee,
                    const struct review_game *game, int plant)
{
    const double loss = deep_loss(settings, referee, game, plant);
    bool kept = loss >= LOSS_LEAST;
    struct review first;

    if (!kept)
        return false;
    first = judge(settings, referee, game, FIRST);
    for (int k = 0; k < first.count; k++)
        kept = kept && (k == plant || first.shot[k].call.win < RIVAL_SURE * loss);
    for (int k = 0; k < first.count && kept; k++)
        if (k != plant && first.shot[k].call.win >= RIVAL_LEAST * loss)
            kept = loss >= TIMES_NEXT * deep_loss(settings, referee, game, k);
    review_free(&first);
    return kept;
}

static void count(const struct review *review, int plant, double took_s, struct tally *tally)
{
    tally->games++;
    tally->found += review->keys > 0 && review->key[0] == plant;
    tally->worst_s = fmax(tally->worst_s, took_s);
    tally->worst_imbalance = fmax(tally->worst_imbalance, fabs(review_imbalance(review).win));
    tally->worst_imbalance = fmax(tally->worst_imbalance, fabs(review_imbalance(review).points));
    for (int k = 0; k < review->count; k++) {
        double loss = review->shot[k].execution.win;
        tally->loss += loss;
        tally->squares += loss * loss;
        tally->throws++;
    }
}

static void print_tally(const struct tally *tally)
{
    double n = tally->throws, mean = tally->loss / n;
    double error = sqrt(fmax(tally->squares / n - mean * mean, 0.0) / n);

    printf("planted call first in %d of %d games; execution loss %+.5f +- %.5f (%.1f standard "
           "errors) over %d throws; at most %.1f s a game; sums are off by %.1g at most\n",
           tally->found, tally->games, mean, error, mean / error, tally->throws, tally->worst_s,
           tally->worst_imbalance);
    fflush(stdout);
}

static bool read_options(int argc, char **argv, struct settings *settings)
{
    const struct {
        const char *name;
        int *value;
    } options[] = {{"--games", &settings->games},     {"--ends", &settings->ends},
                   {"--threads", &settings->threads}, {"--seed", &settings->seed},
                   {"--deep", &settings->deep},       {"--person", &settings->person}};

    for (int k = 1; k < argc; k += 2) {
        bool good = false;
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
            if (strcmp(argv[k], options[i].name) == 0)
                good = k + 1 < argc && bench_read_count(argv[k + 1], 1000000, options[i].value);
        if (!good)
            return false;
    }
    return settings->ends <= 10 && settings->person <= 3;
}

/* Reviews a game with a planted call, if the referee keeps it, or one of people. */
static void measure(const struct settings *settings, const struct player *referee,
                    const struct review_game *game, int plant, struct tally *tally)
{
    if (settings->person || is_kept(settings, referee, game, plant)) {
        double start_s = bench_clock_s(CLOCK_MONOTONIC);
        struct review review = judge(settings, referee, game, QUICK);
        count(&review, plant, bench_clock_s(CLOCK_MONOTONIC) - start_s, tally);
        print_tally(tally);
        review_free(&review);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.games = 100, .ends = 8, .threads = 2, .seed = 1, .deep = 100000};
    struct tally tally = {.found = 0};

    if (!read_options(argc, argv, &settings)) {
        fputs("usage: bench_review [--games N] [--ends N] [--threads N] [--seed N] [--deep N] "
              "[--person N]\n",
              stderr);
        return 2;
    }
    struct player player = read_judge("rink"), referee = read_judge("rink:opponent=best");
    for (int number = 0; tally.games < settings.games && number < TRIES_MAX * settings.games;
         number++) {
        struct review_game game;
        int plant;
        if (play(&settings, &player, &referee, number, &game, &plant))
            measure(&settings, &referee, &game, plant, &tally);
        free(game.move);
    }
    return 0;
}
