/* Inputs of shots, and the choice of the best of many. */
#include "workers/search/policy/shot_values.h"

#include "models/game/score.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "workers/search/shots/shot_path.h"

#include <math.h>
#include <string.h>

/* The box: from shots that stop 4 m before the tee to those that would run 10 m beyond it, aimed up
 * to 3 m beside it. */
#define RUN_SHORT_M  4.0
#define RUN_BEYOND_M 10.0
#define BESIDE_M     3.0

#define CONTACT_M (2.0 * STONE_RADIUS)
#define HALF_M    0.5 /* features are in units of 2 m */

enum { PER_STONE = 10, FIRST_STONE = 16, OBSTACLES = 2, BATCH = 64 };
_Static_assert(FIRST_STONE + OBSTACLES * 2 * PER_STONE == POLICY_SHOT_INPUTS, "as shot_values.h");

struct shot_box shot_box_of(const struct ice_profile *ice)
{
    const double run = SHEET_TEE_Y - ice->hack.y;
    double most = fmin(aim_speed_to_run(ice, run + RUN_BEYOND_M), action_max_speed(ice));

    return (struct shot_box){.ice = ice,
                             .along_least = aim_speed_to_run(ice, run - RUN_SHORT_M),
                             .along_most = most,
                             .across_most = most * BESIDE_M / run};
}

struct shot shot_box_draw(const struct shot_box *box, const struct random_key *key, uint64_t number)
{
    uint64_t bits[4];

    random_bits(key, number, 0, bits);
    double along = random_unit(bits[0]), across = 2.0 * random_unit(bits[1]) - 1.0;
    return (struct shot){
        .velocity = {across * box->across_most,
                     box->along_least + along * (box->along_most - box->along_least)},
        .omega = bits[2] >> 63 ? box->ice->spin : -box->ice->spin};
}

void shot_scene_of(const struct rules *rules, const struct ice_profile *ice,
                   const struct position *position, int thrown, struct shot_scene *ret_scene)
{
    int points = score_position(rules, position, false);

    *ret_scene = (struct shot_scene){.rules = rules,
                                     .ice = ice,
                                     .position = *position,
                                     .thrown = thrown,
                                     .counting = score_counting(rules, position, false),
                                     .points = thrown & 1 ? -points : points};
    end_features(position, ret_scene->features);
}

/* ---- inputs ---- */

/* A stone in the way of a shot. */
struct obstacle {
    int stone;
    double beside, left;
};

/* Keeps the obstacles that the shot meets first. */
static int add_obstacle(struct obstacle *found, int count, struct obstacle one)
{
    int k = count < OBSTACLES ? count++ : OBSTACLES;

    for (; k > 0 && found[k - 1].left < one.left; k--)
        if (k < OBSTACLES)
            found[k] = found[k - 1];
    if (k < OBSTACLES)
        found[k] = one;
    return count;
}

/* Whether the path, which runs between its first tangent and its chord, may touch a place. */
static bool may_touch(const struct glide *glide, struct vec2 at)
{
    const double slack = CONTACT_M + 0.02;
    double dy = at.y - glide->from.y, run = glide->rest.y - glide->from.y;

    if (run <= 0.0 || dy > run + slack)
        return false;
    double tangent = glide->from.x + dy * glide->velocity.x / glide->velocity.y;
    double chord = glide->from.x + dy * (glide->rest.x - glide->from.x) / run;
    return at.x > fmin(tangent, chord) - slack && at.x < fmax(tangent, chord) + slack;
}

/* Finds the first stones in the way of a path. */
static int find_obstacles(const struct shot_scene *scene, const struct shot_path *path,
                          struct obstacle ret_found[OBSTACLES])
{
    int count = 0;

    for (int k = 0; k < POSITION_STONES; k++) {
        if (!position_has(&scene->position, k) ||
            !may_touch(&path->glide, scene->position.stone[k]))
            continue;
        struct obstacle one = {.stone = k};
        one.beside = shot_path_beside(path, scene->position.stone[k], 0.0, &one.left);
        bool beyond = one.left <= 0.0 &&
                      vec2_distance(path->glide.rest, scene->position.stone[k]) >= CONTACT_M;
        if (fabs(one.beside) < CONTACT_M && !beyond)
            count = add_obstacle(ret_found, count, one);
    }
    return count;
}

static double house_nearness(double distance)
{
    return distance < SHEET_TOUCHES_HOUSE ? 1.0 - distance / SHEET_TOUCHES_HOUSE : 0.0;
}

static void fill_obstacle(const struct shot_scene *scene, const struct obstacle *obstacle,
                          float *ret_inputs)
{
    const struct vec2 at = scene->position.stone[obstacle->stone];
    bool own = ((obstacle->stone ^ scene->thrown) & 1) == 0;
    double distance = sqrt(tee_distance_squared(at)), aside = obstacle->beside / 0.3;
    float *x = ret_inputs + (own ? 0 : PER_STONE);

    x[0] = 1.0f;
    x[1] = (float)aside;
    x[2] = (float)(1.0 - fabs(aside));
    x[3] = (float)fmin(obstacle->left / 3.0, 1.0);
    x[4] = (float)fmin(obstacle->left / 10.0, 1.0);
    x[5] = (float)(HALF_M * at.x);
    x[6] = (float)(HALF_M * (at.y - SHEET_TEE_Y));
    x[7] = (float)(HALF_M * distance);
    x[8] = (float)house_nearness(distance);
    x[9] = (float)(scene->counting >> obstacle->stone & 1);
}

/* Compares the place of rest with the stones of the position. */
static void fill_rest(const struct shot_scene *scene, struct vec2 rest, bool stays, float *x)
{
    struct position with = scene->position;
    double distance = tee_distance_squared(rest), nearest[2] = {0.6, 0.6};
    int nearer[2] = {0, 0}, points = scene->points;

    for (int k = 0; k < POSITION_STONES; k++) {
        if (!position_has(&scene->position, k))
            continue;
        int other = (k ^ scene->thrown) & 1;
        nearer[other] += tee_distance_squared(scene->position.stone[k]) < distance;
        nearest[other] = fmin(nearest[other], vec2_distance(rest, scene->position.stone[k]));
    }
    if (stays && !position_has(&with, scene->thrown)) {
        position_put(&with, scene->thrown, rest);
        points = score_position(scene->rules, &with, false) * (scene->thrown & 1 ? -1 : 1);
    }
    x[8] = 0.25f * (float)points;
    x[9] = 0.25f * (float)scene->points;
    x[10] = 0.25f * (float)(points - scene->points);
    for (int other = 0; other < 2; other++) {
        x[11 + other] = 0.25f * (float)nearer[other];
        x[13 + other] = (float)(1.0 - nearest[other] / 0.6);
    }
}

void shot_inputs(const struct shot_scene *scene, const struct shot *shot,
                 float ret_inputs[POLICY_SHOT_INPUTS])
{
    const struct rules_area *area = &scene->rules->sheet;
    struct obstacle found[OBSTACLES];
    struct shot_path path;
    float *x = ret_inputs;

    memset(x, 0, POLICY_SHOT_INPUTS * sizeof *x);
    x[15] = 1.0f;
    if (!shot_path_of(scene->ice, shot, &path))
        return;
    const struct vec2 rest = path.glide.rest;
    int obstacles = find_obstacles(scene, &path, found);
    double distance = sqrt(tee_distance_squared(rest));
    bool stays = fabs(rest.x) < scene->ice->side_x && rest.y < scene->ice->back_y &&
                 rest.y > SHEET_HOG_LINE_Y && rest.y > area->near_y;

    x[0] = (float)fmax(-2.0, fmin(HALF_M * rest.x, 2.0));
    x[1] = (float)fmin(HALF_M * (rest.y - SHEET_TEE_Y), 2.0);
    x[2] = (float)fmin(HALF_M * distance, 2.0);
    x[3] = (float)house_nearness(distance);
    x[4] = stays ? 1.0f : 0.0f;
    x[5] = (float)fmax(0.0, fmin((rest.y - SHEET_TEE_Y) / 6.0, 2.0));
    x[6] = shot->omega > 0.0 ? 1.0f : -1.0f;
    x[7] = obstacles == 0 ? 1.0f : 0.0f;
    fill_rest(scene, rest, stays, x);
    for (int k = 0; k < obstacles; k++)
        fill_obstacle(scene, &found[k], x + FIRST_STONE + (size_t)k * 2 * PER_STONE);
}

/* ---- values ---- */

double shot_scores(float scores[POLICY_SHOT_SCORES])
{
    double points = 0.0;

    policy_softmax(scores, POLICY_SHOT_SCORES);
    for (int k = 0; k < POLICY_SHOT_SCORES; k++)
        points += (double)scores[k] * (k - POLICY_SHOT_ZERO);
    return points;
}

static int keep_best(struct valued_shot *best, int count, int most, const struct valued_shot *one)
{
    if (count == most && !(one->points > best[count - 1].points))
        return count;
    int k = count < most ? count++ : count - 1;
    for (; k > 0 && one->points > best[k - 1].points; k--)
        best[k] = best[k - 1];
    best[k] = *one;
    return count;
}

int shot_values_best(struct policy *policy, const struct shot_scene *scene,
                     const struct shot_box *box, const struct random_key *key, int draws, int most,
                     struct valued_shot *ret_best)
{
    float inputs[BATCH][POLICY_SHOT_INPUTS], outputs[BATCH][POLICY_SHOT_SCORES];
    struct shot shots[BATCH];
    int count = 0;

    for (int from = 0; from < draws; from += BATCH) {
        int rows = draws - from < BATCH ? draws - from : BATCH;
        for (int k = 0; k < rows; k++) {
            shots[k] = shot_box_draw(box, key, (uint64_t)(from + k));
            if (policy)
                shot_inputs(scene, &shots[k], inputs[k]);
        }
        if (policy && net_evaluate_sharing(policy->net[scene->thrown], END_FEATURES,
                                           scene->features, rows, inputs[0], outputs[0]) != NET_OK)
            return 0;
        for (int k = 0; k < rows; k++) {
            struct valued_shot one = {.shot = shots[k], .points = NAN};
            if (policy) {
                memcpy(one.scores, outputs[k], sizeof one.scores);
                one.points = shot_scores(one.scores);
                if (!isfinite(one.points))
                    return 0;
            }
            count = keep_best(ret_best, count, most, &one);
        }
        if (!policy && count == most)
            break;
    }
    return count;
}
