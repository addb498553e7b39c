/* A map of aims: what every aim of a grid is worth over the errors of the hand. From coarse to
 * fine: first half the columns, rows and lines with few throws, then all. The best cells are then
 * refined at errors of the hand of falling size, ranked by other throws, and valued by fresh ones:
 * the highest of thousands of noisy values flatters. Shots of different kinds and turns come before
 * others of the same. */
#ifndef RINKD_WORKERS_SEARCH_MAPS_MAP_H
#define RINKD_WORKERS_SEARCH_MAPS_MAP_H

#include "workers/search/maps/aims.h"
#include "workers/search/maps/valuation.h"

enum { MAP_LAYERS = 2 * AIM_WEIGHTS, MAP_BEST = 8 };

struct map_best {
    struct valued valued;
    enum aim_weight weight; /* of the cell that it was refined from */
    double worth;           /* for the player's objective */
};

struct map {
    struct map_layer layer[MAP_LAYERS];
    float *cells; /* owned; the layers point into it */
    int throws;   /* of each cell */
    struct map_best best[MAP_BEST];
    int best_count; /* 0: not known yet */
    int64_t simulations;
    double elapsed_s;
    bool cancelled; /* then the layers are those of the last whole picture */
};

/* Makes a map with the judge of a player of the class `player_rink`. `report` (NULL: none) gets
 * each picture but the last. On PLAYER_OK the caller frees the map. */
enum player_status map_make(const struct map_setting *setting, const struct player *player,
                            const struct player_query *query,
                            void (*report)(void *context, const struct map *so_far), void *context,
                            struct map *ret_map);
void map_free(struct map *map);

#endif
