/* Reading and writing the scene lines of scene_json.h. Strict: what is not understood is refused,
 * with the path of the field. */
#include "api/scene_json.h"

#include "models/game/frame.h"
#include "models/game/position_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers are mistakes. What a stone can do on its ice is checked by those who know. */
#define COORDINATE_MAX_M    100.0
#define SPEED_MAX_MPS       1000.0
#define ANGLE_MAX_RAD       6.283186 /* one turn, in float32 */
#define SPIN_RATE_MAX_RADPS 1000.0
#define DC2_SPIN_RATE_RADPS ((double)0.066696f)

static const char *const model_names[] = {
    [SCENE_DC2] = "dc2", [SCENE_FCV1] = "fcv1", [SCENE_DC3] = "dc3", [SCENE_DC4] = "dc4"};

enum { MODELS = sizeof model_names / sizeof model_names[0] };

/* Results and remarks that the vector files carry. */
static const char *const ignored_keys[] = {"kind",  "after", "collisions", "frames",
                                           "score", "sens",  "fgz_foul",   "box2d_241_same"};
/* What is read. */
static const char *const scene_keys[] = {"model",  "id",         "n",       "before", "shot",
                                         "hammer", "trajectory", "samples", "noise",  "seed"};
static const char *const dc2_shot_keys[] = {"vx", "vy", "spin"};
static const char *const fcv1_shot_keys[] = {"speed", "angle", "angular_velocity"};
static const char *const point_keys[] = {"x", "y"};

const char *scene_model_name(enum scene_model model)
{
    return model_names[model];
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

/* The line being read: where errors go, and the id that they carry once it is known. */
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

/* Entry of the line -> number of the shot, and back. */
static int stone_of_entry(const struct scene *scene, int entry)
{
    return scene->model == SCENE_DC2 ? entry : frame_stone_of_slot(scene->team0_has_hammer, entry);
}

static int entry_of_stone(const struct scene *scene, int stone)
{
    return scene->model == SCENE_DC2 ? stone : frame_slot_of_stone(scene->team0_has_hammer, stone);
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

/* The first of the mistakes; "/noise/max_speed" -> "noise.max_speed". */
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

/* What is asked for besides the throw. */
static enum scene_status read_wishes(struct reader *reader, json_t *root, struct scene *scene)
{
    static const char *const of_samples[] = {"noise", "seed"};
    struct strict_errors errors = {.count = 0};
    const struct strict_place document = strict_root(root, &errors);
    const struct strict_place seed = strict_member(&document, "seed");
    const json_t *interval = json_object_get(root, "trajectory");
    const json_t *samples = json_object_get(root, "samples");
    enum scene_status status = SCENE_OK;

    if (interval)
        status = read_number(reader, "trajectory", interval, SCENE_INTERVAL_LEAST_S,
                             SCENE_INTERVAL_MOST_S, &scene->interval_s);
    if (status == SCENE_OK && samples)
        status = read_integer(reader, "samples", samples, 1, SCENE_SAMPLES_MAX, &scene->samples);
    if (status != SCENE_OK)
        return status;
    for (size_t k = 0; k < sizeof of_samples / sizeof *of_samples && !samples; k++)
        if (json_object_get(root, of_samples[k]))
            return REFUSE(reader, of_samples[k], "says nothing without samples");
    shot_noise_decode(&document, scene_model_name(scene->model), &scene->noise);
    scene->seed = -1;
    if (!strict_is_missing(&seed))
        strict_whole(&seed, 0, INT64_MAX, &scene->seed);
    return errors.count > 0 ? refuse_first(reader, &errors) : SCENE_OK;
}

static enum scene_status read_object(struct reader *reader, json_t *root, struct scene *ret_scene)
{
    struct scene scene = {0};
    enum scene_status status;
    int n = 0;

    /* The id first: every other error can then carry it. */
    status = read_id(reader, json_object_get(root, "id"), &scene.id);
    if (status != SCENE_OK)
        return status;
    reader->id = scene.id;

    if ((status = check_keys(reader, "", root, scene_keys,
                             sizeof scene_keys / sizeof *scene_keys)) != SCENE_OK ||
        (status = read_model(reader, json_object_get(root, "model"), &scene.model)) != SCENE_OK ||
        (status = read_hammer(reader, json_object_get(root, "hammer"), scene.model,
                              &scene.team0_has_hammer)) != SCENE_OK ||
        (status = read_integer(reader, "n", json_object_get(root, "n"), 0, POSITION_STONES - 1,
                               &n)) != SCENE_OK ||
        (status = read_before(reader, json_object_get(root, "before"), n, &scene)) != SCENE_OK ||
        (status = read_shot(reader, json_object_get(root, "shot"), scene.model, &scene.spoken)) !=
            SCENE_OK ||
        (status = read_wishes(reader, root, &scene)) != SCENE_OK)
        return status;
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

    /* As before the shot after the last: which stones can have been thrown by now is not asked. */
    if (position_check(rules, &scene->before, rules->shots, &fault) == POSITION_OK)
        return SCENE_OK;
    bool is_x = fault.field && strcmp(fault.field, "position.x") == 0;
    bool is_y = fault.field && strcmp(fault.field, "position.y") == 0;
    snprintf(field, sizeof field, "before[%d]%s", entry_of_stone(scene, fault.stone),
             is_x   ? part[0]
             : is_y ? part[1]
                    : "");
    if (fault.error == POSITION_OVERLAP)
        scene_error_set(ret_error, &scene->id, field, "overlaps before[%d]",
                        entry_of_stone(scene, fault.other));
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
                             spoken.spin == 0.0f ? DC2_SPIN_RATE_RADPS : -DC2_SPIN_RATE_RADPS};
    }
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
    return (struct scene_shot){(float)vec2_length(shot.velocity),
                               (float)atan2(shot.velocity.y, shot.velocity.x), (float)shot.omega};
}

/* ---- writing ---- */

static json_t *spoken_json(enum scene_model model, struct scene_shot spoken)
{
    if (model == SCENE_DC2)
        return json_pack("{s:f,s:f,s:i}", "vx", (double)spoken.first, "vy", (double)spoken.second,
                         "spin", spoken.spin == 0.0f ? 0 : 1);
    return json_pack("{s:f,s:f,s:f}", "speed", (double)spoken.first, "angle", (double)spoken.second,
                     "angular_velocity", (double)spoken.spin);
}

static json_t *after_json(const struct scene *scene, const struct position *after)
{
    json_t *array = json_array();

    for (int entry = 0; entry < POSITION_STONES; entry++) {
        int stone = stone_of_entry(scene, entry);
        struct vec2 at = after->stone[stone];
        json_t *value;

        if (!position_has(after, stone)) {
            value = json_null();
        } else if (scene->model == SCENE_DC2) {
            at = frame_dc2_point(at);
            value = json_pack("[f,f]", at.x, at.y);
        } else {
            value = json_pack("{s:f,s:f}", "x", at.x, "y", at.y);
        }
        if (json_array_append_new(array, value) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *scene_answer(const struct scene *scene, const struct scene_outcome *outcome)
{
    json_t *answer = json_object();
    int score = scene->team0_has_hammer ? -outcome->score : outcome->score;

    /* The _new calls take the value even when they fail, and fail on NULL. */
    if (json_object_set_new(answer, "id", strict_id_json(&scene->id)) != 0 ||
        (outcome->is_sample &&
         (json_object_set_new(answer, "sample", json_integer(outcome->sample)) != 0 ||
          json_object_set_new(answer, "shot", spoken_json(scene->model, outcome->thrown)) != 0)) ||
        json_object_set_new(answer, "after", after_json(scene, &outcome->after)) != 0 ||
        json_object_set_new(answer, "collisions", json_integer(outcome->collisions)) != 0 ||
        json_object_set_new(answer, "score", json_integer(score)) != 0 ||
        (outcome->fgz_applies &&
         json_object_set_new(answer, "fgz_foul", json_boolean(outcome->fgz_foul)) != 0)) {
        json_decref(answer);
        return NULL;
    }
    return answer;
}

int scene_answer_add_point(json_t *answer, const struct scene *scene, int stone, double t_s,
                           struct vec2 at)
{
    json_t *trajectory = json_object_get(answer, "trajectory");

    if (!trajectory) {
        trajectory = json_array();
        for (int k = 0; k < POSITION_STONES; k++) {
            if (json_array_append_new(trajectory, json_null()) != 0) {
                json_decref(trajectory);
                return -1;
            }
        }
        if (json_object_set_new(answer, "trajectory", trajectory) != 0)
            return -1;
    }
    if (stone < 0)
        return 0;

    size_t entry = (size_t)entry_of_stone(scene, stone);
    json_t *path = json_array_get(trajectory, entry);
    if (!json_is_array(path)) {
        path = json_array();
        if (json_array_set_new(trajectory, entry, path) != 0)
            return -1;
    }
    if (scene->model == SCENE_DC2)
        at = frame_dc2_point(at);
    return json_array_append_new(path, json_pack("[f,f,f]", t_s, at.x, at.y));
}

json_t *scene_error_answer(const struct scene_error *error, int64_t line)
{
    json_t *answer = json_object();
    const char *colon = error->field[0] ? ": " : "";

    if ((error->id.kind != STRICT_ID_NONE &&
         json_object_set_new(answer, "id", strict_id_json(&error->id)) != 0) ||
        json_object_set_new(answer, "error",
                            json_sprintf("%s%s%s", error->field, colon, error->text)) != 0 ||
        json_object_set_new(answer, "line", json_integer(line)) != 0) {
        json_decref(answer);
        return NULL;
    }
    return answer;
}

char *scene_answer_text(const json_t *answer)
{
    return json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(9));
}
