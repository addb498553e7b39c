/* Position <-> 68 bytes. */
#include "models/networks/compact_position.h"

#include <math.h>

static const double unit_x = 1e-4, unit_y = 2.5e-4; /* m */

_Static_assert(sizeof(struct compact_position) == 68, "no padding");

static int16_t units_of(double offset, double unit)
{
    return (int16_t)lround(fmax(INT16_MIN, fmin(INT16_MAX, offset / unit)));
}

struct compact_position compact_position_of(const struct position *position, int thrown)
{
    struct compact_position compact = {.in_play = position->in_play, .thrown = (uint8_t)thrown};

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        struct vec2 at = position->stone[k];
        compact.x[k] = units_of(at.x - SHEET_TEE_X, unit_x);
        compact.y[k] = units_of(at.y - SHEET_TEE_Y, unit_y);
    }
    return compact;
}

struct position compact_position_open(const struct compact_position *compact)
{
    struct position position = {0};

    for (unsigned rest = compact->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        position_put(&position, k,
                     (struct vec2){SHEET_TEE_X + unit_x * (double)compact->x[k],
                                   SHEET_TEE_Y + unit_y * (double)compact->y[k]});
    }
    return position;
}
