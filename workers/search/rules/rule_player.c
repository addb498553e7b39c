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
    int first = rule_first_stone(query->game);

    if (first < 0) {
        rule_answer(query, sample->aim(ice, tee, false, ccw), SHOT_DRAW, -1, tee, ret_answer);
        return;
    }
    struct vec2 at = query->game->position.stone[first];
    if (rule_is_mine(query->game, first)) {
        struct vec2 place = {at.x, at.y - GUARD_M};
        double omega = sample->guards_clockwise(at) ? cw : ccw;
        rule_answer(query, sample->aim(ice, place, false, omega), SHOT_GUARD, first, place,
                    ret_answer);
        return;
    }
    const struct shot hits[2] = {sample->aim(ice, at, true, ccw), sample->aim(ice, at, true, cw)};
    rule_answer(query, better_hit(query, sample, hits, first, ret_answer), SHOT_HIT, first, at,
                ret_answer);
}
