/* Aiming: solve for the speed that gives the right distance, then turn the path to the right
 * bearing. Both are exact because friction does not depend on the heading: turning a throw turns
 * its whole path. */
#include "models/ice/aim.h"

#include "models/ice/approach.h"

/* Place and heading of a throw straight down the sheet (+y) from the origin at `speed`, `sigma`
 * steps before it rests. */
struct reach {
    struct vec2 at, heading;
    double distance;
};

static struct reach reach_at(const struct ice_profile *ice, const struct glide_table *table,
                             double speed, double omega, double sigma)
{
    struct glide glide;
    struct vec2 velocity = {0.0, speed};
    double released = glide_release(ice->law, &velocity, &omega);
    struct reach reach = {{0.0, 0.0}, {0.0, 1.0}, 0.0};

    if (!glide_start(table, &glide, 0, (struct vec2){0.0, 0.0}, velocity, released, omega) ||
        glide.sigma <= sigma)
        return reach;
    reach.at = sigma > 0.0 ? glide_position(table, &glide, sigma) : glide.rest;
    reach.distance = vec2_length(reach.at);
    struct vec2 v = glide_velocity(table, &glide, sigma);
    reach.heading = vec2_scale(1.0 / vec2_length(v), v);
    return reach;
}

/* Solves for the speed at which a throw is `distance` away with `sigma` steps left; the distance
 * grows with the speed. Uses false position with the Illinois rule (an end kept twice in a row
 * counts half), which keeps the root bracketed. The bracket starts at the speed whose path has that
 * length and ends a little above, because paths bend; if the root is not there, it becomes
 * all speeds. False if max_speed does not reach. */
static bool speed_to_reach(const struct ice_profile *ice, const struct glide_table *table,
                           double distance, double omega, double sigma, double *ret_speed)
{
    double run = distance + (sigma > 0.0 ? glide_path_left(table, sigma) : 0.0);
    double low = aim_speed_to_run(ice, run), high = fmin(1.002 * low, ice->max_speed);
    double low_miss = reach_at(ice, table, low, omega, sigma).distance - distance;
    double high_miss = reach_at(ice, table, high, omega, sigma).distance - distance;
    int stayed = 0;

    if (!(low_miss < 0.0)) {
        low = 0.0;
        low_miss = -distance;
    }
    if (high_miss < 0.0) {
        high = ice->max_speed;
        high_miss = reach_at(ice, table, high, omega, sigma).distance - distance;
    }
    if (high_miss < 0.0)
        return false;
    double speed = high;
    for (int k = 0; k < 200; k++) {
        speed = (low * high_miss - high * low_miss) / (high_miss - low_miss);
        double miss = reach_at(ice, table, speed, omega, sigma).distance - distance;
        if (fabs(miss) < 1e-9 || high - low < 1e-13 * high)
            break;
        if (miss < 0.0) {
            low = speed;
            low_miss = miss;
            if (stayed < 0)
                high_miss *= 0.5;
            stayed = -1;
        } else {
            high = speed;
            high_miss = miss;
            if (stayed > 0)
                low_miss *= 0.5;
            stayed = 1;
        }
    }
    *ret_speed = speed;
    return true;
}

/* Finds the shot that is at `place` with `sigma` steps left, and its heading there. */
static enum aim_status aim_at(const struct ice_profile *ice, struct vec2 place, double sigma,
                              double omega, struct shot *ret_shot, struct vec2 *ret_heading)
{
    const struct glide_table *table = glide_table(ice->law);
    struct vec2 way = vec2_sub(place, ice->hack);
    double distance = vec2_length(way), speed;

    if (!(way.y > 0.0))
        return AIM_BEHIND;
    if (!speed_to_reach(ice, table, distance, omega, sigma, &speed))
        return AIM_TOO_FAST;
    struct reach reach = reach_at(ice, table, speed, omega, sigma);
    /* The rotation that moves the end of the straight throw to the place. */
    struct vec2 turn =
        vec2_scale(1.0 / (distance * reach.distance), vec2_turn(way, vec2_conjugate(reach.at)));
    ret_shot->velocity = vec2_turn((struct vec2){0.0, speed}, turn);
    ret_shot->omega = omega;
    *ret_heading = vec2_turn(reach.heading, turn);
    return AIM_OK;
}

static bool good_spin(const struct ice_profile *ice, double omega)
{
    return fabs(omega) <= ice->max_omega; /* false for NaN */
}

static bool good_place(struct vec2 place)
{
    return isfinite(place.x) && isfinite(place.y);
}

/* The first step at which a glide is off the sheet, or APPROACH_NEVER. */
static int32_t step_of_exit(const struct ice_profile *ice, const struct glide *glide)
{
    struct approach_hull hull;
    int32_t step = glide->start_step, date;

    approach_hull(glide, &hull);
    if (approach_fate(ice, glide, &hull) == APPROACH_STAYS)
        return APPROACH_NEVER;
    while (step != APPROACH_NEVER &&
           (date = approach_exit(ice, glide_table(ice->law), glide, step)) != APPROACH_TOUCH)
        step = date;
    return step;
}

/* The first step at which a glide touches a resting stone, or APPROACH_NEVER. */
static int32_t step_of_touch(const struct ice_profile *ice, const struct glide *glide,
                             struct vec2 at)
{
    int32_t step = glide->start_step, date;
    while (step != APPROACH_NEVER &&
           (date = approach_resting(glide_table(ice->law), glide, step, at)) != APPROACH_TOUCH)
        step = date;
    return step;
}

enum aim_status aim_draw(const struct ice_profile *ice, struct vec2 target, double omega,
                         struct shot *ret_shot)
{
    struct shot shot;
    struct vec2 heading;
    struct glide glide;

    if (!good_place(target) || !good_spin(ice, omega))
        return AIM_BAD_VALUE;
    if (!(fabs(target.x) < ice->side_x) || !(target.y < ice->back_y) || !(target.y > ice->hog_y))
        return AIM_OUT_OF_PLAY;
    enum aim_status status = aim_at(ice, target, 0.0, omega, &shot, &heading);
    if (status != AIM_OK)
        return status;
    if (glide_of_shot(ice, &shot, &glide) && step_of_exit(ice, &glide) != APPROACH_NEVER)
        return AIM_LEAVES_SHEET;
    *ret_shot = shot;
    return AIM_OK;
}

enum aim_status aim_pass(const struct ice_profile *ice, struct vec2 place, double speed,
                         double omega, struct shot *ret_shot)
{
    struct vec2 heading;

    if (!good_place(place) || !good_spin(ice, omega) || !(speed >= 0.0))
        return AIM_BAD_VALUE;
    if (speed > ice->max_speed)
        return AIM_TOO_FAST;
    double sigma = glide_sigma_of_speed(glide_table(ice->law), speed);
    return aim_at(ice, place, sigma, omega, ret_shot, &heading);
}

int aim_first_touched(const struct ice_profile *ice, const struct position *position,
                      const struct shot *shot)
{
    struct glide glide;
    int first = -1;

    if (!glide_of_shot(ice, shot, &glide))
        return -1;
    int32_t soonest = step_of_exit(ice, &glide);
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest);
        int32_t step = step_of_touch(ice, &glide, position->stone[stone]);
        if (step < soonest) {
            soonest = step;
            first = stone;
        }
    }
    return first;
}

enum aim_status aim_hit(const struct ice_profile *ice, const struct position *position, int stone,
                        double offset, double speed, double omega, struct shot *ret_shot,
                        int *ret_blocker)
{
    const double reach = 2.0 * ICE_STONE_RADIUS;

    if (!(fabs(offset) < reach) || !(speed > 0.0) || !good_spin(ice, omega))
        return AIM_BAD_VALUE;
    if (stone < 0 || stone >= POSITION_STONES || !position_has(position, stone))
        return AIM_NO_STONE;
    struct vec2 target = position->stone[stone];
    if (!good_place(target))
        return AIM_BAD_VALUE;
    if (speed > ice->max_speed)
        return AIM_TOO_FAST;

    /* At the touch the thrown stone's centre is 2r from the target's, `offset` to the right of it
     * and the rest of the way behind, seen along the heading there. The heading depends on the
     * place, but so little (1/distance) that a few rounds settle it. */
    double sigma = glide_sigma_of_speed(glide_table(ice->law), speed);
    double behind = sqrt(reach * reach - offset * offset);
    struct vec2 heading = {0.0, 1.0};
    struct shot shot;
    for (int round = 0; round < 20; round++) {
        struct vec2 right = {heading.y, -heading.x}, before = heading;
        struct vec2 centre =
            vec2_add(target, vec2_sub(vec2_scale(offset, right), vec2_scale(behind, heading)));
        enum aim_status status = aim_at(ice, centre, sigma, omega, &shot, &heading);
        if (status != AIM_OK)
            return status;
        if (vec2_distance(before, heading) < 1e-10)
            break;
    }
    if (ret_blocker) {
        int first = aim_first_touched(ice, position, &shot);
        if (first < 0)
            return AIM_LEAVES_SHEET;
        if (first != stone) {
            *ret_blocker = first;
            return AIM_BLOCKED;
        }
    }
    *ret_shot = shot;
    return AIM_OK;
}

double aim_speed_to_run(const struct ice_profile *ice, double metres)
{
    const struct glide_table *table = glide_table(ice->law);
    if (!(metres > 0.0))
        return 0.0;
    double sigma = glide_sigma_of_path(table, metres);
    double x = (sigma > 0.5 ? sigma - 0.5 : 0.0) * table->pieces_per_step;
    int k = (int)x;
    return glide_cubic_slope(&table->budget[k].path, x - k) * table->pieces_per_step / ICE_STEP_S;
}
