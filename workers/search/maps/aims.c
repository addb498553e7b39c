/* See aims.h. */
#include "workers/search/maps/aims.h"

#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"

/* How far a hit would run on beyond the tee line, m; a hard one less than the longest run: paths
 * are bent. */
#define HIT_RUN_M   5.0
#define HARD_ROOM_M 0.05

static double run_of(const struct ice_profile *ice, struct vec2 place, enum aim_weight weight)
{
    double most = action_max_run_m(ice) - vec2_distance(ice->hack, place) - HARD_ROOM_M;
    return weight == AIM_HARD || HIT_RUN_M > most ? most : HIT_RUN_M;
}

bool aims_shot(const struct ice_profile *ice, struct vec2 aim, enum aim_weight weight,
               bool clockwise, struct shot *ret_shot)
{
    double omega = clockwise ? -ice->spin : ice->spin;

    if (weight == AIM_DRAW) {
        enum aim_status status = aim_draw(ice, aim, omega, ret_shot);
        /* Behind the back line a stone does not stay, but the weight may move others. */
        if (status == AIM_OUT_OF_PLAY && aim.y >= ice->back_y)
            status = aim_pass(ice, aim, 0.0, omega, ret_shot);
        return status == AIM_OK;
    }
    struct vec2 place = {aim.x, SHEET_TEE_Y};
    double speed = aim_speed_to_run(ice, run_of(ice, place, weight));
    return aim_pass(ice, place, speed, omega, ret_shot) == AIM_OK &&
           vec2_length(ret_shot->velocity) <= action_max_speed(ice);
}
