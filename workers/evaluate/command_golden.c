/* rink-evaluate golden: a fixed set of throws, a search, and strengths of hands of hold'em. */
#include "models/holdem/strength.h"
#include "models/ice/random.h"
#include "models/ice/sample_shots.h"
#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/golden.h"
#include "workers/options.h"
#include "workers/search/player/player.h"

#include <math.h>

enum { ENDS = 200, SIMULATIONS = 500, SEED = 1, SPEED_CHANCES = 4, PAIRS = 2 };

static const char about[] =
    "Print golden numbers: hashes of a fixed set of throws, searches and hands, bit for bit. Two "
    "machines whose numbers are equal get the same results from the same seeds; rinkd compares "
    "them "
    "before it gives a node tasks.";

/* A number in 0 … 1, by the shot of the end and what it is for. */
static double draw(int end, int shot, uint64_t sample)
{
    const struct random_key key = {
        .seed = SEED, .game = (uint64_t)end, .shot = (uint32_t)shot, .purpose = RANDOM_SCENE};

    return random_uniform(&key, sample);
}

/* A shot around the house: a draw, or faster every fourth time, so that stones meet. */
static struct shot make_shot(const struct ice_profile *ice, int end, int shot)
{
    const struct vec2 target = {3.0 * draw(end, shot, 0) - 1.5,
                                SHEET_TEE_Y + 4.0 * draw(end, shot, 1) - 2.5};
    const double spin = draw(end, shot, 2) < 0.5 ? -1.57 : 1.57;
    const bool hits = draw(end, shot, 3) < 1.0 / SPEED_CHANCES;

    if (ice->law == ICE_DC2)
        return hits ? sample_dc2_hit(ice, target, 8.0, spin) : sample_dc2_draw(target, spin);
    return sample_fcv1_shot(ice, target, hits ? 1.5 : 0.0, spin);
}

/* Throws an end and continues the hash; the position is that before shot `shots`. */
static uint64_t throw_end(const struct ice_profile *ice, int end, int shots, uint64_t hash,
                          struct position *ret_position)
{
    struct position position = {.in_play = 0};

    for (int shot = 0; shot < shots; shot++) {
        const struct throw_request request = {
            .ice = ice, .before = &position, .stone = shot, .shot = make_shot(ice, end, shot)};
        struct throw_result result;
        enum throw_status status = throw_fast(&request, &result);
        hash = golden_bits(hash, (uint64_t)status);
        if (status != THROW_OK)
            continue;
        position = result.after;
        for (int k = 0; k < POSITION_STONES; k++)
            hash = golden_double(golden_double(hash, position.stone[k].x), position.stone[k].y);
        hash = golden_bits(hash, (uint64_t)position.in_play << 32 | (uint64_t)result.removed);
    }
    *ret_position = position;
    return hash;
}

static bool add_throws(json_t *numbers, double *ret_shots_per_s)
{
    const struct ice_profile *ice;
    struct position position;
    double start_s = 0;
    int throws = 0;
    bool good = true;

    for (int k = 0; good && (ice = ice_profile_at(k)); k++)
        throw_warm_up(ice);
    start_s = clock_now_s();
    for (int k = 0; good && (ice = ice_profile_at(k)); k++) {
        uint64_t hash = FNV1A_START;
        for (int end = 0; end < ENDS; end++)
            hash = throw_end(ice, end, POSITION_STONES, hash, &position);
        throws += ENDS * POSITION_STONES;
        good = golden_add(numbers, "throws", ice->name, hash);
    }
    *ret_shots_per_s = throws / (clock_now_s() - start_s);
    return good;
}

static uint64_t hash_answer(uint64_t hash, const struct player_answer *answer)
{
    hash = golden_double(golden_double(hash, answer->shot.velocity.x), answer->shot.velocity.y);
    hash = golden_bits(golden_double(hash, answer->shot.omega), (uint64_t)answer->simulations);
    hash = golden_double(golden_double(hash, answer->expected_score), answer->win_probability);
    for (int k = 0; k < answer->candidates; k++)
        hash = golden_double(golden_bits(hash, (uint64_t)answer->candidate[k].visits),
                             answer->candidate[k].value);
    return hash;
}

/* Lets "rink" think early and late in an end of each ice, which has weights of its own. */
static bool add_searches(json_t *numbers, const char *name)
{
    static const int shots[] = {4, 15};
    const struct ice_profile *ice;
    char error[256];
    struct player player;
    bool good = player_read("rink", &player, sizeof error, error);

    for (int k = 0; good && (ice = ice_profile_at(k)); k++) {
        const struct noise noise = noise_default(ice, ice->noise);
        uint64_t hash = FNV1A_START;
        for (size_t s = 0; good && s < sizeof shots / sizeof *shots; s++) {
            struct game game;
            struct player_answer answer;
            game_start(rules_find(ice->name), 8, 1, 1, &game);
            game.shot = shots[s];
            throw_end(ice, (int)s, shots[s], hash, &game.position);
            const struct player_query query = {.game = &game,
                                               .ice = ice,
                                               .noise = &noise,
                                               .limits = {.simulations = SIMULATIONS, .threads = 1},
                                               .key = {.seed = SEED, .shot = (uint32_t)shots[s]},
                                               .candidates = PLAYER_CANDIDATES_MAX};
            good = player_choose(&player, &query, &answer) == PLAYER_OK;
            hash = good ? hash_answer(hash, &answer) : hash;
        }
        good = good && golden_add(numbers, name, ice->name, hash);
    }
    return good;
}

/* Plays some pairs: what both games share is part of every result. */
static bool add_pairs(json_t *numbers)
{
    static const char *const names[2] = {"ai-simple", "random"};
    const struct profile *profile = profile_at(0);
    const struct pair_setting setting = {.rules = &profile->rules,
                                         .ice = profile->ice,
                                         .noise = noise_default(profile->ice, profile->ice->noise),
                                         .ends = PAIR_ENDS_MAX,
                                         .seed = SEED};
    struct player player[2];
    const struct player *const players[2] = {&player[0], &player[1]};
    struct pair_result result;
    struct pair_failure failure;
    uint64_t hash = FNV1A_START;
    char error[256];
    bool good = true;

    for (int k = 0; k < 2; k++)
        good = good && player_read(names[k], &player[k], sizeof error, error);
    for (uint64_t pair = 0; good && pair < PAIRS; pair++) {
        good =
            pair_play(&setting, players, 0, pair, NULL, NULL, NULL, &result, &failure) == PAIR_OK;
        for (int g = 0; good && g < 2; g++)
            for (int end = 0; end < result.game[g].ends; end++)
                hash = golden_bits(hash, (uint64_t)(result.game[g].end[end].score + PAIR_ENDS_MAX));
    }
    return good && golden_add(numbers, "pairs", profile->rules.name, hash);
}

static bool add_holdem(json_t *numbers)
{
    const struct strength_tables *tables = strength_tables();
    uint64_t hash = FNV1A_START;

    for (int k = 0; tables && k < STRENGTH_KINDS; k++)
        hash = golden_double(hash, (double)tables->before_flop[k]);
    return tables && golden_add(numbers, "holdem", NULL, hash);
}

int command_golden(int argc, char **argv)
{
    const struct option_parser parser = {.about = about};
    json_t *numbers = json_object();
    double shots_per_s = NAN;

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (numbers && add_throws(numbers, &shots_per_s) && add_searches(numbers, "search") &&
        add_pairs(numbers) && add_holdem(numbers))
        return golden_print(RINKD_VERSION, numbers, shots_per_s);
    json_decref(numbers);
    command_complain(argv[0], "a search failed, or memory is short");
    return EXIT_TROUBLE;
}
