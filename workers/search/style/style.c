/* Classes of throws. */
#include "workers/search/style/style.h"

#include "models/game/free_guard_zone.h"
#include "models/ice/aim.h"
#include "models/ice/throw.h"
#include "workers/search/shots/candidate.h"

#include <math.h>

/* Metres from the tee (in the house) or from the centre line; speed by that of a draw to the tee.
 */
static const double near_house[] = {0.6, 1.2}, near_line[] = {0.3, 0.9};
static const double weights[] = {1.08, 1.25, 1.45};

#define MOVED_M 1e-3 /* less is rounding */

enum { LAYS = 3 };

const struct style_part style_parts[STYLE_TRAITS] = {
    [STYLE_KIND] = {0, STYLE_SITUATIONS, STYLE_KINDS},
    [STYLE_PLACE] = {STYLE_SITUATIONS * STYLE_KINDS, STYLE_GROUPS, 4},
    [STYLE_TURN] = {STYLE_SITUATIONS * STYLE_KINDS + STYLE_GROUPS * 4, STYLE_GROUPS, 2},
    [STYLE_WEIGHT] = {STYLE_SITUATIONS * STYLE_KINDS + STYLE_GROUPS * 6, STYLE_GROUPS, 4},
};

static int class_of(double value, const double *limits, int count)
{
    int class = 0;

    while (class < count && value >= limits[class])
        class ++;
    return class;
}

static bool in_house(const struct rules *rules, struct vec2 at)
{
    return tee_distance_squared(at) < rules->score_radius * rules->score_radius;
}

/* 0: no stone in the house; 1: No. 1 belongs to `seat`; 2: to the other side. */
static int lay_of(const struct rules *rules, const struct position *position, enum seat seat)
{
    int first = -1;

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest);
        if (first < 0 || tee_distance_squared(position->stone[stone]) <
                             tee_distance_squared(position->stone[first]))
            first = stone;
    }
    if (first < 0 || !in_house(rules, position->stone[first]))
        return 0;
    return seat_of_stone(first) == seat ? 1 : 2;
}

static int part_of_end(const struct rules *rules, int shot)
{
    int left = rules->shots - shot;
    return left <= 2 ? 3 : left <= 6 ? 2 : left <= 12 ? 1 : 0;
}

static int kind_of(enum shot_kind kind, bool stays)
{
    switch (kind) {
    case SHOT_DRAW:
        return 0;
    case SHOT_GUARD:
        return 1;
    case SHOT_FREEZE:
        return 2;
    case SHOT_HIT:
        return stays ? 3 : 4;
    case SHOT_RAISE:
        return 5;
    case SHOT_THROUGH:
        return 6;
    default:
        return 7;
    }
}

static int place_of(const struct rules *rules, const struct position *after, int stone)
{
    if (!position_has(after, stone))
        return 3;
    struct vec2 at = after->stone[stone];
    return in_house(rules, at) ? class_of(sqrt(tee_distance_squared(at)), near_house, 2)
                               : class_of(fabs(at.x - SHEET_TEE_X), near_line, 2);
}

/* The class of speed; -1 where a draw to the tee is not known. */
static int weight_of(const struct ice_profile *ice, const struct shot *shot)
{
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct shot draw;

    if (aim_draw(ice, tee, shot->omega < 0.0 ? -ice->spin : ice->spin, &draw) != AIM_OK)
        return -1;
    return class_of(vec2_length(shot->velocity) / vec2_length(draw.velocity), weights, 3);
}

/* Completes the result of a throw, under the rules; false: it cannot be thrown. */
static bool result_of(const struct rules *rules, const struct ice_profile *ice,
                      const struct throw_seen *seen, int stone, struct throw_result *ret_result)
{
    unsigned moved = 1u << stone;

    if (!seen->has_after) {
        const struct throw_request request = {.ice = ice,
                                              .before = &seen->before,
                                              .stone = stone,
                                              .shot = seen->thrown,
                                              .team0_has_hammer = seen->team0_has_hammer};
        if (throw_fast(&request, ret_result) != THROW_OK)
            return false;
        if (free_guard_zone_offended(rules, &seen->before, &ret_result->after, seen->shot) >= 0)
            *ret_result =
                (struct throw_result){.after = seen->before, .moved = (uint16_t)(1u << stone)};
        return true;
    }
    for (unsigned rest = seen->before.in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (!position_has(&seen->after, k) ||
            vec2_distance(seen->before.stone[k], seen->after.stone[k]) > MOVED_M)
            moved |= 1u << k;
    }
    *ret_result = (struct throw_result){.after = seen->after, .moved = (uint16_t)moved};
    return true;
}

bool style_has_ends(const struct style_row *row)
{
    int ends[2] = {0, 0};

    for (int k = 0; k < 2 * PROFILE_SCORES; k++)
        ends[k / PROFILE_SCORES] += row->ends[k / PROFILE_SCORES][k % PROFILE_SCORES];
    return ends[SEAT_SENTE] > 0 && ends[SEAT_GOTE] > 0;
}

bool style_see(const struct rules *rules, const struct ice_profile *ice,
               const struct throw_seen *seen, struct style_throw *ret_throw)
{
    int stone = rules_stone_of_shot(rules, seen->shot);
    enum seat seat = seat_of_stone(stone);
    struct throw_result result;

    if (!result_of(rules, ice, seen, stone, &result))
        return false;
    int lay = lay_of(rules, &seen->before, seat);
    int kind = kind_of(shot_kind_of_result(rules, &seen->before, stone, &result),
                       position_has(&result.after, stone));
    int situation = (2 * part_of_end(rules, seen->shot) + (seat == SEAT_GOTE)) * LAYS + lay;
    int group = kind * LAYS + lay;
    int turn = !seen->has_thrown || seen->thrown.omega == 0.0 ? -1 : seen->thrown.omega < 0.0;
    const int classes[STYLE_TRAITS] = {
        [STYLE_KIND] = kind,
        [STYLE_PLACE] = place_of(rules, &result.after, stone),
        [STYLE_TURN] = turn,
        [STYLE_WEIGHT] = seen->has_thrown ? weight_of(ice, &seen->thrown) : -1,
    };
    for (int trait = 0; trait < STYLE_TRAITS; trait++) {
        const struct style_part *part = &style_parts[trait];
        int place = trait == STYLE_KIND ? situation : group;
        ret_throw->number[trait] =
            (int16_t)(classes[trait] < 0 ? -1
                                         : part->first + place * part->classes + classes[trait]);
    }
    return true;
}
