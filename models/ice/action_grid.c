/* The table of lines, weights and spins behind the 960 actions. */
#include "models/ice/action_grid.h"

#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/glide.h"

#include <assert.h>
#include <pthread.h>

#define LINE_WIDTH_M 0.125

/* Errors of a hand at the tee, metres across and along: the unit of nearness. */
#define ACROSS_M 0.0725
#define ALONG_M  0.29

enum { RESTING_WEIGHTS = 7, RUNNING_WEIGHTS = 2 };

/* Rests of draws and guards, metres beyond the tee line. */
static const double rest_m[RESTING_WEIGHTS] = {-3.0, -2.25, -1.5, -1.0, -0.5, 0.0, 0.6};
/* Distances that hits would run beyond the tee line, metres. */
static const double run_m[RUNNING_WEIGHTS] = {2.5, 6.0};

int action_mirror(int action)
{
    struct action parts = action_parts(action);
    parts.line = ACTION_LINES - 1 - parts.line;
    if (parts.spin != ACTION_SPIN_NONE)
        parts.spin = parts.spin == ACTION_SPIN_LEFT ? ACTION_SPIN_RIGHT : ACTION_SPIN_LEFT;
    return action_of_parts(parts);
}

double action_max_speed(const struct ice_profile *ice)
{
    return ice->law == ICE_DC2 ? hypot(3.1, 33.3) - 0.2 : 4.0;
}

double action_max_run_m(const struct ice_profile *ice)
{
    const struct shot straight = {{0.0, action_max_speed(ice)}, 0.0};
    struct glide glide;

    return glide_of_shot(ice, &straight, &glide) ? glide.path : 0.0;
}

struct shot action_shot(const struct ice_profile *ice, int action)
{
    assert(action >= 0 && action < ACTIONS);
    struct action parts = action_parts(action);
    double omega = parts.spin == ACTION_SPIN_LEFT    ? ice->spin
                   : parts.spin == ACTION_SPIN_RIGHT ? -ice->spin
                                                     : 0.0;
    double line_x = (parts.line - 0.5 * (ACTION_LINES - 1)) * LINE_WIDTH_M;
    struct vec2 place = {SHEET_TEE_X + line_x, SHEET_TEE_Y};
    double speed = 0.0;

    if (parts.weight < RESTING_WEIGHTS)
        place.y += rest_m[parts.weight];
    else if (parts.weight < RESTING_WEIGHTS + RUNNING_WEIGHTS)
        speed = aim_speed_to_run(ice, run_m[parts.weight - RESTING_WEIGHTS]);
    else
        speed = aim_speed_to_run(ice, action_max_run_m(ice) - vec2_distance(ice->hack, place));

    struct shot shot = {{0.0, 0.0}, omega};
    (void)aim_pass(ice, place, speed, omega, &shot); /* always within reach: see the tests */
    /* Full weight: the bent path is a few millimetres longer than the straight way. */
    double excess = action_max_speed(ice) / vec2_length(shot.velocity);
    if (excess < 1.0)
        shot.velocity = vec2_scale(excess, shot.velocity);
    return shot;
}

const struct shot *action_table(const struct ice_profile *ice)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct shot tables[ICE_PROFILES_MAX][ACTIONS];
    static bool made[ICE_PROFILES_MAX];
    int k = 0;

    while (ice_profile_at(k) != ice)
        k++;
    pthread_mutex_lock(&lock);
    for (int action = 0; !made[k] && action < ACTIONS; action++)
        tables[k][action] = action_shot(ice, action);
    made[k] = true;
    pthread_mutex_unlock(&lock);
    return tables[k];
}

/* Metres between two shots, across the sheet and along it. */
static double separation(const struct ice_profile *ice, double tee_speed_squared,
                         const struct shot *a, const struct shot *b)
{
    double reach = SHEET_TEE_Y - ice->hack.y;
    double across = reach *
                    (atan2(a->velocity.x, a->velocity.y) - atan2(b->velocity.x, b->velocity.y)) /
                    ACROSS_M;
    double along = reach / tee_speed_squared *
                   (vec2_dot(a->velocity, a->velocity) - vec2_dot(b->velocity, b->velocity)) /
                   ALONG_M;
    return across * across + along * along;
}

int action_nearest(const struct ice_profile *ice, const struct shot *shot)
{
    const struct shot *shots = action_table(ice);
    /* The draw nearest to the tee stands for the run of a draw. */
    struct action to_tee = {ACTION_LINES / 2, 5, ACTION_SPIN_LEFT};
    struct vec2 tee_velocity = shots[action_of_parts(to_tee)].velocity;
    double tee_speed_squared = vec2_dot(tee_velocity, tee_velocity);
    int nearest = -1;
    double least = HUGE_VAL;

    for (int action = shot->omega < 0.0 ? ACTION_SPIN_RIGHT : ACTION_SPIN_LEFT; action < ACTIONS;
         action += ACTION_SPINS) {
        double d = separation(ice, tee_speed_squared, &shots[action], shot);
        if (d < least) {
            least = d;
            nearest = action;
        }
    }
    return nearest;
}
