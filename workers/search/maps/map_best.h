/* The best shots of a map. See map.h. */
#ifndef RINKD_WORKERS_SEARCH_MAPS_MAP_BEST_H
#define RINKD_WORKERS_SEARCH_MAPS_MAP_BEST_H

#include "workers/search/maps/map.h"

/* A cell of the last picture. */
struct map_cell {
    bool is_open;
    int layer, number;
    struct judged judged;
    double win, points, cost;
};

struct map_work {
    struct map_cell *cell; /* owned by the caller */
    int count;
};

/* Fills in map->best from the cells of the last picture, and map->cancelled. */
enum player_status map_best_find(struct valuation *valuation, const struct map_work *work,
                                 struct map *map);

#endif
