/* Made-up scenes for the engine tests: stones in and around the house, some of them touching, and
 * shots of all weights that mostly reach them. Made without libm (except square roots), so that a
 * seed means the same scene on every machine. */
#ifndef RINKD_TESTS_UNIT_MODELS_ICE_SCENES_H
#define RINKD_TESTS_UNIT_MODELS_ICE_SCENES_H

#include "models/ice/throw.h"
#include "tests/unit/models/ice/dice.h"

struct scene {
    struct position before;
    struct throw_request request; /* borrows `before`: set it again after copying */
};

/* Returns a uniform point on the circle of that radius. */
static inline struct vec2 scene_circle_point(struct dice *dice, double radius)
{
    for (;;) {
        struct vec2 p = {dice_between(dice, -1.0, 1.0), dice_between(dice, -1.0, 1.0)};
        double length = vec2_length(p);
        if (length > 0.1 && length < 1.0)
            return vec2_scale(radius / length, p);
    }
}

static inline bool scene_is_free(const struct position *position, struct vec2 at)
{
    for (unsigned rest = position->in_play; rest; rest &= rest - 1)
        if (vec2_distance(position->stone[__builtin_ctz(rest)], at) < 2.0 * STONE_RADIUS)
            return false;
    return at.x > -2.2 && at.x < 2.2 && at.y > 32.2 && at.y < 40.3;
}

/* Returns a position of the stones 0 … stone - 1, each present with this probability, without
 * overlaps. */
static inline struct position scene_position(struct dice *dice, int stone, double chance)
{
    struct position position = {.in_play = 0};
    struct vec2 last = {SHEET_TEE_X, SHEET_TEE_Y};

    for (int k = 0; k < stone; k++) {
        if (dice_between(dice, 0.0, 1.0) >= chance)
            continue;
        for (int tries = 0; tries < 20; tries++) {
            struct vec2 at = {dice_between(dice, -2.1, 2.1), dice_between(dice, 33.0, 40.2)};
            if (dice_below(dice, 2))
                at = vec2_add((struct vec2){SHEET_TEE_X, SHEET_TEE_Y},
                              scene_circle_point(dice, dice_between(dice, 0.0, 1.8)));
            else if (dice_below(dice, 3) == 0) /* against another stone, or nearly */
                at = vec2_add(last, scene_circle_point(dice, 2.0 * STONE_RADIUS +
                                                                 dice_between(dice, 1e-6, 2e-2)));
            if (scene_is_free(&position, at)) {
                position_put(&position, k, at);
                last = at;
                break;
            }
        }
    }
    return position;
}

/* Returns a guard, draw or hit, with either spin or none, aimed by a rule of thumb. */
static inline struct shot scene_shot(struct dice *dice, const struct ice_profile *ice)
{
    bool dc2 = ice->law == ICE_DC2;
    double draw = dc2 ? 29.56 : 2.403, top = dc2 ? 44.0 : 4.0;
    double side = (double)(dice_below(dice, 8) ? 2 * dice_below(dice, 2) - 1 : 0);
    double speed =
        dice_below(dice, 2) ? draw * dice_between(dice, 0.96, 1.03) : dice_between(dice, draw, top);
    double to_x = dice_between(dice, -1.8, 1.8);
    double aside = side * (dc2 ? 0.99 * 29.56 / speed : 0.132 * 2.403 / speed);

    return (struct shot){
        .velocity = {aside + speed * to_x / (SHEET_TEE_Y - ice->hack.y), speed},
        .omega = side * ice->spin,
    };
}

static inline void scene_make(struct dice *dice, const struct ice_profile *ice,
                              struct scene *ret_scene)
{
    int stone = dice_below(dice, POSITION_STONES);
    ret_scene->before = scene_position(dice, stone, dice_between(dice, 0.2, 1.0));
    ret_scene->request = (struct throw_request){
        .ice = ice,
        .before = &ret_scene->before,
        .stone = stone,
        .shot = scene_shot(dice, ice),
        .team0_has_hammer = dice_below(dice, 2) != 0,
    };
}

#endif
