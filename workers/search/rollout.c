/* The plain rule by which play-outs go on. */
#include "workers/search/rollout.h"

#include "models/ice/aim.h"
#include "models/ice/random.h"

/* Metres from the tee, y towards the back: the middle and four places around it, where the stones
 * of an end come to lie, and two guards on the centre line. */
static const struct vec2 places[ROLLOUT_PLACES] = {
    {0.0, 0.0}, {0.0, -0.6}, {0.6, 0.0}, {-0.6, 0.0}, {0.0, 0.6}, {0.0, -2.4}, {0.0, -3.2},
};

#define HIT_RUN_M 5.0

void rollout_prepare(const struct ice_profile *ice, const struct rules *rules, double hit,
                     struct rollout *ret_rollout)
{
    struct rollout rollout = {
        .ice = ice, .rules = rules, .hit = hit, .hit_speed = aim_speed_to_run(ice, HIT_RUN_M)};

    for (int k = 0; k < ROLLOUT_PLACES; k++)
        for (int side = -1; side <= 1; side += 2) {
            struct vec2 target = {SHEET_TEE_X + places[k].x, SHEET_TEE_Y + places[k].y};
            if (aim_draw(ice, target, side * ice->spin, &rollout.draw[rollout.draws]) == AIM_OK)
                rollout.draws++;
        }
    if (rollout.draws == 0) /* no ice there is; a gentle throw is always a move */
        rollout.draw[rollout.draws++] = (struct shot){{0.0, ice->max_speed / 2.0}, ice->spin};
    *ret_rollout = rollout;
}

/* The stone nearest to the tee if it is in the house and belongs to the other side; else -1. */
static int stone_to_hit(const struct rules *rules, const struct position *position, int stone)
{
    double nearest = rules->score_radius * rules->score_radius;
    int found = -1;

    for (unsigned left = position->in_play; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        double distance = tee_distance_squared(position->stone[k]);
        if (distance < nearest) {
            nearest = distance;
            found = k;
        }
    }
    return found >= 0 && seat_of_stone(found) != seat_of_stone(stone) ? found : -1;
}

/* Takes the stone out with this spin; false where the way is blocked. */
static bool aim_take_out(const struct rollout *rollout, const struct position *position, int target,
                         double spin, struct shot *ret_shot)
{
    int blocker;
    return aim_hit(rollout->ice, position, target, 0.0, rollout->hit_speed, spin, ret_shot,
                   &blocker) == AIM_OK;
}

struct shot rollout_choose(const struct rollout *rollout, const struct position *position,
                           int stone, const uint64_t bits[4])
{
    int target = stone_to_hit(rollout->rules, position, stone);

    if (target >= 0 && random_unit(bits[0]) < rollout->hit) {
        double spin = bits[1] >> 63 ? rollout->ice->spin : -rollout->ice->spin;
        struct shot shot;
        if (aim_take_out(rollout, position, target, spin, &shot) ||
            aim_take_out(rollout, position, target, -spin, &shot))
            return shot;
    }
    return rollout->draw[(int)(random_unit(bits[1]) * rollout->draws)];
}

int rollout_shots(const struct rollout *rollout, const struct position *position, int stone,
                  struct shot ret_shots[ROLLOUT_SHOTS_MAX])
{
    int target = stone_to_hit(rollout->rules, position, stone);
    int count = 0;

    for (int side = -1; target >= 0 && side <= 1; side += 2)
        if (aim_take_out(rollout, position, target, side * rollout->ice->spin, &ret_shots[count]))
            count++;
    for (int k = 0; k < rollout->draws; k++)
        ret_shots[count++] = rollout->draw[k];
    return count;
}
