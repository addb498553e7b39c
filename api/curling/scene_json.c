/* Reads the scenes of scene_json.h; scene_answer_json.c writes answers. Unknown members are refused
 * with the path of the field. */
#include "api/curling/scene_json.h"

#include "api/base/utf8.h"
#include "api/curling/game_json.h"
#include "models/game/frame.h"
#include "models/game/position_check.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const model_names[] = {
    [SCENE_DC2] = "dc2", [SCENE_FCV1] = "fcv1", [SCENE_DC3] = "dc3", [SCENE_DC4] = "dc4", NULL};

/* Keys of the older forms. */
static const char *const model_keys[] = {
    "model", "id", "n", "before", "shot", "hammer", "trajectory", "samples", "noise", "seed",
    /* in vector files; ignored */
    "kind", "after", "collisions", "frames", "score", "sens", "fgz_foul", "box2d_241_same", NULL};

const char *scene_ice_name(const struct scene *scene)
{
    return scene->model == SCENE_STATE ? profile_of(scene->game.rules)->ice->name
                                       : model_names[scene->model];
}

/* ---- errors ---- */

void scene_error_set(struct scene_error *error, const struct strict_id *id, const char *field,
                     const char *format, ...)
{
    va_list arguments;

    error->id = *id;
    snprintf(error->field, sizeof error->field, "%s", field);
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    utf8_make_line(error->field);
    utf8_make_line(error->text);
}

/* "/before/3/x" -> "before[3].x" */
static void write_field(const char *pointer, size_t size, char *ret_field)
{
    size_t used = 0;

    *ret_field = '\0';
    while (*pointer && used < size) {
        size_t length = strcspn(++pointer, "/");
        bool is_index = length > 0 && strspn(pointer, "0123456789") == length;
        used += (size_t)snprintf(ret_field + used, size - used,
                                 is_index ? "[%.*s]"
                                 : used   ? ".%.*s"
                                          : "%.*s",
                                 (int)length, pointer);
        pointer += length;
    }
}

void scene_error_of(const struct strict_errors *errors, const struct strict_id *id,
                    struct scene_error *ret_error)
{
    char field[sizeof ret_error->field];

    write_field(errors->error[0].pointer, sizeof field, field);
    scene_error_set(ret_error, id, field, "%s", errors->error[0].message);
}

/* ---- reading ---- */

/* Entry k of "before" as a point of the shot frame; false after an error. */
static bool read_point(const struct strict_place *entry, enum scene_model model,
                       struct vec2 *ret_at)
{
    static const char *const keys[] = {"x", "y", NULL};
    double number[2];

    if (model != SCENE_DC2) {
        if (!strict_pair(entry, keys, GAME_COORDINATE_MAX_M, number))
            return false;
        *ret_at = (struct vec2){number[0], number[1]};
        return true;
    }
    if (!strict_array(entry, 2, 2))
        return false;
    for (size_t k = 0; k < 2; k++) {
        const struct strict_place part = strict_element(entry, k);
        if (!strict_number(&part, -GAME_COORDINATE_MAX_M, GAME_COORDINATE_MAX_M, &number[k]))
            return false;
    }
    *ret_at = frame_dc2_point((struct vec2){number[0], number[1]});
    return true;
}

/* Turns an entry of the line into the number of a shot. */
static int stone_of_entry(const struct scene *scene, int entry)
{
    return scene->model == SCENE_DC2 ? entry : frame_stone_of_slot(scene->team0_has_hammer, entry);
}

/* Reads the stones before shot n of the line. */
static void read_before(const struct strict_place *line, int n, struct scene *scene)
{
    const struct strict_place before = strict_member(line, "before");

    if (!strict_array(&before, POSITION_STONES, POSITION_STONES))
        return;
    for (int k = 0; k < POSITION_STONES; k++) {
        const struct strict_place entry = strict_element(&before, (size_t)k);
        struct vec2 at;

        if (json_is_null(entry.value) || !read_point(&entry, scene->model, &at))
            continue;
        if (k == n)
            strict_refuse(&entry, "value", "must be null: it is the stone to deliver");
        else if (scene->model == SCENE_DC2 && k > n)
            strict_refuse(&entry, "value", "must be null: shot %d comes after shot %d", k, n);
        else
            position_put(&scene->before, stone_of_entry(scene, k), at);
    }
}

static void read_shot(const struct strict_place *line, struct scene *scene)
{
    static const char *const keys[][4] = {{"speed", "angle", "angular_velocity", NULL},
                                          {"vx", "vy", "spin", NULL}};
    static const double most[][3] = {
        {GAME_SPEED_MAX_MPS, GAME_SHOT_ANGLE_MAX_RAD, GAME_SPIN_RATE_MAX_RADPS},
        {GAME_SPEED_MAX_MPS, GAME_SPEED_MAX_MPS, 1.0}};
    const struct strict_place shot = strict_member(line, "shot");
    bool is_dc2 = scene->model == SCENE_DC2;
    double number[3] = {0.0};
    int64_t spin = 0;

    if (!strict_object(&shot, keys[is_dc2]))
        return;
    for (int k = 0; k < 3; k++) {
        const struct strict_place part = strict_member(&shot, keys[is_dc2][k]);
        bool is_speed = !is_dc2 && k == 0;
        if (is_dc2 && k == 2)
            strict_whole(&part, 0, 1, &spin);
        else
            strict_number(&part, is_speed ? 0.0 : -most[is_dc2][k], most[is_dc2][k], &number[k]);
    }
    scene->spoken = (struct scene_shot){(float)number[0], (float)number[1],
                                        is_dc2 ? (float)spin : (float)number[2]};
    scene->shot = scene_shot_decode(scene->model, scene->spoken);
    game_shot_fits(&shot, ice_profile_find(scene_ice_name(scene)), &scene->shot);
}

/* Reads the requests for a trajectory and samples. */
static void read_wishes(const struct strict_place *document, const char *ice, struct scene *scene)
{
    static const char *const of_samples[] = {"noise", "seed"};
    const struct strict_place samples = strict_member(document, "samples");
    int64_t count = 0;

    strict_optional_number(document, "trajectory", SCENE_INTERVAL_LEAST_S, SCENE_INTERVAL_MOST_S,
                           &scene->interval_s);
    strict_optional_whole(document, "samples", 1, SCENE_SAMPLES_MAX, &count);
    scene->samples = (int)count;
    for (size_t k = 0; k < sizeof of_samples / sizeof *of_samples; k++) {
        const struct strict_place wish = strict_member(document, of_samples[k]);
        if (strict_is_missing(&samples) && !strict_is_missing(&wish))
            strict_refuse(&wish, "not_applicable", "needs samples");
    }
    shot_noise_decode(document, ice, &scene->noise);
    scene->seed = -1;
    strict_optional_whole(document, "seed", 0, INT64_MAX, &scene->seed);
}

/* ---- a state of Digital Curling ---- */

bool scene_state_decode(json_t *document, struct scene *ret_scene, struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"id",         "profile", "state", "setting", "shot",
                                       "trajectory", "samples", "noise", "seed",    NULL};
    struct scene scene = {.model = SCENE_STATE};

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return false;
    const struct strict_place id = strict_member(&root, "id");
    if (!strict_is_missing(&id))
        strict_read_id(&id, &scene.id);
    game_decode(&root, &scene.game);
    const struct rules *rules = scene.game.rules;
    struct shot shot;
    if (rules && game_shot_decode(&root, rules, &shot)) {
        scene.spoken = scene_shot_encode(SCENE_STATE, shot);
        scene.shot = scene_shot_decode(SCENE_STATE, scene.spoken);
    }
    read_wishes(&root, rules ? rules->name : NULL, &scene);
    if (scene.samples > 0 && scene.seed < 0)
        scene.seed = 0; /* not the id: equal requests get equal answers */
    scene.team0_has_hammer = game_team0_has_hammer(&scene.game);
    scene.stone = scene.game.shot;
    scene.before = scene.game.position;
    if (ret_errors->count > 0)
        return false;
    *ret_scene = scene;
    return true;
}

/* ---- a line ---- */

/* Reads the older forms, with "model". */
static void read_model_line(const struct strict_place *line, struct scene *scene)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    const struct strict_place model_place = strict_member(line, "model");
    const struct strict_place hammer_place = strict_member(line, "hammer");
    const struct strict_place n_place = strict_member(line, "n");
    int model, hammer = 1;
    int64_t n = POSITION_STONES - 1;

    strict_object(line, model_keys);
    if (!strict_choice(&model_place, model_names, &model))
        return;
    scene->model = (enum scene_model)model;
    if (!strict_is_missing(&hammer_place) && strict_choice(&hammer_place, teams, &hammer) &&
        hammer == 0 && scene->model == SCENE_DC2)
        strict_refuse(&hammer_place, "value", "must be team1 in dc2, where team0 throws first");
    scene->team0_has_hammer = hammer == 0;
    strict_whole(&n_place, 0, POSITION_STONES - 1, &n);
    read_before(line, (int)n, scene);
    read_shot(line, scene);
    read_wishes(line, model_names[scene->model], scene);
    scene->stone = stone_of_entry(scene, (int)n);
}

/* Reads a line, its id first, so that every other error can carry it. */
static void read_object(const struct strict_place *line, struct scene *scene)
{
    const struct strict_place id_place = strict_member(line, "id");
    bool is_state =
        json_object_get(line->value, "state") || json_object_get(line->value, "profile");

    if (!(is_state && strict_is_missing(&id_place)) && !strict_read_id(&id_place, &scene->id))
        return;
    if (is_state)
        scene_state_decode(line->value, scene, line->errors);
    else
        read_model_line(line, scene);
}

enum scene_status scene_read(const char *line, size_t length, struct scene *ret_scene,
                             struct scene_error *ret_error)
{
    struct strict_errors errors = {.count = 0};
    struct scene scene = {.stone = 0};
    json_t *document = strict_parse(line, length, SCENE_LINE_MAX, SCENE_DEPTH_MAX, &errors);
    const struct strict_place root = strict_root(document, &errors);
    enum scene_status status = json_is_object(document) ? SCENE_BAD_FIELD : SCENE_BAD_LINE;

    if (json_is_object(document))
        read_object(&root, &scene);
    else if (document)
        strict_refuse(&root, "type", "is %s, must be an object", strict_type_name(document));
    else if (strcmp(errors.error[0].code, "no_memory") == 0)
        status = SCENE_NO_MEMORY;
    json_decref(document);
    if (errors.count > 0) {
        scene_error_of(&errors, &scene.id, ret_error);
        return status;
    }
    *ret_scene = scene;
    return SCENE_OK;
}

enum scene_status scene_check(const struct scene *scene, const struct rules *rules,
                              struct scene_error *ret_error)
{
    static const char *const dc2_part[] = {"[0]", "[1]"}, *const fcv1_part[] = {".x", ".y"};
    const char *const *part = scene->model == SCENE_DC2 ? dc2_part : fcv1_part;
    struct position_fault fault;
    char field[64];

    /* Checks the stones as after the last shot, so any stone may be in play. */
    if (position_check(rules, &scene->before, rules->shots, &fault) == POSITION_OK)
        return SCENE_OK;
    bool is_x = fault.field && strcmp(fault.field, "position.x") == 0;
    bool is_y = fault.field && strcmp(fault.field, "position.y") == 0;
    snprintf(field, sizeof field, "before[%d]%s", scene_entry_of_stone(scene, fault.stone),
             is_x   ? part[0]
             : is_y ? part[1]
                    : "");
    if (fault.error == POSITION_OVERLAP)
        scene_error_set(ret_error, &scene->id, field, "overlaps before[%d]",
                        scene_entry_of_stone(scene, fault.other));
    else
        scene_error_set(ret_error, &scene->id, field, "%s", position_error_text(fault.error));
    return SCENE_BAD_FIELD;
}

/* ---- shots ---- */

struct shot scene_shot_decode(enum scene_model model, struct scene_shot spoken)
{
    if (model == SCENE_DC2) {
        struct vec2 velocity = {(double)spoken.first, (double)spoken.second};
        return (struct shot){frame_dc2_velocity(velocity),
                             spoken.spin == 0.0f ? SHOT_TURN_DC2_RADPS : -SHOT_TURN_DC2_RADPS};
    }
    if (model == SCENE_STATE)
        return (struct shot){{(double)spoken.first, (double)spoken.second}, (double)spoken.spin};
    float x = spoken.first * cosf(spoken.second);
    float y = spoken.first * sinf(spoken.second);
    return (struct shot){{(double)x, (double)y}, (double)spoken.spin};
}

struct scene_shot scene_shot_encode(enum scene_model model, struct shot shot)
{
    if (model == SCENE_DC2) {
        struct vec2 velocity = frame_dc2_velocity(shot.velocity);
        return (struct scene_shot){(float)velocity.x, (float)velocity.y,
                                   shot.omega < 0.0 ? 1.0f : 0.0f};
    }
    if (model == SCENE_STATE)
        return (struct scene_shot){(float)shot.velocity.x, (float)shot.velocity.y,
                                   (float)shot.omega};
    return (struct scene_shot){(float)vec2_length(shot.velocity),
                               (float)atan2(shot.velocity.y, shot.velocity.x), (float)shot.omega};
}
