/* Real curling behind the interface of an end. */
#include "workers/evaluate/curling_end.h"

#include "models/ice/action_grid.h"

#include <string.h>

static const struct curling_end *end_of(const struct end_game *game)
{
    return (const struct curling_end *)game;
}

static void start(const struct end_game *game, void *ret_state)
{
    const struct rules *rules = end_of(game)->rules;
    (void)game_start(rules, rules->ends, 0, 1, ret_state); /* every row of rules can be played */
}

static bool play(const struct end_game *game, void *state, int shot, const void *action,
                 struct normal_pair error)
{
    const struct curling_end *end = end_of(game);
    struct game *at = state;
    struct shot intended;
    memcpy(&intended, action, sizeof intended);
    struct throw_request request = {
        .ice = end->ice,
        .before = &at->position,
        .stone = rules_stone_of_shot(end->rules, shot),
        .shot = noise_apply(&end->noise, end->ice, intended, error),
        .team0_has_hammer = game_team0_has_hammer(at),
    };
    struct throw_result result;
    return throw_fast(&request, &result) == THROW_OK &&
           game_play(at, &result.after, NULL) == GAME_OK;
}

static int actions(const struct end_game *game, const void *state, int shot,
                   const struct random_key *key, int most, void *ret_actions)
{
    const struct curling_end *end = end_of(game);
    const struct game *at = state;
    struct candidate geometric[CANDIDATES_MAX];
    struct shot *actions = ret_actions;
    struct random_key drawn = *key;
    int count = candidates_generate(end->ice, end->rules, &at->position,
                                    rules_stone_of_shot(end->rules, shot), geometric,
                                    most < CANDIDATES_MAX ? most : CANDIDATES_MAX);
    for (int k = 0; k < count; k++)
        actions[k] = geometric[k].shot;
    drawn.purpose = RANDOM_CHOICE;
    for (; count < most; count++) {
        int rank = (int)(random_uniform(&drawn, (uint64_t)count) * ACTIONS_PLAYABLE);
        actions[count] = action_shot(end->ice, action_playable_at(rank));
    }
    return count;
}

static int score(const struct end_game *game, const void *state)
{
    (void)game;
    const struct game *at = state;
    return at->scores[0][0] - at->scores[1][0]; /* team 0 is in sente, see start() */
}

bool curling_end_init(struct curling_end *ret_end, const struct rules *rules,
                      const struct ice_profile *ice, const struct noise *noise)
{
    if (rules->preplaced > 0)
        return false;
    *ret_end = (struct curling_end){.game = {.state_size = sizeof(struct game),
                                             .action_size = sizeof(struct shot),
                                             .shots = rules->shots,
                                             .start = start,
                                             .play = play,
                                             .actions = actions,
                                             .score = score},
                                    .rules = rules,
                                    .ice = ice,
                                    .noise = *noise};
    return true;
}

static bool choose(const struct end_policy *policy, const struct end_game *game, const void *state,
                   int shot, const struct random_key *key, void *ret_action)
{
    (void)shot;
    const struct curling_end_player *player = (const struct curling_end_player *)policy;
    const struct curling_end *end = end_of(game);
    const struct player_query query = {
        .game = state,
        .ice = end->ice,
        .noise = &end->noise,
        .limits = player->limits,
        .key = *key,
        .cancel = player->cancel,
    };
    struct player_answer answer;
    if (player_choose(&player->player, &query, &answer) != PLAYER_OK || answer.cancelled)
        return false;
    memcpy(ret_action, &answer.shot, sizeof answer.shot);
    return true;
}

struct curling_end_player curling_end_player(const struct player *player,
                                             const struct player_limits *limits,
                                             const atomic_bool *cancel)
{
    struct curling_end_player made = {{choose}, *player, *limits, cancel};
    made.limits.threads = 1;
    return made;
}
