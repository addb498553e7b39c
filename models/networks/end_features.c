/* Position -> features. */
#include "models/networks/end_features.h"

#include "models/game/sheet.h"
#include "models/networks/wide.h"

#include <string.h>

static const double house = 1.974; /* m, centre of a stone that touches the house (FCV1's; dc2's is
                                    * 6 mm wider, which makes no difference here) */

struct nearby {
    double distance2;
    int stone;
};

/* Stones in play, nearest to the tee first. */
static int by_distance(const struct position *position, struct nearby *ret_order)
{
    int count = 0;
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest), k = count++;
        double x = position->stone[stone].x - SHEET_TEE_X,
               y = position->stone[stone].y - SHEET_TEE_Y;
        double distance2 = x * x + y * y;
        for (; k > 0 && ret_order[k - 1].distance2 > distance2; k--)
            ret_order[k] = ret_order[k - 1];
        ret_order[k] = (struct nearby){distance2, stone};
    }
    return count;
}

/* What the others mean for each stone, stones in the order from the tee: one float32 lane a stone,
 * so that the compiler can look at all of them at once. By seat of the other stone: apart2,
 * backing.
 */
struct surroundings {
    float x[POSITION_STONES], y[POSITION_STONES]; /* m, from the tee */
    float cover[POSITION_STONES], left[POSITION_STONES], right[POSITION_STONES];
    float apart2[2][POSITION_STONES]; /* m2, to the nearest one */
    float backing[2][POSITION_STONES];
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
        /* A draw comes along the line from the hack and swings in from one side at the end; about
         * so far off that line it is `ahead` metres before its rest (dc2 0.25 m at 3 m, dc3 0.33).
         */
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
    around->apart2[seat][other] = own; /* no stone is its own neighbour */
}

WIDE_INLINE void look_around(struct surroundings *around, const struct nearby *order, int count)
{
    int lanes = count > 8 ? POSITION_STONES : 8; /* known lengths, whole registers */
    for (int k = 0; k < count; k++)
        if (lanes == 8)
            add_other(around, 8, k, order[k].stone & 1);
        else
            add_other(around, POSITION_STONES, k, order[k].stone & 1);
}

WIDE_ONLY void look_around_wide(struct surroundings *around, const struct nearby *order, int count)
{
    look_around(around, order, count);
}

void end_features(const struct position *position, float ret_features[END_FEATURES])
{
    struct nearby order[POSITION_STONES] = {0}; /* gcc does not see that `count` are set */
    int count = by_distance(position, order);
    const float reach = (float)(2 * STONE_RADIUS + 0.6); /* m, where a neighbour is near */
    int points[2] = {0, 0}, in_house[2] = {0, 0}, guards[2] = {0, 0};
    int nearest = count > 0 ? order[0].stone & 1 : 0;
    bool counting = true;

    struct surroundings around = {0};
    for (int k = 0; k < POSITION_STONES; k++)
        around.apart2[0][k] = around.apart2[1][k] = HUGE_VALF;
    for (int k = 0; k < count; k++) {
        around.x[k] = (float)(position->stone[order[k].stone].x - SHEET_TEE_X);
        around.y[k] = (float)(position->stone[order[k].stone].y - SHEET_TEE_Y);
    }
    if (wide_here())
        look_around_wide(&around, order, count);
    else
        look_around(&around, order, count);

    memset(ret_features, 0, END_FEATURES * sizeof *ret_features);
    for (int k = 0; k < count; k++) {
        int stone = order[k].stone, seat = stone & 1;
        struct vec2 at = position->stone[stone];
        double distance = sqrt(order[k].distance2);
        bool inside = distance < house;
        counting = counting && inside && seat == nearest;
        points[seat] += counting;
        in_house[seat] += inside;
        guards[seat] += !inside && at.y < SHEET_TEE_Y;
        if (k >= END_FEATURES_STONES)
            continue;
        float *f = ret_features + (2 * k + seat) * END_FEATURES_PER_STONE;
        f[0] = 1.0f;
        f[END_FEATURES_X] = (float)((at.x - SHEET_TEE_X) / 2.0);
        f[2] = (float)((at.y - SHEET_TEE_Y) / 2.0);
        f[3] = (float)(distance / 2.0);
        f[4] = inside ? (float)(1.0 - distance / house) : 0.0f;
        f[5] = around.cover[k];
        f[6] = around.left[k] < around.right[k] ? around.left[k] : around.right[k];
        f[7] = counting ? 1.0f : 0.0f;
        for (int whose = 0; whose < 2; whose++) {
            float near = (reach - sqrtf(around.apart2[seat ^ whose][k])) * (1 / 0.6f);
            f[8 + whose] = larger(0.0f, near);
            f[10 + whose] = around.backing[seat ^ whose][k];
        }
    }
    float *sheet = ret_features + END_FEATURES_BLOCKS * END_FEATURES_PER_STONE;
    for (int seat = 0; seat < 2; seat++) {
        sheet[seat] = (float)points[seat] / 4.0f;
        sheet[2 + seat] = (float)in_house[seat] / 4.0f;
        sheet[4 + seat] = (float)guards[seat] / 4.0f;
    }
}
