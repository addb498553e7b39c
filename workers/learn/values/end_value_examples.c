/* Positions, the shots that the search chooses there, and what these are worth. */
#include "workers/learn/values/end_value_examples.h"

#include "models/tables/profiles.h"
#include "workers/learn/values/end_states.h"

enum {
    PLAY_RANDOM = 6,        /* one shot in PLAY_RANDOM of the played ends is random */
    PLAY_STREAM = 100,      /* of these ends; a stage's is its number */
    LIKE_STREAM = 1 << 20,  /* offset of `like`'s random streams from those of stages and ends */
    OTHER_STREAM = 1 << 24, /* likewise, of other shots than an end's own */
    BEST = 12               /* shots that count as the best */
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
                     .caution = 0.5},
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

/* Throws another shot than the end's own from the position before: one of the best, or any. */
static bool other_shot(const struct end_value_maker *maker, struct random_key key, bool best,
                       struct game *game)
{
    static _Thread_local struct candidate any[CANDIDATES_MAX];
    struct player_answer answer = {0};
    struct shot aimed;
    int count;

    key.purpose = RANDOM_CHOICE;
    if (best) {
        struct player_query query = query_of(maker, game, key, END_VALUE_PLAY_SIMULATIONS);
        query.candidates = BEST;
        if (rink_choose(&maker->settings, &query, &answer) != PLAYER_OK)
            return false;
        count = answer.candidates;
    } else {
        count =
            candidates_generate(maker->ice, maker->rules, &game->position,
                                rules_stone_of_shot(maker->rules, game->shot), any, CANDIDATES_MAX);
    }
    if (count == 0) /* a throw through the house */
        return true;
    int chosen = (int)(random_uniform(&key, 0) * (double)count);
    aimed = best ? answer.candidate[chosen].candidate.shot : any[chosen].shot;
    end_state_throw(maker->rules, maker->ice, &maker->noise, key, game->shot, aimed,
                    &game->position);
    return true;
}

/* Chooses the position of an example. False: a player failed. */
static bool find_position(const struct end_value_maker *maker, struct random_key key, int thrown,
                          size_t index, struct game *game)
{
    const size_t end = index / END_VALUE_PER_END, which = index % END_VALUE_PER_END;
    /* Of eight: two of the end itself, three after one of the best shots, two after any, one of
     * random play. */
    static const enum source {
        ITSELF,
        BEST_SHOT,
        ANY_SHOT,
        RANDOM
    } sources[] = {ITSELF, BEST_SHOT, ANY_SHOT, BEST_SHOT, ITSELF, BEST_SHOT, ANY_SHOT, RANDOM};
    const enum source source = maker->ends == 0 ? RANDOM : sources[index % 8];

    if (source == RANDOM) {
        end_state_random(maker->rules, maker->ice, &maker->noise, key, thrown, &game->position);
        return true;
    }
    game->position = maker->played[end * POSITION_STONES + (size_t)thrown];
    if (source == ITSELF)
        return true;
    game->shot = thrown - 1;
    game->position = maker->played[end * POSITION_STONES + (size_t)game->shot];
    key.shot = (uint32_t)game->shot;
    key.stream += OTHER_STREAM * (1 + which);
    key.game = end;
    return other_shot(maker, key, source == BEST_SHOT, game);
}

bool end_value_make_example(const struct end_value_maker *maker, int thrown, size_t index,
                            struct end_value_example *ret_example)
{
    const struct random_key key = {.seed = maker->seed,
                                   .stream = maker->stream + (uint64_t)thrown,
                                   .game = index,
                                   .shot = (uint32_t)thrown};
    double share = is_fallible(maker, thrown) ? maker->share : 0.0, sum[END_VALUE_SCORES] = {0.0};
    struct game game;

    if (game_start(maker->rules, 1, 0, 1, &game) != GAME_OK ||
        !find_position(maker, key, thrown, index, &game))
        return false;
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
        ret_example->scores[k] = (float)sum[thrown & 1 ? END_VALUE_SCORES - 1 - k : k];
    ret_example->position = game.position;
    return true;
}
