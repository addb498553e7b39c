/* Position -> cells of grids. */
#include "models/networks/end_places.h"

#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/networks/wide.h"

#include <math.h>

enum { LANES = 16 }; /* stones, one float32 lane each, so compilers can vectorise */

typedef float lane[LANES];

struct stones {
    lane x, y; /* m, from the tee */
    int seat[LANES], count;
};

/* Stones in play, nearest to the tee first. */
WIDE_INLINE void by_distance(const struct position *position, struct stones *ret_stones)
{
    int order[POSITION_STONES], count = score_order(position, order);

    for (int k = 0; k < LANES; k++)
        ret_stones->x[k] = ret_stones->y[k] = 0.0f;
    for (int k = 0; k < count; k++) {
        const struct vec2 at = position->stone[order[k]];
        ret_stones->x[k] = (float)(at.x - SHEET_TEE_X);
        ret_stones->y[k] = (float)(at.y - SHEET_TEE_Y);
        ret_stones->seat[k] = order[k] & 1;
    }
    ret_stones->count = count;
}

struct cells {
    int32_t mark[LANES]; /* of the corner with the least numbers */
    lane share[4];
};

/* The cells around places (u, v), counted in marks, for all lanes. Outside the grid its edge
 * counts. */
WIDE_INLINE void cells_of(const lane u, const lane v, int along, float whole,
                          struct cells *ret_cells)
{
    const float u_most = (float)(END_PLACES_ACROSS - 1), v_most = (float)(along - 1);

    for (int k = 0; k < LANES; k++) {
        float across = u[k] < 0.0f ? 0.0f : u[k] > u_most ? u_most : u[k];
        float up = v[k] < 0.0f ? 0.0f : v[k] > v_most ? v_most : v[k];
        int32_t a = (int32_t)across, b = (int32_t)up;
        a = a > END_PLACES_ACROSS - 2 ? END_PLACES_ACROSS - 2 : a;
        b = b > along - 2 ? along - 2 : b;
        float right = across - (float)a, far = up - (float)b;
        ret_cells->mark[k] = b * END_PLACES_ACROSS + a;
        ret_cells->share[0][k] = whole * ((1.0f - right) * (1.0f - far));
        ret_cells->share[1][k] = whole * (right * (1.0f - far));
        ret_cells->share[2][k] = whole * ((1.0f - right) * far);
        ret_cells->share[3][k] = whole * (right * far);
    }
}

WIDE_INLINE void add(const struct cells *cells, int stone, int grid_begin,
                     struct end_places *places)
{
    int k = places->count++;

    places->row[k] = (uint16_t)(grid_begin + cells->mark[stone]);
    for (int corner = 0; corner < 4; corner++)
        places->share[k][corner] = cells->share[corner][stone];
}

WIDE_INLINE void places_of(const struct position *position, struct end_places *ret_places)
{
    enum {
        ALONE = END_PLACES_ACROSS * END_PLACES_ALONG,
        PAIR = END_PLACES_ACROSS * END_PLACES_PAIR_ALONG
    };
    struct stones stones;
    struct cells cells;
    lane u, v;

    by_distance(position, &stones);
    ret_places->count = 0;
    for (int k = 0; k < LANES; k++) {
        u[k] = (stones.x[k] + 2.1f) * ((float)(END_PLACES_ACROSS - 1) / 4.2f);
        v[k] = (stones.y[k] + 5.0f) * ((float)(END_PLACES_ALONG - 1) / 7.0f);
    }
    cells_of(u, v, END_PLACES_ALONG, 1.0f, &cells);
    for (int k = 0; k < stones.count; k++) {
        int rank = k < END_PLACES_RANKS ? k : END_PLACES_RANKS - 1;
        add(&cells, k, (rank * 2 + stones.seat[k]) * ALONE, ret_places);
    }

    /* Marks from the middle: 4 at 2 m across, 5 at 4 m along. */
    const int count = stones.count < END_PLACES_STONES ? stones.count : END_PLACES_STONES;
    for (int near = 0; near + 1 < count; near++) {
        int rank = near < END_PLACES_PAIR_RANKS ? near : END_PLACES_PAIR_RANKS - 1;
        int grid = (rank * 2 + stones.seat[near]) * 2;
        for (int k = 0; k < LANES; k++) {
            float dx = stones.x[k] - stones.x[near], dy = stones.y[k] - stones.y[near];
            float across = sqrtf(fabsf(dx) * 8.0f), along = sqrtf(fabsf(dy) * 6.25f);
            u[k] = (float)((END_PLACES_ACROSS - 1) / 2) + (dx < 0.0f ? -across : across);
            v[k] = (float)((END_PLACES_PAIR_ALONG - 1) / 2) + (dy < 0.0f ? -along : along);
        }
        cells_of(u, v, END_PLACES_PAIR_ALONG, 0.5f, &cells);
        for (int k = near + 1; k < count; k++)
            add(&cells, k, END_PLACES_ALONE + (grid + stones.seat[k]) * PAIR, ret_places);
    }
}

WIDE_ONLY void places_of_wide(const struct position *position, struct end_places *ret_places)
{
    places_of(position, ret_places);
}

WIDEST_ONLY void places_of_widest(const struct position *position, struct end_places *ret_places)
{
    places_of(position, ret_places);
}

void end_places(const struct position *position, struct end_places *ret_places)
{
    if (widest_here())
        places_of_widest(position, ret_places);
    else if (wide_here())
        places_of_wide(position, ret_places);
    else
        places_of(position, ret_places);
}
