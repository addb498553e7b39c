/* Parts of the rule-based players. */
#include "workers/search/rules/rule_player.h"

#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/ice/action_grid.h"

#define GUARD_M 2.0

/* True if the sample programs count `at` as in the house: nearer to the tee than the radii of the
 * house and a stone together. */
static bool touches_house(const struct rules *rules, struct vec2 at)
{
    return tee_distance_squared(at) < rules->guard_house_radius * rules->guard_house_radius;
}

int rule_first_stone(const struct game *game, bool opponent_only)
{
    int order[POSITION_STONES], stones = score_order(&game->position, order), first = 0;

    while (first < stones && opponent_only && rule_is_mine(game, order[first]))
        first++;
    return first < stones && touches_house(game->rules, game->position.stone[order[first]])
               ? order[first]
               : -1;
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

void rule_answer(const struct player_query *query, struct candidate candidate,
                 struct player_answer *ret_answer)
{
    ret_answer->shot = candidate.shot;
    ret_answer->win_probability = NAN;
    ret_answer->candidates = query->candidates > 0;
    ret_answer->candidate[0] = player_candidate_of(candidate);
}

/* Counts the noisy throws of a hit after which `stone` is out of the house. They use the normal
 * pairs from number `from` on of the query's key with RANDOM_PLANNING. -1: the query is
 * cancelled. */
static int count_removals(const struct player_query *query, const struct rule_sample *sample,
                          struct shot hit, int stone, uint64_t from)
{
    struct random_key key = query->key;
    struct throw_result result;
    int removed = 0;

    key.purpose = RANDOM_PLANNING;
    for (int k = 0; k < sample->trials; k++) {
        if (player_is_cancelled(query))
            return -1;
        struct normal_pair pair = random_normal_pair(&key, from + (uint64_t)k);
        const struct throw_request request = player_throw(
            query->game, query->ice, noise_apply(sample->noise, query->ice, hit, pair));
        if (throw_fast(&request, &result) == THROW_OK &&
            !(position_has(&result.after, stone) &&
              touches_house(query->game->rules, result.after.stone[stone])))
            removed++;
    }
    return removed;
}

/* Returns the better of two hits on a stone. */
static struct shot better_hit(const struct player_query *query, const struct rule_sample *sample,
                              const struct shot hits[2], int stone,
                              struct player_answer *ret_answer)
{
    int64_t limit = query->limits.simulations;
    int count[2] = {0, 0};

    if (limit > 0 && limit < 2 * sample->trials)
        return hits[0];
    for (int k = 0; k < 2; k++) {
        count[k] =
            count_removals(query, sample, hits[k], stone, (uint64_t)k * (uint64_t)sample->trials);
        if (count[k] < 0) {
            ret_answer->cancelled = true;
            return hits[0];
        }
        ret_answer->simulations += sample->trials;
    }
    return hits[count[1] > count[0]];
}

void rule_sample_choose(const struct player_query *query, const struct rule_sample *sample,
                        struct player_answer *ret_answer)
{
    const struct ice_profile *ice = query->ice;
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    const double ccw = ice->spin, cw = -ice->spin;
    int first = rule_first_stone(query->game, false);
    struct candidate said = {.stone = (int8_t)first, .other_stone = -1};

    if (first < 0) {
        said.kind = SHOT_DRAW;
        said.target = tee;
        said.shot = sample->aim(ice, tee, false, ccw);
    } else if (rule_is_mine(query->game, first)) {
        struct vec2 at = query->game->position.stone[first];
        said.kind = SHOT_GUARD;
        said.target = (struct vec2){at.x, at.y - GUARD_M};
        said.shot = sample->aim(ice, said.target, false, sample->guards_clockwise(at) ? cw : ccw);
    } else {
        struct vec2 at = query->game->position.stone[first];
        const struct shot hits[2] = {sample->aim(ice, at, true, ccw),
                                     sample->aim(ice, at, true, cw)};
        said.kind = SHOT_HIT;
        said.target = at;
        said.shot = better_hit(query, sample, hits, first, ret_answer);
    }
    rule_answer(query, said, ret_answer);
}
