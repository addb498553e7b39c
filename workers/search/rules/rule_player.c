/* Parts of the rule-based players. */
#include "workers/search/rules/rule_player.h"

#include "models/game/score.h"
#include "models/ice/action_grid.h"

/* In the house for the sample programs: nearer to the tee than its radius and a stone's. */
static bool touches_house(const struct rules *rules, struct vec2 at)
{
    return tee_distance_squared(at) < rules->guard_house_radius * rules->guard_house_radius;
}

int rule_first_stone(const struct game *game)
{
    int order[POSITION_STONES];
    if (score_order(&game->position, order) == 0)
        return -1;
    return touches_house(game->rules, game->position.stone[order[0]]) ? order[0] : -1;
}

double rule_uniform(const struct player_query *query, uint64_t sample)
{
    struct random_key key = query->key;
    key.purpose = RANDOM_CHOICE;
    return random_uniform(&key, sample);
}

struct shot rule_random_action(const struct player_query *query, uint64_t sample)
{
    int rank = (int)(rule_uniform(query, sample) * ACTIONS_PLAYABLE);
    return action_shot(query->ice, action_playable_at(rank));
}

void rule_answer(const struct player_query *query, struct shot shot, enum shot_kind kind, int stone,
                 struct vec2 target, struct player_answer *ret_answer)
{
    ret_answer->shot = shot;
    ret_answer->has_value = false;
    ret_answer->win_probability = NAN;
    if (query->candidates < 1)
        return;
    ret_answer->candidates = 1;
    ret_answer->candidate[0] = (struct player_candidate){
        .candidate = {shot, kind, (int8_t)stone, -1, target},
        .value = NAN,
        .lower_bound = NAN,
        .expected_score = NAN,
        .win_probability = NAN,
        .prior = NAN,
        .success = NAN,
    };
}

int rule_count_removals(const struct player_query *query, const struct noise *noise,
                        struct shot shot, int stone, int runs, uint64_t first)
{
    struct random_key key = query->key;
    struct throw_request request = {
        .ice = query->ice,
        .before = &query->game->position,
        .stone = rule_stone(query->game),
        .team0_has_hammer = game_team0_has_hammer(query->game),
    };
    struct throw_result result;
    int removed = 0;

    key.purpose = RANDOM_PLANNING;
    for (int k = 0; k < runs; k++) {
        if (player_is_cancelled(query))
            return -1;
        struct normal_pair pair = random_normal_pair(&key, first + (uint64_t)k);
        request.shot = noise_apply(noise, query->ice, shot, pair);
        if (throw_fast(&request, &result) == THROW_OK &&
            !(position_has(&result.after, stone) &&
              touches_house(query->game->rules, result.after.stone[stone])))
            removed++;
    }
    return removed;
}
