/* Checks a position from outside: slots, then numbers, then places, then overlaps, so that a later
 * check may rely on the earlier ones. */
#include "models/game/position_check.h"

#include <stdio.h>

const char *position_error_text(enum position_error error)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        POSITION_FAULTS(X)
#undef X
    };
    return (size_t)error < sizeof texts / sizeof texts[0] ? texts[error] : "unknown error";
}

static enum position_error report(struct position_fault *ret_fault, enum position_error error,
                                  int stone, int other, const char *field)
{
    if (ret_fault)
        *ret_fault = (struct position_fault){error, stone, other, field};
    return error;
}

/* The stones thrown before the shot have the lowest indices. If a seat has too many stones, the
 * fault names the highest: that one cannot have been thrown yet. */
static enum position_error check_slots(const struct rules *rules, const struct position *position,
                                       int shot, struct position_fault *ret_fault)
{
    unsigned there = (1u << rules_stone_of_shot(rules, shot)) - 1;

    for (int seat = SEAT_SENTE; seat <= SEAT_GOTE; seat++) {
        unsigned mask = seat_mask((enum seat)seat);
        unsigned stones = position->in_play & mask;
        if (__builtin_popcount(stones) > __builtin_popcount(there & mask))
            return report(ret_fault, POSITION_TOO_MANY_STONES, 31 - __builtin_clz(stones), -1,
                          NULL);
    }

    unsigned early = position->in_play & ~there;
    if (early)
        return report(ret_fault, POSITION_NOT_YET_THROWN, __builtin_ctz(early), -1, NULL);
    return POSITION_OK;
}

static enum position_error check_place(const struct rules *rules, const struct position *position,
                                       int stone, struct position_fault *ret_fault)
{
    const struct rules_area *sheet = &rules->sheet;
    struct vec2 at = position->stone[stone];

    if (!isfinite(at.x))
        return report(ret_fault, POSITION_NOT_FINITE, stone, -1, "position.x");
    if (!isfinite(at.y))
        return report(ret_fault, POSITION_NOT_FINITE, stone, -1, "position.y");
    if (fabs(at.x) >= sheet->side_x + POSITION_EDGE_TOLERANCE_M)
        return report(ret_fault, POSITION_OUT_OF_SHEET, stone, -1, "position.x");
    if (at.y <= sheet->near_y - POSITION_EDGE_TOLERANCE_M ||
        at.y >= sheet->far_y + POSITION_EDGE_TOLERANCE_M)
        return report(ret_fault, POSITION_OUT_OF_SHEET, stone, -1, "position.y");
    return POSITION_OK;
}

static enum position_error check_overlaps(const struct position *position,
                                          struct position_fault *ret_fault)
{
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int b = __builtin_ctz(rest);
        unsigned lower = position->in_play & ((1u << b) - 1);
        for (; lower; lower &= lower - 1) {
            int a = __builtin_ctz(lower);
            if (vec2_distance(position->stone[a], position->stone[b]) <
                2 * STONE_RADIUS - POSITION_OVERLAP_TOLERANCE_M)
                return report(ret_fault, POSITION_OVERLAP, b, a, "position");
        }
    }
    return POSITION_OK;
}

enum position_error position_check(const struct rules *rules, const struct position *position,
                                   int shot, struct position_fault *ret_fault)
{
    if (shot < 0 || shot > rules->shots)
        return report(ret_fault, POSITION_BAD_SHOT, -1, -1, "shot");

    enum position_error error = check_slots(rules, position, shot, ret_fault);
    for (unsigned rest = position->in_play; rest && error == POSITION_OK; rest &= rest - 1)
        error = check_place(rules, position, __builtin_ctz(rest), ret_fault);
    if (error == POSITION_OK)
        error = check_overlaps(position, ret_fault);
    return error;
}

void position_fault_path(const struct position_fault *fault, bool team0_has_hammer, size_t size,
                         char *ret_text)
{
    if (fault->stone < 0)
        snprintf(ret_text, size, "%s", fault->field ? fault->field : "stones");
    else
        snprintf(ret_text, size, "stones.team%d[%d]%s%s",
                 team_of_stone(fault->stone, team0_has_hammer), slot_of_stone(fault->stone),
                 fault->field ? "." : "", fault->field ? fault->field : "");
}
