/* Reads the scenes of scene_json.h; scene_answer_json.c writes answers. Unknown members are refused
 * with the path of the field. */
#include "api/scene_json.h"

#include "api/game_json.h"
#include "models/game/frame.h"
#include "models/game/position_check.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers are refused as mistakes. Callers check what a stone can do on its ice. */
#define COORDINATE_MAX_M    100.0
#define SPEED_MAX_MPS       1000.0
#define ANGLE_MAX_RAD       6.283186 /* one turn, in float32 */
#define SPIN_RATE_MAX_RADPS 1000.0

static const char *const model_names[] = {
    [SCENE_DC2] = "dc2", [SCENE_FCV1] = "fcv1", [SCENE_DC3] = "dc3", [SCENE_DC4] = "dc4"};

enum { MODELS = sizeof model_names / sizeof model_names[0] };

/* Members of the vector files that are accepted and ignored. */
static const char *const ignored_keys[] = {"kind",  "after", "collisions", "frames",
                                           "score", "sens",  "fgz_foul",   "box2d_241_same"};
/* Members that are read. */
static const char *const scene_keys[] = {"model",  "id",         "n",       "before", "shot",
                                         "hammer", "trajectory", "samples", "noise",  "seed"};
static const char *const dc2_shot_keys[] = {"vx", "vy", "spin"};
static const char *const fcv1_shot_keys[] = {"speed", "angle", "angular_velocity"};
static const char *const point_keys[] = {"x", "y"};

const char *scene_model_name(enum scene_model model)
{
    return model_names[model];
}

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
    strict_make_ascii(error->field);
    strict_make_ascii(error->text);
}

/* The line being read: where errors go, and its id once it is known. */
struct reader {
    struct strict_id id;
    struct scene_error *error;
};

#define REFUSE(reader, field, ...) \
    (scene_error_set((reader)->error, &(reader)->id, (field), __VA_ARGS__), SCENE_BAD_FIELD)

static enum scene_status refuse_type(struct reader *reader, const char *field, const char *wanted,
                                     const json_t *value)
{
    if (!value)
        return REFUSE(reader, field, "missing");
    return REFUSE(reader, field, "is %s, must be %s", strict_type_name(value), wanted);
}

/* ---- reading ---- */

static bool is_listed(const char *key, const char *const *keys, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(key, keys[k]) == 0)
            return true;
    return false;
}

/* Refuses keys that are in neither list. `prefix` comes before the key in the field's path. */
static enum scene_status check_keys(struct reader *reader, const char *prefix, json_t *object,
                                    const char *const *keys, size_t count)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        char field[64];

        if (is_listed(key, keys, count))
            continue;
        if (!*prefix && is_listed(key, ignored_keys, sizeof ignored_keys / sizeof *ignored_keys))
            continue;
        snprintf(field, sizeof field, "%s%s", prefix, key);
        return REFUSE(reader, field, "unknown key");
    }
    return SCENE_OK;
}

static enum scene_status read_number(struct reader *reader, const char *field, const json_t *value,
                                     double least, double most, double *ret_number)
{
    if (!json_is_number(value))
        return refuse_type(reader, field, "a number", value);
    double number = json_number_value(value);
    if (!isfinite(number))
        return REFUSE(reader, field, "not finite");
    if (number < least || number > most)
        return REFUSE(reader, field, "out of range: %g is not in %g..%g", number, least, most);
    *ret_number = number;
    return SCENE_OK;
}

static enum scene_status read_integer(struct reader *reader, const char *field, const json_t *value,
                                      int least, int most, int *ret_number)
{
    if (!json_is_integer(value))
        return refuse_type(reader, field, "a whole number", value);
    json_int_t number = json_integer_value(value);
    if (number < least || number > most)
        return REFUSE(reader, field, "out of range: %lld is not in %d..%d", (long long)number,
                      least, most);
    *ret_number = (int)number;
    return SCENE_OK;
}

static enum scene_status read_id(struct reader *reader, const json_t *value,
                                 struct strict_id *ret_id)
{
    struct strict_id id = {.kind = STRICT_ID_NONE};

    if (json_is_integer(value)) {
        id.kind = STRICT_ID_NUMBER;
        id.number = json_integer_value(value);
    } else if (json_is_string(value)) {
        size_t length = json_string_length(value);
        if (length > STRICT_ID_MAX)
            return REFUSE(reader, "id", "longer than %d bytes", STRICT_ID_MAX);
        id.kind = STRICT_ID_TEXT;
        memcpy(id.text, json_string_value(value), length + 1);
    } else {
        return refuse_type(reader, "id", "a whole number or a string", value);
    }
    *ret_id = id;
    return SCENE_OK;
}

static enum scene_status read_model(struct reader *reader, const json_t *value,
                                    enum scene_model *ret_model)
{
    if (!json_is_string(value))
        return refuse_type(reader, "model", "a string", value);
    for (int k = 0; k < MODELS; k++) {
        if (strcmp(json_string_value(value), model_names[k]) == 0) {
            *ret_model = (enum scene_model)k;
            return SCENE_OK;
        }
    }
    return REFUSE(reader, "model", "unknown: must be dc2, fcv1, dc3 or dc4");
}

static enum scene_status read_hammer(struct reader *reader, const json_t *value,
                                     enum scene_model model, bool *ret_team0_has_hammer)
{
    bool team0 = false;

    if (value) {
        if (!json_is_string(value))
            return refuse_type(reader, "hammer", "a string", value);
        team0 = strcmp(json_string_value(value), "team0") == 0;
        if (!team0 && strcmp(json_string_value(value), "team1") != 0)
            return REFUSE(reader, "hammer", "must be team0 or team1");
        if (team0 && model == SCENE_DC2)
            return REFUSE(reader, "hammer", "must be team1 in dc2, where team0 throws first");
    }
    *ret_team0_has_hammer = team0;
    return SCENE_OK;
}

/* Entry k of "before" as a point of the shot frame. */
static enum scene_status read_point(struct reader *reader, enum scene_model model, size_t k,
                                    json_t *value, struct vec2 *ret_at)
{
    const json_t *part[2];
    char field[2][64], name[32];
    double number[2] = {0.0, 0.0};

    snprintf(name, sizeof name, "before[%zu]", k);
    if (model == SCENE_DC2) {
        if (!json_is_array(value))
            return refuse_type(reader, name, "null or [x,y]", value);
        if (json_array_size(value) != 2)
            return REFUSE(reader, name, "has %zu entries, must be [x,y]", json_array_size(value));
        for (size_t c = 0; c < 2; c++) {
            part[c] = json_array_get(value, c);
            snprintf(field[c], sizeof field[c], "%s[%zu]", name, c);
        }
    } else {
        if (!json_is_object(value))
            return refuse_type(reader, name, "null or {\"x\",\"y\"}", value);
        char prefix[34];
        snprintf(prefix, sizeof prefix, "%s.", name);
        enum scene_status status = check_keys(reader, prefix, value, point_keys, 2);
        if (status != SCENE_OK)
            return status;
        for (size_t c = 0; c < 2; c++) {
            part[c] = json_object_get(value, point_keys[c]);
            snprintf(field[c], sizeof field[c], "%s.%s", name, point_keys[c]);
        }
    }
    for (int c = 0; c < 2; c++) {
        enum scene_status status =
            read_number(reader, field[c], part[c], -COORDINATE_MAX_M, COORDINATE_MAX_M, &number[c]);
        if (status != SCENE_OK)
            return status;
    }
    struct vec2 at = {number[0], number[1]};
    *ret_at = model == SCENE_DC2 ? frame_dc2_point(at) : at;
    return SCENE_OK;
}

/* Turns an entry of the line into the number of a shot. */
static int stone_of_entry(const struct scene *scene, int entry)
{
    return scene->model == SCENE_DC2 ? entry : frame_stone_of_slot(scene->team0_has_hammer, entry);
}

static enum scene_status read_before(struct reader *reader, json_t *value, int n,
                                     struct scene *scene)
{
    if (!json_is_array(value))
        return refuse_type(reader, "before", "an array", value);
    if (json_array_size(value) != POSITION_STONES)
        return REFUSE(reader, "before", "has %zu entries, must have 16", json_array_size(value));
    for (size_t k = 0; k < POSITION_STONES; k++) {
        json_t *entry = json_array_get(value, k);
        char field[32];
        struct vec2 at = {0.0, 0.0};

        if (json_is_null(entry))
            continue;
        enum scene_status status = read_point(reader, scene->model, k, entry, &at);
        if (status != SCENE_OK)
            return status;
        snprintf(field, sizeof field, "before[%zu]", k);
        if ((int)k == n)
            return REFUSE(reader, field, "must be null: it is the stone to deliver");
        if (scene->model == SCENE_DC2 && (int)k > n)
            return REFUSE(reader, field, "must be null: shot %zu comes after shot %d", k, n);
        position_put(&scene->before, stone_of_entry(scene, (int)k), at);
    }
    return SCENE_OK;
}

static enum scene_status read_shot(struct reader *reader, json_t *value, enum scene_model model,
                                   struct scene_shot *ret_spoken)
{
    const char *const *keys = model == SCENE_DC2 ? dc2_shot_keys : fcv1_shot_keys;
    double number[3] = {0.0, 0.0, 0.0};
    enum scene_status status;

    if (!json_is_object(value))
        return refuse_type(reader, "shot", "an object", value);
    status = check_keys(reader, "shot.", value, keys, 3);
    for (int k = 0; k < 3 && status == SCENE_OK; k++) {
        const json_t *part = json_object_get(value, keys[k]);
        char field[32];
        int spin;

        snprintf(field, sizeof field, "shot.%s", keys[k]);
        if (model == SCENE_DC2 && k == 2) {
            status = read_integer(reader, field, part, 0, 1, &spin);
            if (status == SCENE_OK)
                number[k] = spin;
        } else if (model == SCENE_DC2) {
            status = read_number(reader, field, part, -SPEED_MAX_MPS, SPEED_MAX_MPS, &number[k]);
        } else {
            static const double least[] = {0.0, -ANGLE_MAX_RAD, -SPIN_RATE_MAX_RADPS};
            static const double most[] = {SPEED_MAX_MPS, ANGLE_MAX_RAD, SPIN_RATE_MAX_RADPS};
            status = read_number(reader, field, part, least[k], most[k], &number[k]);
        }
    }
    if (status == SCENE_OK)
        *ret_spoken = (struct scene_shot){(float)number[0], (float)number[1], (float)number[2]};
    return status;
}

/* The first of the errors; "/noise/max_speed" -> "noise.max_speed". */
static enum scene_status refuse_first(struct reader *reader, const struct strict_errors *errors)
{
    const struct strict_error *first = &errors->error[0];
    char field[sizeof reader->error->field];

    snprintf(field, sizeof field, "%.63s", first->pointer[0] == '/' ? first->pointer + 1 : "");
    for (char *c = field; *c; c++)
        if (*c == '/')
            *c = '.';
    return REFUSE(reader, field, "%.150s", first->message);
}

/* Reads what is asked for besides the throw. */
static void read_wishes(const struct strict_place *document, const char *ice, struct scene *scene)
{
    static const char *const of_samples[] = {"noise", "seed"};
    const struct strict_place interval = strict_member(document, "trajectory");
    const struct strict_place samples = strict_member(document, "samples");
    const struct strict_place seed = strict_member(document, "seed");
    int64_t count = 0;

    if (!strict_is_missing(&interval))
        strict_number(&interval, SCENE_INTERVAL_LEAST_S, SCENE_INTERVAL_MOST_S, &scene->interval_s);
    if (!strict_is_missing(&samples))
        strict_whole(&samples, 1, SCENE_SAMPLES_MAX, &count);
    scene->samples = (int)count;
    for (size_t k = 0; k < sizeof of_samples / sizeof *of_samples; k++) {
        const struct strict_place wish = strict_member(document, of_samples[k]);
        if (strict_is_missing(&samples) && !strict_is_missing(&wish))
            strict_refuse(&wish, "not_applicable", "needs samples");
    }
    shot_noise_decode(document, ice, &scene->noise);
    scene->seed = -1;
    if (!strict_is_missing(&seed))
        strict_whole(&seed, 0, INT64_MAX, &scene->seed);
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
        scene.seed = 0; /* the same request gives the same answer, whatever its id */
    scene.team0_has_hammer = game_team0_has_hammer(&scene.game);
    scene.stone = scene.game.shot;
    scene.before = scene.game.position;
    if (ret_errors->count > 0)
        return false;
    *ret_scene = scene;
    return true;
}

static enum scene_status read_state(struct reader *reader, json_t *root, struct scene *ret_scene)
{
    struct strict_errors errors;

    return scene_state_decode(root, ret_scene, &errors) ? SCENE_OK : refuse_first(reader, &errors);
}

/* ---- a line ---- */

static enum scene_status read_object(struct reader *reader, json_t *root, struct scene *ret_scene)
{
    struct scene scene = {0};
    struct strict_errors errors = {.count = 0};
    const struct strict_place document = strict_root(root, &errors);
    enum scene_status status;
    int n = 0;

    bool is_state = json_object_get(root, "state") || json_object_get(root, "profile");
    const json_t *id = json_object_get(root, "id");
    /* Reads the id first, so that every other error can carry it. */
    if (!is_state || id) {
        status = read_id(reader, id, &scene.id);
        if (status != SCENE_OK)
            return status;
        reader->id = scene.id;
    }
    if (is_state)
        return read_state(reader, root, ret_scene);

    if ((status = check_keys(reader, "", root, scene_keys,
                             sizeof scene_keys / sizeof *scene_keys)) != SCENE_OK ||
        (status = read_model(reader, json_object_get(root, "model"), &scene.model)) != SCENE_OK ||
        (status = read_hammer(reader, json_object_get(root, "hammer"), scene.model,
                              &scene.team0_has_hammer)) != SCENE_OK ||
        (status = read_integer(reader, "n", json_object_get(root, "n"), 0, POSITION_STONES - 1,
                               &n)) != SCENE_OK ||
        (status = read_before(reader, json_object_get(root, "before"), n, &scene)) != SCENE_OK ||
        (status = read_shot(reader, json_object_get(root, "shot"), scene.model, &scene.spoken)) !=
            SCENE_OK)
        return status;
    read_wishes(&document, scene_model_name(scene.model), &scene);
    if (errors.count > 0)
        return refuse_first(reader, &errors);
    scene.stone = stone_of_entry(&scene, n);
    scene.shot = scene_shot_decode(scene.model, scene.spoken);
    *ret_scene = scene;
    return SCENE_OK;
}

/* An error about the line as a whole. */
#define REFUSE_LINE(reader, ...) scene_error_set((reader)->error, &(reader)->id, "", __VA_ARGS__)

enum scene_status scene_read(const char *line, size_t length, struct scene *ret_scene,
                             struct scene_error *ret_error)
{
    struct reader reader = {.error = ret_error};
    json_error_t at;

    if (length > SCENE_LINE_MAX) {
        REFUSE_LINE(&reader, "the line is longer than %d bytes", SCENE_LINE_MAX);
        return SCENE_BAD_LINE;
    }
    if (strict_depth(line, length) > SCENE_DEPTH_MAX) {
        REFUSE_LINE(&reader, "nested deeper than %d levels", SCENE_DEPTH_MAX);
        return SCENE_BAD_LINE;
    }
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    if (!root) {
        bool no_memory = json_error_code(&at) == json_error_out_of_memory;
        REFUSE_LINE(&reader, "not JSON at byte %d: %s", at.position, at.text);
        return no_memory ? SCENE_NO_MEMORY : SCENE_BAD_LINE;
    }
    enum scene_status status = SCENE_BAD_LINE;
    if (json_is_object(root))
        status = read_object(&reader, root, ret_scene);
    else
        REFUSE_LINE(&reader, "is %s, must be an object", strict_type_name(root));
    json_decref(root);
    return status;
}

enum scene_status scene_check(const struct scene *scene, const struct rules *rules,
                              struct scene_error *ret_error)
{
    static const char *const dc2_part[] = {"[0]", "[1]"}, *const fcv1_part[] = {".x", ".y"};
    const char *const *part = scene->model == SCENE_DC2 ? dc2_part : fcv1_part;
    struct position_fault fault;
    char field[64];

    /* Checks the stones as after the last shot: which stones can have been thrown does not matter
     * here. */
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
