/* Position -> rows of lines. */
#include "models/networks/lines.h"

#include "models/game/sheet.h"

#include <math.h>
#include <string.h>

enum { NEAR, WIDE, SIDE, OPPONENT = 3, COUNTING = 6 }; /* at a mark */
enum {
    LINE_X = LINES_DEPTHS * LINES_PER_DEPTH,
    LINE_ABS_X,
    NEAREST,
    POINTS = LINE_X + 4,
    THROWN = LINE_X + LINES_SHEET
};

static const float first_mark = -3.6f, mark_step = 0.45f; /* m from the tee line */
static const float near_reach = 0.3f, wide_reach = 0.9f;  /* m */
static const double house = SHEET_TOUCHES_HOUSE;          /* m, as in end_features.c */

static float line_x(int line)
{
    return ((float)line - 15.5f) * 0.125f;
}

/* A stone as seen along the lines. */
struct seen {
    float x, tilt; /* its `aside` of a line: x - line_x * tilt */
    int mark;
    float share; /* of `mark`; the next mark has the rest */
    bool own, counting;
};

static void add_stone(const struct seen *stone, float *rows)
{
    for (int line = 0; line < LINES; line++) {
        float aside = stone->x - line_x(line) * stone->tilt, off = fabsf(aside);
        float wide = 1.0f - off * (1.0f / wide_reach), near = 1.0f - off * (1.0f / near_reach);
        if (wide <= 0.0f)
            continue;
        near = near > 0.0f ? near : 0.0f;
        for (int k = 0; k < 2 && stone->mark + k < LINES_DEPTHS; k++) {
            float share = k ? 1.0f - stone->share : stone->share;
            float *at = rows + line * LINES_FEATURES + (stone->mark + k) * LINES_PER_DEPTH;
            float *of = at + (stone->own ? 0 : OPPONENT);
            of[NEAR] += share * near;
            of[WIDE] += share * wide;
            of[SIDE] += share * wide * aside * (1.0f / near_reach);
            if (stone->counting)
                at[COUNTING] += share * near;
        }
    }
}

void line_rows_of(const struct position *position, int thrown, enum seat mover,
                  float ret_rows[LINES * LINES_FEATURES])
{
    double nearest[2] = {HUGE_VAL, HUGE_VAL}; /* own, the opponent's; squared */
    int points[2] = {0, 0};
    double distance2[POSITION_STONES];

    memset(ret_rows, 0, (size_t)LINES * LINES_FEATURES * sizeof *ret_rows);
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest), other = (k & 1) != (int)mover;
        double x = position->stone[k].x - SHEET_TEE_X, y = position->stone[k].y - SHEET_TEE_Y;
        distance2[k] = x * x + y * y;
        nearest[other] = fmin(nearest[other], distance2[k]);
    }
    int leader = nearest[1] < nearest[0];
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest), other = (k & 1) != (int)mover;
        float deep = (float)(position->stone[k].y - SHEET_TEE_Y);
        float mark = (deep - first_mark) / mark_step;
        struct seen stone = {
            .x = (float)(position->stone[k].x - SHEET_TEE_X),
            .tilt = 1.0f + deep / (float)SHEET_TEE_Y,
            .own = !other,
            .counting =
                other == leader && distance2[k] < house * house && distance2[k] < nearest[!leader],
        };
        mark = mark < 0.0f ? 0.0f : mark > LINES_DEPTHS - 1 ? LINES_DEPTHS - 1 : mark;
        stone.mark = (int)mark;
        stone.share = 1.0f - (mark - (float)stone.mark);
        points[other] += stone.counting;
        add_stone(&stone, ret_rows);
    }
    for (int line = 0; line < LINES; line++) {
        float *row = ret_rows + line * LINES_FEATURES, x = line_x(line);
        row[LINE_X] = x / 2.0f;
        row[LINE_ABS_X] = fabsf(x) / 2.0f;
        for (int k = 0; k < 2; k++) {
            row[NEAREST + k] = nearest[k] < 4.0 ? (float)sqrt(nearest[k]) / 2.0f : 1.0f;
            row[POINTS + k] = (float)points[k] / 4.0f;
        }
        row[THROWN + thrown] = 1.0f;
    }
}

void line_rows_mirror(float rows[LINES * LINES_FEATURES])
{
    for (int line = 0; line < LINES / 2; line++) {
        float *a = rows + line * LINES_FEATURES, *b = rows + (LINES - 1 - line) * LINES_FEATURES;
        for (int k = 0; k < LINES_FEATURES; k++) {
            float kept = a[k];
            a[k] = b[k];
            b[k] = kept;
        }
    }
    for (int line = 0; line < LINES; line++) {
        float *row = rows + line * LINES_FEATURES;
        row[LINE_X] = 0.0f - row[LINE_X];
        for (int mark = 0; mark < LINES_DEPTHS; mark++)
            for (int k = SIDE; k < 2 * OPPONENT; k += OPPONENT) {
                float *side = &row[mark * LINES_PER_DEPTH + k];
                *side = 0.0f - *side; /* 0 stays 0 without a sign */
            }
    }
}
