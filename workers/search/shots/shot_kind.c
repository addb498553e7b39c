/* The purpose of each kind of shot, and the test for success. The thresholds are wide compared with
 * the noise of a hand (7 cm across, 28 cm along) and narrow compared with neighbouring kinds. A
 * foul against the free guard zone never succeeds.
 *
 * - draw: rests in the house within 0.6 m of the target
 * - guard: rests before the tee line and outside the house, less than a stone's width beside the
 *   target and within 1 m of it
 * - freeze: rests less than 0.15 m from the stone, which moved 0.3 m at most
 * - come around: rests in the house, farther from the hack than the stone and less than a stone's
 *   width beside the line from the hack through it; the stone moved 0.3 m at most
 * - hit and stay: the stone is gone, the delivered one in play within 1 m of where that lay
 * - hit and roll: the stone is gone, the delivered one in play more than 0.2 m away to the side
 *   where the target lies
 * - raise: the stone lies within 0.6 m of the target and nearer to the tee than before
 * - tap back: the stone is in play, 0.15 m or more farther from the hack
 * - peel: both the stone and the delivered one are gone
 * - double: both stones are gone
 * - raise take-out: the second stone is gone
 * - through: no other stone moved, the delivered one is gone
 * - other: any result */
#include "models/game/free_guard_zone.h"
#include "models/game/sheet.h"
#include "workers/search/shots/candidate.h"

#define STONE_WIDTH_M       (2.0 * STONE_RADIUS)
#define DRAW_NEAR_M         0.6
#define GUARD_NEAR_M        1.0
#define FREEZE_GAP_M        0.15
#define LEFT_ALONE_M        0.3
#define STAY_NEAR_M         1.0
#define ROLL_M              0.2
#define RAISE_NEAR_M        0.6
#define TAP_M               0.15
#define RAISED_BY_M         0.3 /* raise as a result: an own stone came nearer to the tee by this */
#define RESULT_FREEZE_GAP_M 0.06 /* freeze as a result: the delivered stone lies this near */

const char *shot_kind_name(enum shot_kind kind)
{
    static const char *const names[] = {
#define X(name, text) text,
        SHOT_KINDS(X)
#undef X
    };
    return (unsigned)kind < SHOT_KIND_COUNT ? names[kind] : "unknown";
}

static bool in_house(const struct rules *rules, struct vec2 at)
{
    return tee_distance_squared(at) < rules->score_radius * rules->score_radius;
}

/* Returns how far `at` lies beside the line from the middle of the hack line through `stone`. The
 * hacks of both sheets lie on the centre line, so far away that their distance does not matter. */
static double beside_line(struct vec2 stone, struct vec2 at)
{
    struct vec2 hack = {SHEET_TEE_X, 0.0};
    struct vec2 way = vec2_sub(stone, hack);
    return fabs(vec2_cross(way, vec2_sub(at, hack))) / vec2_length(way);
}

bool candidate_succeeded(const struct rules *rules, const struct candidate *candidate,
                         const struct position *before, int stone,
                         const struct throw_result *result)
{
    const struct position *after = &result->after;
    int about = candidate->stone, other = candidate->other_stone;

    if (free_guard_zone_offended(rules, before, after, rules_shot_of_stone(rules, stone)) >= 0)
        return false;

    bool stays = position_has(after, stone);
    struct vec2 rest = after->stone[stone], target = candidate->target;
    bool lies = about >= 0 && position_has(after, about);
    struct vec2 old = {0.0, 0.0}, new = {0.0, 0.0};
    if (about >= 0)
        old = before->stone[about];
    if (lies)
        new = after->stone[about];

    switch (candidate->kind) {
    case SHOT_DRAW:
        return stays && in_house(rules, rest) && vec2_distance(rest, target) < DRAW_NEAR_M;
    case SHOT_GUARD:
        return stays && !in_house(rules, rest) && rest.y < SHEET_TEE_Y &&
               fabs(rest.x - target.x) < STONE_WIDTH_M &&
               vec2_distance(rest, target) < GUARD_NEAR_M;
    case SHOT_FREEZE:
        return stays && lies && vec2_distance(old, new) < LEFT_ALONE_M &&
               vec2_distance(rest, new) < STONE_WIDTH_M + FREEZE_GAP_M;
    case SHOT_COME_AROUND:
        return stays && lies && vec2_distance(old, new) < LEFT_ALONE_M && in_house(rules, rest) &&
               beside_line(new, rest) < STONE_WIDTH_M && rest.y > new.y;
    case SHOT_HIT:
        return !lies && stays && vec2_distance(rest, old) < STAY_NEAR_M;
    case SHOT_HIT_AND_ROLL:
        return !lies && stays && (target.x > old.x ? rest.x - old.x : old.x - rest.x) > ROLL_M;
    case SHOT_RAISE:
        return lies && vec2_distance(new, target) < RAISE_NEAR_M &&
               tee_distance_squared(new) < tee_distance_squared(old);
    case SHOT_TAP_BACK:
        return lies && new.y - old.y >= TAP_M;
    case SHOT_PEEL:
        return !lies && !stays;
    case SHOT_DOUBLE:
        return !lies && !position_has(after, other);
    case SHOT_RAISE_TAKEOUT:
        return !position_has(after, other);
    case SHOT_THROUGH:
        return !stays && (result->moved & ~(1u << stone)) == 0;
    case SHOT_OTHER:
    case SHOT_KIND_COUNT:
        break;
    }
    return true;
}

/* First match:
 *   hit      an opponent's stone is gone (without a foul)
 *   raise    an own stone in the house came nearer to the tee by 0.3 m
 *   through  no other stone moved, the delivered one is gone
 *   freeze   the delivered stone rests in the house, less than 6 cm before or beside a stone
 *   draw     … in the house
 *   guard    … before the tee line
 *   other    the rest, fouls among them */
enum shot_kind shot_kind_of_result(const struct rules *rules, const struct position *before,
                                   int stone, const struct throw_result *result)
{
    const struct position *after = &result->after;
    unsigned own = seat_mask(seat_of_stone(stone));

    if (free_guard_zone_offended(rules, before, after, rules_shot_of_stone(rules, stone)) >= 0)
        return SHOT_OTHER;
    if (before->in_play & ~after->in_play & ~own)
        return SHOT_HIT;
    for (unsigned rest = before->in_play & after->in_play & own; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (in_house(rules, after->stone[k]) &&
            sqrt(tee_distance_squared(before->stone[k])) -
                    sqrt(tee_distance_squared(after->stone[k])) >=
                RAISED_BY_M)
            return SHOT_RAISE;
    }
    if (!position_has(after, stone))
        return (result->moved & ~(1u << stone)) == 0 ? SHOT_THROUGH : SHOT_OTHER;

    struct vec2 at = after->stone[stone];
    if (in_house(rules, at)) {
        for (unsigned rest = after->in_play & before->in_play; rest; rest &= rest - 1) {
            struct vec2 near = after->stone[__builtin_ctz(rest)];
            if (near.y >= at.y && vec2_distance(near, at) < STONE_WIDTH_M + RESULT_FREEZE_GAP_M)
                return SHOT_FREEZE;
        }
        return SHOT_DRAW;
    }
    return at.y < SHEET_TEE_Y ? SHOT_GUARD : SHOT_OTHER;
}
