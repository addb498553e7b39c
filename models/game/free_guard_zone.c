/* Free-guard-zone fouls. Search calls this after every simulated throw, so the common case ("too
 * late in the end for a foul") comes first. */
#include "models/game/free_guard_zone.h"

bool free_guard_zone_has(const struct rules *rules, struct vec2 at)
{
    return at.y > rules->guard_near_y && at.y < rules->guard_far_y &&
           tee_distance_squared(at) >= rules->guard_house_radius * rules->guard_house_radius;
}

/* Whether the shot violated the protection of one stone of `before`. */
static bool stone_offended(const struct rules *rules, struct vec2 from, bool still_there,
                           struct vec2 to)
{
    bool kept = still_there && rules_area_has(&rules->play, to);

    if (rules->protection == RULES_PROTECT_ALL_STONES)
        return !kept;
    if (!free_guard_zone_has(rules, from))
        return false;
    if (!kept)
        return true;
    if (rules->protection == RULES_PROTECT_GUARDS_IN_ZONE && !free_guard_zone_has(rules, to))
        return true;
    return fabs(from.x) <= rules->no_tick_half_width && rules->no_tick_half_width > 0.0 &&
           fabs(to.x) > rules->no_tick_half_width;
}

int free_guard_zone_offended(const struct rules *rules, const struct position *before,
                             const struct position *after, int shot)
{
    if (shot >= rules->protected_shots)
        return -1;

    unsigned watched = before->in_play;
    if (rules->protection != RULES_PROTECT_ALL_STONES) /* a team may remove its own guards */
        watched &= ~seat_mask(seat_of_stone(rules_stone_of_shot(rules, shot)));
    for (; watched; watched &= watched - 1) {
        int k = __builtin_ctz(watched);
        if (stone_offended(rules, before->stone[k], position_has(after, k), after->stone[k]))
            return k;
    }
    return -1;
}

bool free_guard_zone_settle(const struct rules *rules, const struct position *before,
                            const struct position *after, int shot, struct position *ret_settled)
{
    bool foul = free_guard_zone_offended(rules, before, after, shot) >= 0;
    const struct position *settled = foul ? before : after;

    if (ret_settled != settled)
        *ret_settled = *settled;
    return foul;
}
