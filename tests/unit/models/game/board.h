/* Positions for the tests of models/game, written stone by stone, and an assertion on lengths. */
#ifndef RINKD_TESTS_UNIT_MODELS_GAME_BOARD_H
#define RINKD_TESTS_UNIT_MODELS_GAME_BOARD_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stddef.h>

/* Distance from hack to tee, m; repeated here so that a wrong value is noticed. */
#define TEE 38.405

struct placed {
    int stone;
    double x, y;
};

static inline struct position board_of(size_t stones, const struct placed *placed)
{
    struct position position = {0};
    for (size_t k = 0; k < stones; k++)
        position_put(&position, placed[k].stone, (struct vec2){placed[k].x, placed[k].y});
    return position;
}

/* board({0, 0.1, 38.4}, {3, -0.5, 36.0}): a position of these stones: index, x, y. */
#define board(...)                                                           \
    board_of(sizeof((struct placed[]){__VA_ARGS__}) / sizeof(struct placed), \
             (struct placed[]){__VA_ARGS__})

/* Equal up to `epsilon`; 0.0 demands the same number. NaN equals nothing. */
#define assert_near(a, b, epsilon) assert_true(fabs((a) - (b)) <= (epsilon))

#endif
