/* The kinds of shots, and what success is: a throw succeeds if it keeps what its call is for,
 * wherever exactly the stones come to rest. A foul against the free guard zone keeps nothing.
 *
 * - draw, freeze, come around: the delivered stone rests in the house, nearer to the tee than all
 *   stones of the opponent if the call would
 * - guard: it rests before the tee line and outside the house
 * - hit and stay, hit and roll, peel: the stone is gone, or counted before and no longer counts
 * - double: so are both stones
 * - raise take-out: so is the second stone
 * - raise: the stone lies nearer to the tee than before
 * - tap back: the stone lies farther from the hack, or is gone
 * - through: no other stone moved
 * - other: any result */
#include "models/game/free_guard_zone.h"
#include "models/game/sheet.h"
#include "workers/search/shots/candidate.h"

#define STONE_WIDTH_M       (2.0 * STONE_RADIUS)
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

/* What a call is for. */
struct purpose {
    enum shot_kind kind;
    unsigned removed; /* take-outs: the stones that are to go, or to count no more … */
    bool is_any;      /* … of which one is enough */
    int moved;        /* raise and tap: the stone */
    bool lies_first;  /* draws: the delivered stone is nearer to the tee than any of the opponent */
};

/* Whether a stone of `seat` at a place lies nearer to the tee than all of the opponent in play. */
static bool lies_first(const struct position *position, enum seat seat, struct vec2 at)
{
    for (unsigned rest = position->in_play & ~seat_mask(seat); rest; rest &= rest - 1)
        if (tee_distance_squared(position->stone[__builtin_ctz(rest)]) <= tee_distance_squared(at))
            return false;
    return true;
}

/* Whether a stone lies in the house, nearer to the tee than all of the other seat. */
static bool counts(const struct rules *rules, const struct position *position, int stone)
{
    return position_has(position, stone) && in_house(rules, position->stone[stone]) &&
           lies_first(position, seat_of_stone(stone), position->stone[stone]);
}

/* The stones that are there after a throw, and still count if they did before. */
static unsigned not_beaten(const struct rules *rules, unsigned stones,
                           const struct position *before, const struct position *after)
{
    unsigned left = stones & after->in_play;

    for (unsigned rest = left; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (counts(rules, before, k) && !counts(rules, after, k))
            left &= ~(1u << k);
    }
    return left;
}

/* Whether a throw without a foul keeps what its call is for. */
static bool is_kept(const struct rules *rules, const struct purpose *purpose,
                    const struct position *before, int stone, const struct throw_result *result)
{
    const struct position *after = &result->after;
    const struct vec2 rest = after->stone[stone];
    const unsigned left = not_beaten(rules, purpose->removed, before, after);
    const int moved = purpose->moved;

    switch (purpose->kind) {
    case SHOT_DRAW:
    case SHOT_FREEZE:
    case SHOT_COME_AROUND:
        return position_has(after, stone) && in_house(rules, rest) &&
               (!purpose->lies_first || lies_first(after, seat_of_stone(stone), rest));
    case SHOT_GUARD:
        return position_has(after, stone) && !in_house(rules, rest) && rest.y < SHEET_TEE_Y;
    case SHOT_HIT:
    case SHOT_HIT_AND_ROLL:
    case SHOT_PEEL:
    case SHOT_DOUBLE:
    case SHOT_RAISE_TAKEOUT:
        return purpose->is_any ? left != purpose->removed : left == 0;
    case SHOT_RAISE:
        return position_has(after, moved) && tee_distance_squared(after->stone[moved]) <
                                                 tee_distance_squared(before->stone[moved]);
    case SHOT_TAP_BACK:
        return !position_has(after, moved) || after->stone[moved].y > before->stone[moved].y;
    case SHOT_THROUGH:
        return (result->moved & ~(1u << stone)) == 0;
    case SHOT_OTHER:
    case SHOT_KIND_COUNT:
        break;
    }
    return true;
}

static bool is_foul(const struct rules *rules, const struct position *before, int stone,
                    const struct throw_result *result)
{
    return free_guard_zone_offended(rules, before, &result->after,
                                    rules_shot_of_stone(rules, stone)) >= 0;
}

bool candidate_succeeded(const struct rules *rules, const struct candidate *candidate,
                         const struct position *before, int stone,
                         const struct throw_result *result)
{
    const int about = candidate->stone, other = candidate->other_stone;
    struct purpose purpose = {.kind = candidate->kind,
                              .moved = about,
                              .lies_first =
                                  lies_first(before, seat_of_stone(stone), candidate->target)};

    if (candidate->kind == SHOT_RAISE_TAKEOUT)
        purpose.removed = 1u << other;
    else if (about >= 0)
        purpose.removed = 1u << about | (candidate->kind == SHOT_DOUBLE ? 1u << other : 0u);
    return !is_foul(rules, before, stone, result) &&
           is_kept(rules, &purpose, before, stone, result);
}

/* The first own stone that came nearer to the tee, into the house; -1: none. */
static int raised_stone(const struct rules *rules, const struct position *before,
                        const struct position *after, unsigned own)
{
    for (unsigned rest = before->in_play & after->in_play & own; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (in_house(rules, after->stone[k]) &&
            sqrt(tee_distance_squared(before->stone[k])) -
                    sqrt(tee_distance_squared(after->stone[k])) >=
                RAISED_BY_M)
            return k;
    }
    return -1;
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

    if (is_foul(rules, before, stone, result))
        return SHOT_OTHER;
    if (before->in_play & ~after->in_play & ~own)
        return SHOT_HIT;
    if (raised_stone(rules, before, after, own) >= 0)
        return SHOT_RAISE;
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

bool shot_succeeded(const struct rules *rules, const struct position *before, int stone,
                    const struct throw_result *call, const struct throw_result *result)
{
    const unsigned own = seat_mask(seat_of_stone(stone));
    const struct purpose purpose = {
        .kind = shot_kind_of_result(rules, before, stone, call),
        .removed = before->in_play & ~call->after.in_play & ~own,
        .is_any = true,
        .moved = raised_stone(rules, before, &call->after, own),
        .lies_first = lies_first(&call->after, seat_of_stone(stone), call->after.stone[stone])};

    if (purpose.kind == SHOT_OTHER)
        return shot_kind_of_result(rules, before, stone, result) == SHOT_OTHER &&
               (is_foul(rules, before, stone, call) || !is_foul(rules, before, stone, result));
    return !is_foul(rules, before, stone, result) &&
           is_kept(rules, &purpose, before, stone, result);
}
