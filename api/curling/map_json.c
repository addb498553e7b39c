/* Reads maps and calls, and writes their answers. See map_json.h. */
#include "api/curling/map_json.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "api/fields/job_field_rows.h"

#include <math.h>
#include <stdio.h>

const char *const aim_weight_names[] = {
    [AIM_DRAW] = "draw", [AIM_HIT] = "hit", [AIM_HARD] = "hard", NULL};

/* ---- reading ---- */

enum { COLUMNS, ROWS, LINES, THROWS };

const struct field map_fields[] = {
    [COLUMNS] = WHOLE("columns", 8, 128, 32, "squares from left to right, for draws"),
    [ROWS] = WHOLE("rows", 8, 128, 32, "squares from the thrower on"),
    [LINES] = WHOLE("lines", 16, 512, 96, "lines from left to right, for hits"),
    [THROWS] = WHOLE("throws", 8, 1024, 32, "throws of each aim, with errors of the hand"),
    {0}};

const struct field call_throws = CALL_THROWS;

static int read_whole(const struct strict_place *object, const struct field *field)
{
    int64_t number = field->whole.initial;

    strict_optional_whole(object, field->name, field->whole.least, field->whole.most, &number);
    return (int)number;
}

void map_setting_decode(const struct strict_place *document, struct map_setting *ret_setting)
{
    const char *const keys[] = {map_fields[COLUMNS].name, map_fields[ROWS].name,
                                map_fields[LINES].name, map_fields[THROWS].name, NULL};
    const struct strict_place map = strict_member(document, "map");

    if (!strict_object(&map, keys))
        return;
    *ret_setting = (struct map_setting){.columns = read_whole(&map, &map_fields[COLUMNS]),
                                        .rows = read_whole(&map, &map_fields[ROWS]),
                                        .lines = read_whole(&map, &map_fields[LINES]),
                                        .throws = read_whole(&map, &map_fields[THROWS])};
}

static void read_aim(const struct strict_place *place, struct call *ret_call)
{
    static const char *const pair[] = {"x", "y", NULL};
    static const char *const turns[] = {"ccw", "cw", NULL};
    const struct strict_place aim = strict_member(place, "aim");
    const struct strict_place weight = strict_member(place, "weight");
    const struct strict_place rotation = strict_member(place, "rotation");
    double at[2] = {0.0, 0.0};
    int choice = AIM_DRAW;

    strict_pair(&aim, pair, GAME_COORDINATE_MAX_M, at);
    if (!strict_is_missing(&weight))
        strict_choice(&weight, aim_weight_names, &choice);
    ret_call->aim = (struct vec2){at[0], at[1]};
    ret_call->weight = (enum aim_weight)choice;
    if (strict_choice(&rotation, turns, &choice))
        ret_call->clockwise = choice == 1;
}

static void read_call(const struct strict_place *place, const struct rules *rules,
                      struct call *ret_call)
{
    static const char *const shot_keys[] = {"shot", NULL};
    static const char *const aim_keys[] = {"aim", "weight", "rotation", NULL};

    ret_call->has_shot = json_object_get(place->value, "shot") != NULL;
    if (!strict_object(place, ret_call->has_shot ? shot_keys : aim_keys))
        return;
    if (!ret_call->has_shot)
        read_aim(place, ret_call);
    else if (rules)
        game_shot_decode(place, rules, &ret_call->shot);
}

int calls_decode(const struct strict_place *document, const struct rules *rules,
                 struct call ret_calls[CALLS_MAX], int *ret_throws)
{
    const struct strict_place list = strict_member(document, "calls");
    int count;

    *ret_throws = read_whole(document, &call_throws);
    if (!strict_array(&list, 1, CALLS_MAX))
        return 0;
    count = (int)json_array_size(list.value);
    for (int k = 0; k < count; k++) {
        const struct strict_place place = strict_element(&list, (size_t)k);
        ret_calls[k] = (struct call){.has_shot = false};
        read_call(&place, rules, &ret_calls[k]);
    }
    return count;
}

/* ---- writing ---- */

/* 95 % of a normal distribution lie within so many standard deviations. */
#define DEVIATIONS 1.96

/* Numbers that are only drawn. */
static double rounded(double x, double unit)
{
    return round(x / unit) * unit;
}

static json_t *cells_json(const float *cell, int count, double unit)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < count; k++)
        good = build_append(list, build_real(rounded((double)cell[k], unit))) && good;
    return build_done(list, good);
}

static json_t *layer_json(const struct map_layer *layer)
{
    int count = layer->columns * layer->rows;

    return json_pack(
        "{s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "weight", aim_weight_names[layer->weight],
        "rotation", layer->clockwise ? "cw" : "ccw", "columns", layer->columns, "rows", layer->rows,
        "win_probability", cells_json(layer->win, count, 1e-4), "expected_score",
        cells_json(layer->points, count, 1e-3), "hand_costs", cells_json(layer->cost, count, 1e-4));
}

static json_t *layers_json(const struct map_answer *answer)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < answer->layers; k++)
        good = build_append(list, layer_json(&answer->layer[k])) && good;
    return build_done(list, good);
}

static json_t *interval_json(double mean, double error)
{
    double half = DEVIATIONS * error;
    return json_pack("[f, f]", mean - half, mean + half);
}

static json_t *places_json(const struct vec2 *place, int count)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < count; k++)
        good = build_append(list, json_pack("[f, f]", rounded(place[k].x, 1e-4),
                                            rounded(place[k].y, 1e-4))) &&
               good;
    return build_done(list, good);
}

static json_t *distribution_json(const double *p)
{
    enum { SCORES = 17, ZERO = 8 };
    json_t *object = json_object();
    bool good = object != NULL;

    for (int k = 0; k < SCORES; k++) {
        char score[8];
        snprintf(score, sizeof score, "%d", k - ZERO);
        if (p[k] > 0.0)
            good = build_add(object, score, json_real(p[k])) && good;
    }
    return build_done(object, good);
}

static json_t *deviations_json(const double *value)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < CALL_DEVIATIONS; k++)
        good = build_append(list, json_real(rounded(value[k], 1e-5))) && good;
    return build_done(list, good);
}

/* What only calls have. */
static bool add_details(json_t *object, const struct valued_shot *shot)
{
    if (!shot->ends)
        return true;
    return build_add(object, "ends", places_json(shot->ends, shot->ends_count)) &&
           build_add(object, "by_error",
                     json_pack("{s:o, s:o}", "line", deviations_json(shot->line), "weight",
                               deviations_json(shot->weights)));
}

static json_t *valued_json(const struct rules *rules, const struct valued_shot *shot)
{
    const struct valued_mean *less = &shot->win_less, *points_less = &shot->points_less;
    json_t *object = json_pack(
        "{s:o, s:s, s:s?, s:f, s:o, s:f, s:o, s:f, s:o, s:f, s:o}", "shot",
        game_shot_json(rules, &shot->shot), "kind", shot->kind, "weight", shot->weight,
        "win_probability", shot->win.mean, "win_probability_interval",
        interval_json(shot->win.mean, shot->win.error), "expected_score", shot->points.mean,
        "expected_score_interval", interval_json(shot->points.mean, shot->points.error),
        "win_difference", 0.0 - less->mean, "win_difference_interval",
        interval_json(0.0 - less->mean, less->error), "score_difference", 0.0 - points_less->mean,
        "score_difference_interval", interval_json(0.0 - points_less->mean, points_less->error));
    bool good =
        object &&
        build_add(object, "hand_costs",
                  json_pack("{s:f, s:f}", "win_probability", shot->win_cost, "expected_score",
                            shot->points_cost)) &&
        build_add(object, "score_distribution", distribution_json(shot->score_distribution)) &&
        build_add(object, "path", places_json(shot->path, shot->path_points)) &&
        add_details(object, shot);
    return build_done(object, good);
}

static json_t *all_valued_json(const struct map_answer *answer)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < answer->best_count; k++)
        good = build_append(list, valued_json(answer->rules, &answer->best[k])) && good;
    return build_done(list, good);
}

static double milliseconds(double time_s)
{
    return round(time_s * 1e6) / 1e3;
}

json_t *map_answer_json(const struct map_answer *answer)
{
    bool is_map = answer->layers > 0;
    json_t *object = json_pack("{s:o, s:b, s:s, s:s?, s:i}", "id", strict_id_json(answer->id),
                               "is_final", answer->is_final, "side", game_team_name(answer->team),
                               "stopped", answer->stopped, "throws", answer->throws);
    bool good = object != NULL;

    if (is_map) {
        json_t *area = json_pack("{s:[f, f], s:[f, f]}", "x", answer->low.x, answer->high.x, "y",
                                 answer->low.y, answer->high.y);
        good = build_add(object, "area", area) && good;
        good = build_add(object, "layers", layers_json(answer)) && good;
    }
    good = build_add(object, is_map ? "best" : "calls", all_valued_json(answer)) && good;
    json_t *rest =
        json_pack("{s:I, s:{s:s, s:s}, s:I, s:f, s:f}", "simulations",
                  (json_int_t)answer->simulations, "player", "name", answer->player_name, "spec",
                  answer->player_spec, "seed", (json_int_t)answer->seed, "elapsed_ms",
                  milliseconds(answer->elapsed_s), "queue_ms", milliseconds(answer->queue_s));
    good = rest && json_object_update(object, rest) == 0 && good;
    json_decref(rest);
    return build_done(object, good);
}
