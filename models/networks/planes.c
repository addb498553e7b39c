/* Position -> pictures. */
#include "models/networks/planes.h"

#include "models/game/score.h"

#include <math.h>
#include <string.h>

static const double cell_width = SHEET_WIDTH / PLANES_SIDE,
                    cell_depth = (SHEET_BACK_LINE_Y - SHEET_HOG_LINE_Y) / PLANES_SIDE,
                    house = SHEET_TOUCHES_HOUSE;

static int cut(double place)
{
    return place < 0.0 ? 0 : place > PLANES_SIDE - 1 ? PLANES_SIDE - 1 : (int)place;
}

/* Counted from the centre line, so that a stone and its mirror image get mirrored columns. */
static int column_of(double x)
{
    int half = PLANES_SIDE / 2;
    return x < 0.0 ? half - 1 - cut(fmin(-x / cell_width, half - 1))
                   : half + cut(fmin(x / cell_width, half - 1));
}

static int cell_of(struct vec2 at)
{
    return cut((at.y - SHEET_HOG_LINE_Y) / cell_depth) * PLANES_SIDE + column_of(at.x);
}

static void fill(float *plane)
{
    for (int k = 0; k < PLANES_CELLS; k++)
        plane[k] = 1.0f;
}

void planes_of(const struct position *position, int thrown, enum seat seat,
               float ret_planes[PLANES * PLANES_CELLS])
{
    const int own_thrown = seat == SEAT_SENTE ? (thrown + 1) / 2 : thrown / 2;
    int order[POSITION_STONES], of_seat[2] = {0, 0};
    int stones = score_order(position, order);

    memset(ret_planes, 0, sizeof *ret_planes * PLANES * PLANES_CELLS);
    fill(ret_planes + PLANES_EMPTY * PLANES_CELLS);
    fill(ret_planes + PLANES_ONES * PLANES_CELLS);
    if (own_thrown < PLANES_HOUSE - PLANES_SHOT) /* false after the last one */
        fill(ret_planes + (PLANES_SHOT + own_thrown) * PLANES_CELLS);
    for (int k = 0; k < stones; k++) {
        bool own = seat_of_stone(order[k]) == seat;
        int place = of_seat[own]++;
        struct vec2 at = position->stone[order[k]];
        float *cell = ret_planes + cell_of(at);
        cell[(own ? PLANES_OWN : PLANES_OPPONENT) * PLANES_CELLS] = 1.0f;
        cell[PLANES_EMPTY * PLANES_CELLS] = 0.0f;
        if (tee_distance_squared(at) < house * house)
            cell[PLANES_HOUSE * PLANES_CELLS] = 1.0f;
        if (place < PLANES_ORDER_SEAT)
            cell[((own ? PLANES_OWN_ORDER : PLANES_OPPONENT_ORDER) + place) * PLANES_CELLS] = 1.0f;
        if (k < PLANES_ORDER_ALL)
            cell[(PLANES_ORDER + k) * PLANES_CELLS] = 1.0f;
    }
}

void planes_mirror(int count, float *planes)
{
    for (float *row = planes; row < planes + count * PLANES_CELLS; row += PLANES_SIDE)
        for (int left = 0, right = PLANES_SIDE - 1; left < right; left++, right--) {
            float kept = row[left];
            row[left] = row[right];
            row[right] = kept;
        }
}
