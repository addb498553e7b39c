/* Settings shared by the players with the tree of kr_tree.h, as contents of rows in their tables.
 */
#ifndef RINKD_WORKERS_SEARCH_TREE_KR_SETTING_ROWS_H
#define RINKD_WORKERS_SEARCH_TREE_KR_SETTING_ROWS_H

#include "api/fields/player_spec.h"

enum kr_final { KR_FINAL_LCB, KR_FINAL_VISITS };
static const char *const kr_finals[] = {[KR_FINAL_LCB] = "lcb", [KR_FINAL_VISITS] = "visits", NULL};

#define KR_SIMULATIONS                                                                           \
    "simulations", SETTING_WHOLE, 1600, 1, 1e9, NULL,                                            \
        "iterations of the tree, unless the query names simulations; any other number bounds a " \
        "move with a time, too"
#define KR_TAU     "tau", SETTING_NUMBER, 0.3, 1e-6, 1, NULL, "least density of an added shot"
#define KR_SAMPLES "samples", SETTING_WHOLE, 10, 1, 1000, NULL, "shots drawn of which one is added"
#define KR_WIDENING(initial)                           \
    "widening", SETTING_NUMBER, initial, 0, 100, NULL, \
        "shots of a node by the square root of its visits"
#define KR_OUTCOMES                               \
    "outcomes", SETTING_NUMBER, 4, 0, 1000, NULL, \
        "executions kept by the square root of a shot's visits, 0: one, no noise"
#define KR_FINAL(initial)                              \
    "final", SETTING_CHOICE, initial, 0, 1, kr_finals, \
        "what decides: the lower confidence bound or the visits"
#define KR_MEMORY                                  \
    "memory_mb", SETTING_WHOLE, 64, 1, 4096, NULL, \
        "size of the tree; when full it is searched but does not grow"

#endif
