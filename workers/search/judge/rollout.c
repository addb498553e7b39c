/* The rule of play-outs. */
#include "workers/search/judge/rollout.h"

#include "models/ice/aim.h"
#include "models/ice/random.h"
#include "workers/search/shots/shot_path.h"

#include <math.h>

/* Metres from the tee, y towards the back: the middle and four places around it. */
static const struct vec2 places[ROLLOUT_PLACES] = {
    {0.0, 0.0}, {0.0, -0.6}, {0.6, 0.0}, {-0.6, 0.0}, {0.0, 0.6},
};

/* Guards on the centre line. */
static const struct vec2 guards[ROLLOUT_GUARDS] = {{0.0, -2.4}, {0.0, -3.2}};

#define HIT_RUN_M     5.0
#define GUARD_AHEAD_M 2.0

/* Fills the table. A distance out of reach gets the throw of the previous distance; the first one
 * gets a gentle throw. */
static void aim_prepare(const struct ice_profile *ice, double hit_speed, struct rollout_aim *aim)
{
    double nearest = ice->hog_y - ice->hack.y, farthest = ice->back_y - ice->hack.y;
    struct shot shot = {{0.0, ice->max_speed / 2.0}, ice->spin};
    struct shot_path path;

    aim->nearest = nearest;
    aim->spacing = (farthest - nearest) / (ROLLOUT_NODES - 1);
    for (int k = 0; k < ROLLOUT_NODES; k++) {
        struct position alone = {0};
        struct vec2 place = {ice->hack.x, ice->hack.y + nearest + k * aim->spacing};
        position_put(&alone, 0, place);
        if (hit_speed > 0.0)
            (void)aim_hit(ice, &alone, 0, 0.0, hit_speed, ice->spin, &shot, NULL);
        else
            (void)aim_pass(ice, place, 0.0, ice->spin, &shot);
        aim->velocity[k] = shot.velocity;
        aim->heading[k] = shot_path_of(ice, &shot, &path)
                              ? shot_path_heading(&path, shot_path_run(path.table, hit_speed))
                              : (struct vec2){0.0, 1.0};
    }
}

/* Returns the throw to `place` with the positive spin (side 1) or the negative one (side -1), and
 * its heading there. */
static struct shot aim_from_table(const struct rollout *rollout, const struct rollout_aim *aim,
                                  struct vec2 place, int side, struct vec2 *ret_heading)
{
    struct vec2 way = vec2_sub(place, rollout->ice->hack);
    double distance = vec2_length(way), last = ROLLOUT_NODES - 1;
    double node = fmax(0.0, fmin((distance - aim->nearest) / aim->spacing, last));
    int k = node < last ? (int)node : ROLLOUT_NODES - 2;
    double t = node - k;
    struct vec2 velocity =
        vec2_add(vec2_scale(1.0 - t, aim->velocity[k]), vec2_scale(t, aim->velocity[k + 1]));
    struct vec2 heading = aim->heading[k];
    struct vec2 turn = {way.y / distance, -way.x / distance};

    velocity.x *= side; /* the mirror image */
    heading.x *= side;
    *ret_heading = vec2_turn(heading, turn);
    return (struct shot){vec2_turn(velocity, turn), side * rollout->ice->spin};
}

static struct shot aim_draw_to(const struct rollout *rollout, struct vec2 place, int side)
{
    struct vec2 heading;
    return aim_from_table(rollout, &rollout->draw, place, side, &heading);
}

void rollout_prepare(const struct ice_profile *ice, const struct rules *rules, double hit,
                     double guard, struct rollout *ret_rollout)
{
    *ret_rollout = (struct rollout){.ice = ice, .rules = rules, .hit = hit, .guard = guard};
    aim_prepare(ice, 0.0, &ret_rollout->draw);
    aim_prepare(ice, aim_speed_to_run(ice, HIT_RUN_M), &ret_rollout->strike);
}

/* The stones nearest to the tee within the house, of each seat; -1 for none. */
struct best {
    int own, other;
    bool own_lies_shot;
};

static struct best best_stones(const struct rules *rules, const struct position *position,
                               int stone)
{
    double limit = rules->score_radius * rules->score_radius, own = limit, other = limit;
    struct best best = {-1, -1, false};

    for (unsigned left = position->in_play; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        double distance = tee_distance_squared(position->stone[k]);
        if (seat_of_stone(k) == seat_of_stone(stone) && distance < own) {
            own = distance;
            best.own = k;
        } else if (seat_of_stone(k) != seat_of_stone(stone) && distance < other) {
            other = distance;
            best.other = k;
        }
    }
    best.own_lies_shot = best.own >= 0 && own < other;
    return best;
}

/* Aims the take-out of a stone; false where the path is blocked. At this weight the last metres are
 * nearly straight. */
static bool aim_take_out(const struct rollout *rollout, const struct position *position, int target,
                         int side, struct shot *ret_shot)
{
    const double touch = 4.0 * ICE_STONE_RADIUS * ICE_STONE_RADIUS;
    struct vec2 heading, at = position->stone[target];

    *ret_shot = aim_from_table(rollout, &rollout->strike, at, side, &heading);
    for (unsigned left = position->in_play & ~(1u << target); left; left &= left - 1) {
        struct vec2 before = vec2_sub(at, position->stone[__builtin_ctz(left)]);
        double ahead = vec2_dot(before, heading);
        if (ahead > 0.0 && vec2_dot(before, before) - ahead * ahead < touch)
            return false;
    }
    return true;
}

static struct vec2 from_tee(struct vec2 place)
{
    return (struct vec2){SHEET_TEE_X + place.x, SHEET_TEE_Y + place.y};
}

static struct vec2 guard_of(const struct position *position, int stone)
{
    struct vec2 at = position->stone[stone];
    return (struct vec2){at.x, at.y - GUARD_AHEAD_M};
}

struct shot rollout_choose(const struct rollout *rollout, const struct position *position, int shot,
                           const uint64_t bits[4])
{
    int stone = rules_stone_of_shot(rollout->rules, shot);
    struct best best = best_stones(rollout->rules, position, stone);
    int side = bits[1] >> 63 ? 1 : -1;
    bool last = shot + 1 == rollout->rules->shots;
    struct shot aimed;

    if (best.own_lies_shot && !last && random_unit(bits[2]) < rollout->guard)
        return aim_draw_to(rollout, guard_of(position, best.own), side);
    if (best.other >= 0 && random_unit(bits[0]) < rollout->hit &&
        (aim_take_out(rollout, position, best.other, side, &aimed) ||
         aim_take_out(rollout, position, best.other, -side, &aimed)))
        return aimed;
    return aim_draw_to(rollout, from_tee(places[(int)(random_unit(bits[3]) * ROLLOUT_PLACES)]),
                       side);
}

int rollout_shots(const struct rollout *rollout, const struct position *position, int shot,
                  struct shot ret_shots[ROLLOUT_SHOTS_MAX])
{
    struct best best =
        best_stones(rollout->rules, position, rules_stone_of_shot(rollout->rules, shot));
    int count = 0;

    for (int side = -1; side <= 1; side += 2)
        if (best.other >= 0 && aim_take_out(rollout, position, best.other, side, &ret_shots[count]))
            count++;
    for (int k = 0; k < ROLLOUT_PLACES; k++)
        for (int side = -1; side <= 1; side += 2)
            ret_shots[count++] = aim_draw_to(rollout, from_tee(places[k]), side);
    if (shot + 1 == rollout->rules->shots)
        return count;
    for (int k = 0; k < ROLLOUT_GUARDS; k++)
        for (int side = -1; side <= 1; side += 2)
            ret_shots[count++] = aim_draw_to(rollout, from_tee(guards[k]), side);
    for (int side = -1; side <= 1 && best.own >= 0; side += 2)
        ret_shots[count++] = aim_draw_to(rollout, guard_of(position, best.own), side);
    return count;
}
