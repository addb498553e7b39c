/* Position -> features. */
#include "models/networks/end_features.h"

#include "models/game/sheet.h"

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

/* How far stones in front, nearer to the thrower, cover this one: 1 = exactly in line. */
static double cover(const struct position *position, int stone)
{
    struct vec2 at = position->stone[stone];
    double most = 0.0;
    for (unsigned rest = position->in_play & ~(1u << stone); rest; rest &= rest - 1) {
        struct vec2 other = position->stone[__builtin_ctz(rest)];
        double covered = 1.0 - fabs(other.x - at.x) / 0.35;
        if (other.y < at.y - 0.05 && covered > most)
            most = covered;
    }
    return most;
}

void end_features(const struct position *position, float ret_features[END_FEATURES])
{
    struct nearby order[POSITION_STONES];
    int count = by_distance(position, order);
    int points[2] = {0, 0}, in_house[2] = {0, 0}, guards[2] = {0, 0};
    int nearest = count > 0 ? order[0].stone & 1 : 0;
    bool counting = true;

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
        float *f = ret_features + k * END_FEATURES_PER_STONE;
        f[seat] = 1.0f;
        f[END_FEATURES_X] = (float)((at.x - SHEET_TEE_X) / 2.0);
        f[3] = (float)((at.y - SHEET_TEE_Y) / 2.0);
        f[4] = (float)(distance / 2.0);
        f[5] = inside ? (float)(1.0 - distance / house) : 0.0f;
        f[6] = (float)cover(position, stone);
    }
    float *sheet = ret_features + END_FEATURES_STONES * END_FEATURES_PER_STONE;
    for (int seat = 0; seat < 2; seat++) {
        sheet[seat] = (float)points[seat] / 4.0f;
        sheet[2 + seat] = (float)in_house[seat] / 4.0f;
        sheet[4 + seat] = (float)guards[seat] / 4.0f;
    }
}
