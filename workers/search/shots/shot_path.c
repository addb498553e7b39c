/* Lines on the sheet, from the tables of gliding stones. */
#include "workers/search/shots/shot_path.h"

#include "models/game/sheet.h"

#define CONTACT_M (2.0 * STONE_RADIUS)
#define TOUCH_M   0.005 /* resting stones may overlap by this */

bool shot_path_of(const struct ice_profile *ice, const struct shot *shot,
                  struct shot_path *ret_path)
{
    ret_path->ice = ice;
    ret_path->table = glide_table(ice->law);
    return glide_of_shot(ice, shot, &ret_path->glide);
}

double shot_path_run(const struct glide_table *table, double speed)
{
    double sigma = glide_sigma_of_speed(table, speed);
    return sigma > 0.0 ? glide_path_left(table, sigma) : 0.0;
}

static struct vec2 place_at(const struct shot_path *path, double left)
{
    return glide_position(path->table, &path->glide, glide_sigma_of_path(path->table, left));
}

struct vec2 shot_path_heading(const struct shot_path *path, double left)
{
    /* A stone at rest keeps the heading of its last centimetre. */
    double sigma = glide_sigma_of_path(path->table, fmax(left, 0.01));
    struct vec2 v = glide_velocity(path->table, &path->glide, sigma);
    return vec2_scale(1.0 / vec2_length(v), v);
}

double shot_path_beside(const struct shot_path *path, struct vec2 place, double until_left,
                        double *ret_left)
{
    double left = path->glide.path - vec2_distance(path->ice->hack, place);
    struct vec2 at, heading;

    /* The path is a little longer than the straight line: one step along it corrects that. */
    for (int round = 0; round < 2; round++) {
        left = fmax(until_left, fmin(left, path->glide.path));
        at = place_at(path, left);
        heading = shot_path_heading(path, left);
        left -= vec2_dot(vec2_sub(place, at), heading);
    }
    *ret_left = fmax(until_left, left);
    return -vec2_cross(heading, vec2_sub(place, at));
}

/* A curling stone is farthest out some metres before its end. */
static bool stays_on_sheet(const struct shot_path *path, double until_left)
{
    for (double before = 0.0; before < 16.0; before = fmax(2.0 * before, 1.0)) {
        double left = until_left + before;
        if (left < path->glide.path && fabs(place_at(path, left).x) >= path->ice->side_x)
            return false;
    }
    return true;
}

bool shot_path_is_clear(const struct shot_path *path, const struct position *position,
                        double until_left, int except, double slip)
{
    if (!stays_on_sheet(path, until_left))
        return false;
    struct vec2 end = place_at(path, until_left);
    double end_distance = vec2_distance(path->ice->hack, end);
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest);
        struct vec2 at = position->stone[stone];
        double distance = vec2_distance(path->ice->hack, at), left;
        if (stone == except || distance > end_distance + CONTACT_M)
            continue;
        /* Most stones are far away; the path leaves the straight line by less than 0.5 m. */
        if (fabs(at.x - end.x * at.y / end.y) > 1.0)
            continue;
        double beside = shot_path_beside(path, at, until_left, &left);
        bool at_end = left <= until_left;
        double apart = at_end ? vec2_distance(end, at) : fabs(beside);
        double allowed = at_end && until_left <= 0.0 ? TOUCH_M : slip * distance;
        if (apart < CONTACT_M - allowed)
            return false;
    }
    return true;
}
