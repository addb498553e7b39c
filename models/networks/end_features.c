/* Position -> features. */
#include "models/networks/end_features.h"

#include "models/game/sheet.h"
#include "models/networks/wide.h"

#include <string.h>

static const double house = SHEET_TOUCHES_HOUSE; /* m, dc2 too: 6 mm make no difference here */

struct nearby {
    double distance2;
    int stone;
};

/* Stones in play, nearest to the tee first. */
static inline int by_distance(const struct position *position, struct nearby *ret_order)
{
    int count = 0;
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest), k = count++;
        double distance2 = tee_distance_squared(position->stone[stone]);
        for (; k > 0 && ret_order[k - 1].distance2 > distance2; k--)
            ret_order[k] = ret_order[k - 1];
        ret_order[k] = (struct nearby){distance2, stone};
    }
    return count;
}

/* One float32 lane per stone, in the order from the tee, so compilers can vectorise. */
typedef float lane[POSITION_STONES];

/* The stones and, for each, the effect of the others on it. apart2 and backing are indexed by the
 * seat of the other stone. */
struct surroundings {
    lane x, y; /* m, from the tee */
    lane cover, left, right;
    lane apart2[2]; /* m2, to the nearest one */
    lane backing[2];
};

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

WIDE_INLINE void add_other(struct surroundings *restrict around, int lanes, int other, int seat)
{
    const float tilt = (float)(1.0 / SHEET_TEE_Y);
    float x = around->x[other], y = around->y[other], own = around->apart2[seat][other];

    for (int k = 0; k < lanes; k++) {
        float dx = x - around->x[k], ahead = around->y[k] - y, far = fabsf(ahead);
        float aside = fabsf(dx);
        /* A draw comes along the line from the hack and swings in from one side at the end. This is
         * approximately its distance from that line `ahead` metres before its rest (dc2 0.25 m at 3
         * m, dc3 0.33 m). */
        float off = dx + around->x[k] * ahead * tilt, swing = 0.14f * far / (1.0f + 0.16f * far);
        float front = ahead > 0.05f ? 1.0f : 0.0f, behind = ahead < -0.05f ? 1.0f : 0.0f;
        float line = larger(0.0f, 1.0f - aside * (1 / 0.3f));
        float gap = larger(0.0f, 1.0f + (float)(2 * STONE_RADIUS) - far);

        around->cover[k] = larger(around->cover[k], front * (1.0f - aside * (1 / 0.35f)));
        around->left[k] = larger(around->left[k], front * (1.0f - fabsf(off - swing) * (1 / 0.4f)));
        around->right[k] =
            larger(around->right[k], front * (1.0f - fabsf(off + swing) * (1 / 0.4f)));
        around->apart2[seat][k] = smaller(around->apart2[seat][k], dx * dx + ahead * ahead);
        around->backing[seat][k] = larger(around->backing[seat][k], behind * line * gap);
    }
    around->apart2[seat][other] = own; /* keep: a stone is not its own neighbour */
}

/* `lanes` is a number known to the compiler, at least `count`. One long function: its steps share a
 * dozen lanes, which a helper would only pass on. */
WIDE_INLINE int blocks_of_lanes(int lanes, const struct position *position,
                                const struct nearby *order, int count, float *ret_features,
                                uint8_t *ret_blocks)
{
    const float reach = (float)(2 * STONE_RADIUS + 0.6); /* m, where a neighbour is near */
    double x[POSITION_STONES], y[POSITION_STONES], distance[POSITION_STONES];
    struct surroundings around;
    lane half_x, half_y, half_distance, centre, open, near[2];
    unsigned seats = 0, inside = 0, before = 0; /* bits by place in the order */

    for (int k = 0; k < lanes; k++) {
        x[k] = y[k] = distance[k] = 0.0;
        around.cover[k] = around.left[k] = around.right[k] = 0.0f;
        around.apart2[0][k] = around.apart2[1][k] = HUGE_VALF;
        around.backing[0][k] = around.backing[1][k] = 0.0f;
    }
    for (int k = 0; k < count; k++) {
        int stone = order[k].stone;
        x[k] = position->stone[stone].x - SHEET_TEE_X;
        y[k] = position->stone[stone].y - SHEET_TEE_Y;
        distance[k] = order[k].distance2;
        seats |= (unsigned)(stone & 1) << k;
        before |= (unsigned)(y[k] < 0.0) << k;
    }
    for (int k = 0; k < lanes; k++) {
        around.x[k] = (float)x[k];
        around.y[k] = (float)y[k];
        half_x[k] = (float)(x[k] / 2.0);
        half_y[k] = (float)(y[k] / 2.0);
        distance[k] = sqrt(distance[k]);
        half_distance[k] = (float)(distance[k] / 2.0);
        centre[k] = distance[k] < house ? (float)(1.0 - distance[k] / house) : 0.0f;
    }
    for (int k = 0; k < count; k++)
        inside |= (unsigned)(distance[k] < house) << k;
    for (int k = 0; k < count; k++)
        add_other(&around, lanes, k, seats >> k & 1);
    for (int k = 0; k < lanes; k++) {
        open[k] = smaller(around.left[k], around.right[k]);
        for (int seat = 0; seat < 2; seat++)
            near[seat][k] = larger(0.0f, (reach - sqrtf(around.apart2[seat][k])) * (1 / 0.6f));
    }

    /* The counting stones: up to the first one outside the house or of the other seat. */
    unsigned of[2] = {~seats & ((1u << count) - 1), seats};
    int counting = __builtin_ctz(~(inside & of[seats & 1]));
    int blocks = count < END_FEATURES_STONES ? count : END_FEATURES_STONES;
    for (int k = 0; k < blocks; k++) {
        unsigned seat = seats >> k & 1;
        unsigned block = 2 * (unsigned)k + seat;
        float *f = ret_features + block * END_FEATURES_PER_STONE;
        ret_blocks[k] = (uint8_t)block;
        f[0] = 1.0f;
        f[END_FEATURES_X] = half_x[k];
        f[2] = half_y[k];
        f[3] = half_distance[k];
        f[4] = centre[k];
        f[5] = around.cover[k];
        f[6] = open[k];
        f[7] = k < counting ? 1.0f : 0.0f;
        f[8] = near[seat][k];
        f[9] = near[seat ^ 1][k];
        f[10] = around.backing[seat][k];
        f[11] = around.backing[seat ^ 1][k];
    }
    float *sheet = ret_features + END_FEATURES_BLOCKS * END_FEATURES_PER_STONE;
    for (unsigned seat = 0; seat < 2; seat++) {
        sheet[seat] = (seats & 1) == seat ? (float)counting / 4.0f : 0.0f;
        sheet[2 + seat] = (float)__builtin_popcount(inside & of[seat]) / 4.0f;
        sheet[4 + seat] = (float)__builtin_popcount(before & ~inside & of[seat]) / 4.0f;
    }
    return blocks;
}

/* Uses whole registers: 8 or 16 lanes. */
WIDE_INLINE int blocks_of(const struct position *position, float *ret_features, uint8_t *ret_blocks)
{
    struct nearby order[POSITION_STONES] = {0}; /* gcc does not see that `count` entries are set */
    int count = by_distance(position, order);
    if (count > 8)
        return blocks_of_lanes(POSITION_STONES, position, order, count, ret_features, ret_blocks);
    return blocks_of_lanes(8, position, order, count, ret_features, ret_blocks);
}

WIDE_ONLY int blocks_of_wide(const struct position *position, float *ret_features,
                             uint8_t *ret_blocks)
{
    return blocks_of(position, ret_features, ret_blocks);
}

WIDEST_ONLY int blocks_of_widest(const struct position *position, float *ret_features,
                                 uint8_t *ret_blocks)
{
    return blocks_of(position, ret_features, ret_blocks);
}

int end_features_blocks(const struct position *position, float ret_features[END_FEATURES],
                        uint8_t ret_blocks[END_FEATURES_STONES])
{
    if (widest_here())
        return blocks_of_widest(position, ret_features, ret_blocks);
    if (wide_here())
        return blocks_of_wide(position, ret_features, ret_blocks);
    return blocks_of(position, ret_features, ret_blocks);
}

void end_features(const struct position *position, float ret_features[END_FEATURES])
{
    uint8_t blocks[END_FEATURES_STONES];
    memset(ret_features, 0, END_FEATURES * sizeof *ret_features);
    end_features_blocks(position, ret_features, blocks);
}
