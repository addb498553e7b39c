/* Writing shot queries and their answers. See shot_json.h. */
#include "api/shot_json.h"

#include "models/game/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* jansson's own json_real() refuses what is not finite. */
static json_t *real_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* Adds a member and takes over the value; false when memory is short (NULL included). */
static bool add(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* The object, or NULL in its place when something did not work out. */
static json_t *finished(json_t *object, bool good)
{
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static const char *team_name(int team)
{
    return team == 0 ? "team0" : "team1";
}

static double milliseconds(double time_s)
{
    return round(time_s * 1e6) / 1e3;
}

/* ---- queries ---- */

static json_t *stone_json(const struct position *position, int stone)
{
    if (!position_has(position, stone))
        return json_null();
    struct vec2 at = position->stone[stone];
    return json_pack("{s:{s:f,s:f}}", "position", "x", at.x, "y", at.y);
}

static json_t *team_stones_json(const struct game *game, int team)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int slot = 0; slot < POSITION_STONES / 2; slot++) {
        int stone = stone_of_slot(team, slot, game_team0_has_hammer(game));
        good = json_array_append_new(list, stone_json(&game->position, stone)) == 0 && good;
    }
    return finished(list, good);
}

static json_t *team_scores_json(const struct game *game, int team)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int end = 0; end < game->ends; end++) {
        json_t *score = end < game->end ? json_integer(game->scores[team][end]) : json_null();
        good = json_array_append_new(list, score) == 0 && good;
    }
    return finished(list, good);
}

static json_t *state_json(const struct game *game)
{
    json_t *scores = json_object(), *stones = json_object();
    bool good = true;

    for (int team = 0; team < 2; team++) {
        good = add(scores, team_name(team), team_scores_json(game, team)) && good;
        good = add(stones, team_name(team), team_stones_json(game, team)) && good;
    }
    if (!good) {
        json_decref(scores);
        json_decref(stones);
        return NULL;
    }
    return json_pack("{s:i,s:i,s:s,s:o,s:o}", "end", game->end, "shot", game->shot, "hammer",
                     team_name(game->hammer_team), "scores", scores, "stones", stones);
}

static json_t *noise_json(const struct shot_query_noise *noise)
{
    const char *const keys[] = {"gat_stddev_x", "gat_stddev_y", "stddev_speed", "stddev_angle",
                                "max_speed"};
    const double value[] = {noise->gat_stddev_x_m, noise->gat_stddev_y_m, noise->stddev_speed_mps,
                            noise->stddev_angle_rad, noise->max_speed_mps};
    json_t *object = json_object();
    bool good = object != NULL;

    for (int k = 0; k < 5; k++)
        if (!isnan(value[k]))
            good = add(object, keys[k], json_real(value[k])) && good;
    return finished(object, good);
}

static json_t *limits_json(const struct shot_query *query)
{
    json_t *object = json_object();
    bool good = object != NULL;

    if (query->time_s > 0.0)
        good = add(object, "time_ms", json_integer(llround(query->time_s * 1000.0))) && good;
    if (query->simulations > 0)
        good = add(object, "simulations", json_integer(query->simulations)) && good;
    return finished(object, good);
}

json_t *shot_query_json(const struct shot_query *query)
{
    const struct game *game = &query->game;
    json_t *object = json_object();
    bool good = object != NULL;

    if (query->id.kind != STRICT_ID_NONE)
        good = add(object, "id", strict_id_json(&query->id)) && good;
    good = add(object, "profile", json_string(game->rules->name)) && good;
    good = add(object, "state", state_json(game)) && good;
    good = add(object, "setting",
               json_pack("{s:i,s:i}", "max_end", game->ends, "extra_ends", game->extra_ends)) &&
           good;
    if (query->player[0])
        good = add(object, "player", json_string(query->player)) && good;
    good = add(object, "limits", limits_json(query)) && good;
    good = add(object, "noise", noise_json(&query->noise)) && good;
    good = add(object, "seed", json_integer(query->seed)) && good;
    good = add(object, "top_k", json_integer(query->candidates)) && good;
    if (query->timeout_s > 0.0)
        good = add(object, "timeout_ms", json_integer(llround(query->timeout_s * 1000.0))) && good;
    if (query->report_interval_s > 0.0)
        good = add(object, "report_interval_ms",
                   json_integer(llround(query->report_interval_s * 1000.0))) &&
               good;
    return finished(object, good);
}

/* ---- answers ---- */

json_t *shot_json(const struct rules *rules, const struct shot *shot)
{
    json_t *object =
        json_pack("{s:{s:f,s:f}}", "velocity", "x", shot->velocity.x, "y", shot->velocity.y);
    json_t *rotation =
        shot->omega == 0.0 ? json_null() : json_string(shot->omega < 0.0 ? "cw" : "ccw");
    bool good = add(object, "rotation", rotation);

    if (strcmp(rules->ice, "dc2") == 0) {
        struct vec2 native = frame_dc2_velocity(shot->velocity);
        good = add(object, "native",
                   json_pack("{s:f,s:f,s:i}", "vx", native.x, "vy", native.y, "spin",
                             shot->omega < 0.0 ? 1 : 0)) &&
               good;
    } else if (strcmp(rules->ice, "dc4") == 0) {
        double angle = atan2(shot->velocity.y, shot->velocity.x);
        good = add(object, "translational_velocity", json_real(vec2_length(shot->velocity))) &&
               add(object, "shot_angle", json_real(angle)) &&
               /* 0 - x: no spin is 0 and not -0. */
               add(object, "angular_velocity", json_real(0.0 - shot->omega)) && good;
    }
    return finished(object, good);
}

/* A path is looked at: tenths of a millimetre are enough. */
static double tenth_mm(double x_m)
{
    return round(x_m * 1e4) / 1e4;
}

static json_t *path_json(const struct shot_answer_candidate *candidate)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < candidate->path_points; k++)
        good = json_array_append_new(list, json_pack("[f,f]", tenth_mm(candidate->path[k].x),
                                                     tenth_mm(candidate->path[k].y))) == 0 &&
               good;
    return finished(list, good);
}

static json_t *candidate_json(const struct rules *rules, int order,
                              const struct shot_answer_candidate *candidate)
{
    json_t *object = json_object();
    bool good = add(object, "order", json_integer(order)) &&
                add(object, "shot", shot_json(rules, &candidate->shot)) &&
                add(object, "kind", json_string(candidate->kind)) &&
                add(object, "visits", json_integer(candidate->visits)) &&
                add(object, "win_probability", real_or_null(candidate->win_probability)) &&
                add(object, "expected_score", real_or_null(candidate->expected_score)) &&
                add(object, "lcb", real_or_null(candidate->lcb)) &&
                add(object, "prior", real_or_null(candidate->prior)) &&
                add(object, "success", real_or_null(candidate->success)) &&
                add(object, "path", path_json(candidate));

    return finished(object, good);
}

static json_t *candidates_json(const struct shot_answer *answer)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < answer->candidates; k++)
        good = json_array_append_new(
                   list, candidate_json(answer->rules, k, &answer->candidate[k])) == 0 &&
               good;
    return finished(list, good);
}

static json_t *value_json(const struct shot_answer *answer)
{
    json_t *object, *distribution;
    bool good = true;

    if (!answer->has_value)
        return json_null();
    distribution = json_object();
    for (int k = 0; k < SHOT_SCORES; k++) {
        char score[8];
        double p = answer->score_distribution[k];
        snprintf(score, sizeof score, "%d", k - SHOT_SCORE_ZERO);
        if (isfinite(p) && p != 0.0)
            good = add(distribution, score, json_real(p)) && good;
    }
    object = json_object();
    good = add(object, "win_probability", real_or_null(answer->win_probability)) && good;
    good = add(object, "expected_score", real_or_null(answer->expected_score)) && good;
    good = add(object, "score_distribution", distribution) && good;
    return finished(object, good);
}

json_t *shot_answer_json(const struct shot_answer *answer)
{
    json_t *object = json_object();
    bool good =
        add(object, "id", strict_id_json(&answer->id)) &&
        add(object, "is_final", json_boolean(answer->is_final)) &&
        add(object, "side", json_string(team_name(answer->team))) &&
        add(object, "shot", shot_json(answer->rules, &answer->shot)) &&
        add(object, "concede", json_boolean(answer->concede)) &&
        add(object, "stopped", answer->stopped ? json_string(answer->stopped) : json_null()) &&
        add(object, "value", value_json(answer)) &&
        add(object, "candidates", candidates_json(answer)) &&
        add(object, "simulations", json_integer(answer->simulations)) &&
        add(object, "player",
            json_pack("{s:s,s:s,s:s*}", "name", answer->player_name, "spec", answer->player_spec,
                      "weights_sha256", answer->weights_sha256)) &&
        add(object, "seed", json_integer(answer->seed)) &&
        add(object, "elapsed_ms", json_real(milliseconds(answer->elapsed_s))) &&
        add(object, "queue_ms", json_real(milliseconds(answer->queue_s)));

    return finished(object, good);
}

json_t *shot_errors_json(const struct strict_id *id, const struct strict_errors *errors)
{
    json_t *object = json_object();
    bool good = add(object, "id", strict_id_json(id)) && add(object, "is_final", json_true()) &&
                add(object, "errors", strict_errors_json(errors));

    return finished(object, good);
}

char *shot_answer_text(const json_t *answer)
{
    return json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(9));
}
