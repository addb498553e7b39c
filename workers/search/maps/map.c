/* Pictures, from coarse to fine; map_best.c finds the best shots. See map.h. */
#include "workers/search/maps/map.h"

#include "workers/search/maps/map_best.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 3, COARSE_THROWS_LEAST = 8 };

struct picture {
    struct valuation *valuation;
    struct judge judge;
    struct map *map;
    struct map_work *work;
    int throws;
    atomic_bool stopped;
};

/* ---- one cell ---- */

/* Returns the layer of cell number `index` of the whole picture, and its number there. */
static int layer_of(const struct map *map, int index, int *ret_cell)
{
    int layer = 0;

    for (; index >= map->layer[layer].columns * map->layer[layer].rows; layer++)
        index -= map->layer[layer].columns * map->layer[layer].rows;
    *ret_cell = index;
    return layer;
}

static struct vec2 aim_of(const struct map_layer *layer, int cell)
{
    int column = cell % layer->columns, row = cell / layer->columns;

    return (struct vec2){aims_middle(AIMS_LEFT_X, AIMS_RIGHT_X, column, layer->columns),
                         aims_middle(AIMS_NEAR_Y, AIMS_FAR_Y, row, layer->rows)};
}

static void value_cell(void *context, size_t index, int thread)
{
    struct picture *picture = context;
    const struct map *map = picture->map;
    struct map_cell *ret_cell = &picture->work->cell[index];
    int number, layer = layer_of(map, (int)index, &number);
    const struct map_layer *of = &map->layer[layer];
    struct shot shot;

    (void)thread;
    *ret_cell = (struct map_cell){.layer = layer, .number = number};
    if (player_is_cancelled(picture->valuation->query))
        atomic_store(&picture->stopped, true);
    if (atomic_load_explicit(&picture->stopped, memory_order_relaxed) ||
        !aims_shot(picture->judge.ice, aim_of(of, number), of->weight, of->clockwise, &shot))
        return;
    ret_cell->is_open = true;
    ret_cell->judged.candidate = candidate_of_shot(shot);
    judge_throw(&picture->judge, &ret_cell->judged, picture->throws);
    struct score_distribution exact = valuation_exact(picture->valuation, shot);
    struct score_distribution mean = judged_distribution(&ret_cell->judged);
    const struct objective *objective = &picture->judge.objective;
    ret_cell->win = objective_win(objective, &mean);
    ret_cell->points = objective_score(&mean);
    ret_cell->cost = objective_win(objective, &exact) - ret_cell->win;
}

/* ---- a picture ---- */

/* Lays out the layers of a picture. False: memory is short. */
static bool lay_out(struct map *map, int columns, int rows, int lines)
{
    int count = 2 * (columns * rows + (AIM_WEIGHTS - 1) * lines);
    float *next = malloc((size_t)(VALUES * count) * sizeof *next);

    map->cells = next;
    for (int k = 0; next && k < VALUES * count; k++)
        next[k] = NAN;
    for (int k = 0; next && k < MAP_LAYERS; k++) {
        struct map_layer *layer = &map->layer[k];
        *layer = (struct map_layer){.weight = (enum aim_weight)(k / 2), .clockwise = k % 2 == 1};
        layer->columns = layer->weight == AIM_DRAW ? columns : lines;
        layer->rows = layer->weight == AIM_DRAW ? rows : 1;
        int cells = layer->columns * layer->rows;
        layer->win = next;
        layer->points = next + cells;
        layer->cost = next + 2 * cells;
        next += VALUES * cells;
    }
    return map->cells != NULL;
}

static int cells_of(const struct map *map)
{
    int count = 0;

    for (int k = 0; k < MAP_LAYERS; k++)
        count += map->layer[k].columns * map->layer[k].rows;
    return count;
}

/* Copies the values of the cells into the layers, which lie in map->cells one after the other. */
static void write_layers(const struct map_work *work, struct map *map)
{
    const struct map_cell *cell = work->cell;
    float *next = map->cells;

    for (int k = 0; k < MAP_LAYERS; k++) {
        int count = map->layer[k].columns * map->layer[k].rows;
        for (int i = 0; i < count; i++, cell++) {
            next[i] = cell->is_open ? (float)cell->win : NAN;
            next[count + i] = cell->is_open ? (float)cell->points : NAN;
            next[2 * count + i] = cell->is_open ? (float)cell->cost : NAN;
        }
        next += VALUES * count;
    }
}

/* Makes a picture; on success it replaces the one in *map. PLAYER_OK with work->count 0: it was
 * cancelled. */
static enum player_status draw(struct valuation *valuation, const struct normal_pair *errors,
                               const struct map_setting *setting, struct map_work *work,
                               struct map *map)
{
    struct map next = {.throws = setting->throws};

    work->count = 0;
    if (!lay_out(&next, setting->columns, setting->rows, setting->lines))
        return PLAYER_NO_MEMORY;
    struct picture picture = {.valuation = valuation,
                              .judge = valuation->judge,
                              .map = &next,
                              .work = work,
                              .throws = setting->throws};
    picture.judge.errors = errors;
    atomic_init(&picture.stopped, false);
    int count = cells_of(&next);
    pool_run(valuation->threads, (size_t)count, value_cell, &picture);
    if (atomic_load(&picture.stopped)) {
        free(next.cells);
        return PLAYER_OK;
    }
    work->count = count;
    valuation->throws += (int64_t)count * (setting->throws + 1);
    write_layers(work, &next);
    free(map->cells);
    map->cells = next.cells;
    map->throws = next.throws;
    memcpy(map->layer, next.layer, sizeof map->layer);
    map->simulations = valuation->throws;
    map->elapsed_s = clock_now_s() - valuation->opened.settings.start_s;
    return PLAYER_OK;
}

static struct map_setting coarse(const struct map_setting *setting)
{
    int throws = setting->throws / 2;

    return (struct map_setting){.columns = (setting->columns + 1) / 2,
                                .rows = (setting->rows + 1) / 2,
                                .lines = (setting->lines + 1) / 2,
                                .throws =
                                    throws > COARSE_THROWS_LEAST ? throws : COARSE_THROWS_LEAST};
}

/* ---- the map ---- */

/* Makes the pictures and finds the best shots. Where it is cancelled it keeps what there is; before
 * the first picture it makes that one in spite of it. */
static enum player_status make(const struct map_setting *setting, struct valuation *valuation,
                               void (*report)(void *context, const struct map *so_far),
                               void *context, struct map_work *work, struct map *map)
{
    struct normal_pair *errors = valuation_errors(valuation, RANDOM_PLANNING, setting->throws);
    const struct map_setting first = coarse(setting);
    enum player_status status = errors ? PLAYER_OK : PLAYER_NO_MEMORY;

    if (status == PLAYER_OK)
        status = draw(valuation, errors, &first, work, map);
    map->cancelled = work->count == 0;
    if (status == PLAYER_OK && !map->cancelled) {
        if (report)
            report(context, map);
        status = draw(valuation, errors, setting, work, map);
        map->cancelled = work->count == 0;
    }
    if (status == PLAYER_OK && !map->cancelled) {
        if (report)
            report(context, map);
        status = map_best_find(valuation, work, map);
    }
    free(errors);
    return status;
}

enum player_status map_make(const struct map_setting *setting, const struct player *player,
                            const struct player_query *query,
                            void (*report)(void *context, const struct map *so_far), void *context,
                            struct map *ret_map)
{
    int most = 2 * (setting->columns * setting->rows + (AIM_WEIGHTS - 1) * setting->lines);
    struct map_work work = {.cell = malloc((size_t)most * sizeof *work.cell)};
    struct valuation valuation;

    *ret_map = (struct map){.throws = 0};
    enum player_status status = valuation_open(&valuation, player, query);
    if (status == PLAYER_OK && !work.cell)
        status = PLAYER_NO_MEMORY;
    if (status == PLAYER_OK)
        status = make(setting, &valuation, report, context, &work, ret_map);
    if (status == PLAYER_OK && ret_map->cells == NULL && !lay_out(ret_map, 1, 1, 1))
        status = PLAYER_NO_MEMORY;
    ret_map->simulations = valuation.throws;
    ret_map->elapsed_s = clock_now_s() - valuation.opened.settings.start_s;
    status = valuation_close(&valuation, status);
    free(work.cell);
    if (status != PLAYER_OK)
        map_free(ret_map);
    return status;
}

void map_free(struct map *map)
{
    free(map->cells);
    map->cells = NULL;
}
