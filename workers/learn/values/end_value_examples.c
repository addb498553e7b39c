/* Positions, the shots that the search chooses there, and what these are worth. */
#include "workers/learn/values/end_value_examples.h"

#include "models/tables/profiles.h"
#include "workers/learn/values/end_states.h"

enum {
    PLAY_RANDOM = 6,       /* one shot in PLAY_RANDOM of the played ends is random */
    PLAY_STREAM = 100,     /* of these ends; a stage's is its number */
    LIKE_STREAM = 1 << 20, /* offset of `like`'s random streams from those of stages and ends */
};

_Static_assert((int)END_VALUE_STAGES < (int)PLAY_STREAM &&
                   (int)PLAY_STREAM < (int)END_VALUE_STREAMS,
               "streams of a sweep differ");

struct end_value_maker end_value_maker_of(const struct rules *rules,
                                          const struct end_value *network)
{
    const struct ice_profile *ice = profile_of(rules)->ice;

    return (struct end_value_maker){
        .rules = rules,
        .ice = ice,
        .noise = noise_default(ice, ice->noise),
        .settings = {.objective = OBJECTIVE_SCORE,
                     .value = {.by = JUDGE_BY_NETWORK, .network = network},
                     .refined = 3,
                     .caution = 1.0},
        .fallible = -1,
    };
}

static struct player_query query_of(const struct end_value_maker *maker, const struct game *game,
                                    struct random_key key, int64_t simulations)
{
    return (struct player_query){.game = game,
                                 .ice = maker->ice,
                                 .noise = &maker->noise,
                                 .limits = {.simulations = simulations, .threads = 1},
                                 .key = key};
}

/* Returns the shot that a search with `simulations` throws prefers; with `like`, that of the player
 * that the fallible seat imitates. */
static bool choose(const struct end_value_maker *maker, const struct game *game,
                   struct random_key key, bool like, int64_t simulations, struct shot *ret_shot)
{
    struct player_query query = query_of(maker, game, key, like ? 0 : simulations);
    struct player_answer answer = {0};

    if (like) /* independent of the draws that decide whether `like` plays this shot */
        query.key.stream += LIKE_STREAM;
    bool good = (like ? player_choose(maker->like, &query, &answer)
                      : rink_choose(&maker->settings, &query, &answer)) == PLAYER_OK;
    *ret_shot = answer.shot;
    return good;
}

static bool is_fallible(const struct end_value_maker *maker, int shot)
{
    return (shot & 1) == maker->fallible;
}

bool end_value_play_end(const struct end_value_maker *maker, size_t index)
{
    struct random_key key = {
        .seed = maker->seed, .stream = maker->stream + PLAY_STREAM, .game = index};
    struct game game;

    if (game_start(maker->rules, 1, 0, 1, &game) != GAME_OK)
        return false;
    game.position = end_state_begin(maker->rules, index);
    for (int shot = 0; shot < maker->rules->shots; shot++) {
        struct shot aimed;
        maker->played[index * POSITION_STONES + (size_t)shot] = game.position;
        key.shot = (uint32_t)shot;
        key.purpose = RANDOM_CHOICE;
        game.shot = shot;
        if (random_uniform(&key, 0) >= 1.0 / PLAY_RANDOM ||
            !end_state_shot(maker->ice, key, &game.position, shot, &aimed)) {
            bool like = is_fallible(maker, shot) && random_uniform(&key, 1) < maker->share;
            if (!choose(maker, &game, key, like, END_VALUE_PLAY_SIMULATIONS, &aimed))
                return false;
        }
        end_state_throw(maker->rules, maker->ice, &maker->noise, key, shot, aimed, &game.position);
    }
    return true;
}

bool end_value_make_position(const struct end_value_maker *maker, int thrown, size_t index,
                             struct position *ret_position, float ret_scores[END_VALUE_SCORES])
{
    const struct random_key key = {.seed = maker->seed,
                                   .stream = maker->stream + (uint64_t)thrown,
                                   .game = index,
                                   .shot = (uint32_t)thrown};
    double share = is_fallible(maker, thrown) ? maker->share : 0.0, sum[END_VALUE_SCORES] = {0.0};
    struct game game;

    if (game_start(maker->rules, 1, 0, 1, &game) != GAME_OK)
        return false;
    if (maker->ends > 0 && index % 2 == 0)
        game.position = maker->played[index / 2 * POSITION_STONES + (size_t)thrown];
    else
        end_state_random(maker->rules, maker->ice, &maker->noise, key, thrown, &game.position);
    game.shot = thrown;
    for (int like = 0; like < 2; like++) {
        const struct player_query query = query_of(maker, &game, key, 0);
        const double part = like ? share : 1.0 - share;
        struct shot shot;
        if (part <= 0.0)
            continue;
        if (!choose(maker, &game, key, like, maker->simulations, &shot))
            return false;
        struct score_distribution scores =
            rink_measure(&maker->settings, &query, shot, RINK_MEASURED_MAX);
        for (int k = 0; k < END_VALUE_SCORES; k++)
            sum[k] += part * scores.p[k];
    }
    for (int k = 0; k < END_VALUE_SCORES; k++)
        ret_scores[k] = (float)sum[thrown & 1 ? END_VALUE_SCORES - 1 - k : k];
    *ret_position = game.position;
    return true;
}

bool end_value_make_example(const struct end_value_maker *maker, int thrown, size_t index,
                            struct end_value_example *ret_example)
{
    struct position position;

    if (!end_value_make_position(maker, thrown, index, &position, ret_example->scores))
        return false;
    end_features(&position, ret_example->features);
    return true;
}
