/* Reads the scenes of the official simulators, one JSON object a line. */
#include "tests/vectors/vectors.h"

#include "models/game/frame.h"
#include "models/game/sheet.h"
#include "models/tables/profiles.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"empty", "single", "mid", "out"};

static bool read_kind(const char *name, enum vector_kind *ret_kind)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kinds[k], name) == 0) {
            *ret_kind = (enum vector_kind)k;
            return true;
        }
    }
    return false;
}

/* The files print float32 values with just enough digits to restore them. The value goes through
 * memory because GCC 12 at -O2 drops two such conversions side by side. */
static double from_float32(double printed)
{
    volatile float value = (float)printed;
    return (double)value;
}

/* 16 entries by body number: null, [x,y] in dc2's own frame, or {"x":…,"y":…} in the shot frame. */
static bool read_position(const struct ice_profile *ice, json_t *bodies,
                          struct position *ret_position)
{
    struct position position = {0};

    if (json_array_size(bodies) != POSITION_STONES)
        return false;
    for (int body = 0; body < POSITION_STONES; body++) {
        json_t *entry = json_array_get(bodies, (size_t)body);
        struct vec2 at;
        if (json_is_null(entry))
            continue;
        if (ice->law == ICE_DC2 ? json_unpack(entry, "[F,F]", &at.x, &at.y) != 0
                                : json_unpack(entry, "{s:F,s:F}", "x", &at.x, "y", &at.y) != 0)
            return false;
        at = (struct vec2){from_float32(at.x), from_float32(at.y)};
        if (ice->law == ICE_DC2)
            at = frame_dc2_point(at);
        position_put(&position, ice_stone_of_body(ice, false, body), at);
    }
    *ret_position = position;
    return true;
}

static bool read_shot(const struct ice_profile *ice, json_t *json, struct shot *ret_shot)
{
    if (ice->law == ICE_DC2) {
        struct vec2 v;
        int spin;
        if (json_unpack(json, "{s:F,s:F,s:i}", "vx", &v.x, "vy", &v.y, "spin", &spin) != 0)
            return false;
        *ret_shot =
            (struct shot){{-from_float32(v.x), -from_float32(v.y)}, spin ? -ICE_DC2_A : ICE_DC2_A};
        return true;
    }
    double speed, angle, omega;
    if (json_unpack(json, "{s:F,s:F,s:F}", "speed", &speed, "angle", &angle, "angular_velocity",
                    &omega) != 0)
        return false;
    /* The official program converts polar to Cartesian coordinates in float32. */
    float vx = (float)speed * cosf((float)angle);
    float vy = (float)speed * sinf((float)angle);
    *ret_shot = (struct shot){{(double)vx, (double)vy}, from_float32(omega)};
    return true;
}

static bool read_scene(json_t *json, struct vector_scene *ret_scene)
{
    struct vector_scene scene = {0};
    const char *model, *kind;
    json_t *before, *shot, *after, *sens;
    int n, fgz_foul = 0;

    if (json_unpack(json, "{s:s,s:i,s:s,s:i,s:o,s:o,s:o,s:i,s:i,s:o,s?b}", "model", &model, "id",
                    &scene.id, "kind", &kind, "n", &n, "before", &before, "shot", &shot, "after",
                    &after, "collisions", &scene.collisions, "score", &scene.score, "sens", &sens,
                    "fgz_foul", &fgz_foul) != 0)
        return false;
    scene.ice = ice_profile_find(model);
    if (!scene.ice || n < 0 || n >= POSITION_STONES || !read_kind(kind, &scene.kind) ||
        !read_position(scene.ice, before, &scene.before) ||
        !read_position(scene.ice, after, &scene.after) ||
        !read_shot(scene.ice, shot, &scene.shot) || !(json_is_number(sens) || json_is_null(sens)))
        return false;
    scene.stone = ice_stone_of_body(scene.ice, false, n);
    scene.fgz_foul = fgz_foul != 0;
    scene.sens_m = json_is_null(sens) ? (double)NAN : json_number_value(sens);
    *ret_scene = scene;
    return true;
}

bool vectors_load(const char *path, struct vectors *ret_vectors)
{
    struct vectors vectors = {0};
    size_t capacity = 0, line_size = 0, line_number = 0;
    char *line = NULL;
    bool good = true;
    FILE *file = fopen(path, "r");

    if (!file) {
        perror(path);
        return false;
    }
    while (good && getline(&line, &line_size, file) >= 0) {
        line_number++;
        if (vectors.count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            struct vector_scene *more = realloc(vectors.scene, capacity * sizeof *more);
            if (!more) {
                fprintf(stderr, "%s: out of memory\n", path);
                good = false;
                break;
            }
            vectors.scene = more;
        }
        json_t *json = json_loads(line, 0, NULL);
        good = json && read_scene(json, &vectors.scene[vectors.count]);
        if (good)
            vectors.count++;
        else
            fprintf(stderr, "%s:%zu: not a scene\n", path, line_number);
        json_decref(json);
    }
    if (ferror(file)) {
        perror(path);
        good = false;
    }
    free(line);
    fclose(file);
    if (!good) {
        vectors_free(&vectors);
        return false;
    }
    *ret_vectors = vectors;
    return true;
}

void vectors_free(struct vectors *vectors)
{
    if (!vectors)
        return;
    free(vectors->scene);
    *vectors = (struct vectors){0};
}

struct throw_request vector_request(const struct vector_scene *scene)
{
    return (struct throw_request){
        .ice = scene->ice,
        .before = &scene->before,
        .stone = scene->stone,
        .shot = scene->shot,
    };
}

/* The team with the stone nearest to the tee scores every stone strictly nearer than the other
 * team's best; a tie scores nothing. Implemented independently of models/game, so that the vectors
 * test the rules too. */
int vector_score(const struct vector_scene *scene, const struct position *position)
{
    double house_m = scene->ice->law == ICE_DC2 ? 1.98 : 1.974;
    double distance_m[POSITION_STONES];
    double best_m[2] = {house_m, house_m}; /* by seat */

    for (int k = 0; k < POSITION_STONES; k++) {
        if (!position_has(position, k))
            continue;
        distance_m[k] = vec2_distance(position->stone[k], (struct vec2){0.0, SHEET_TEE_Y});
        if (distance_m[k] < best_m[seat_of_stone(k)])
            best_m[seat_of_stone(k)] = distance_m[k];
    }
    if (best_m[SEAT_SENTE] == best_m[SEAT_GOTE])
        return 0;
    enum seat winner = best_m[SEAT_SENTE] < best_m[SEAT_GOTE] ? SEAT_SENTE : SEAT_GOTE;
    int score = 0;
    for (int k = 0; k < POSITION_STONES; k++)
        if (position_has(position, k) && seat_of_stone(k) == winner &&
            distance_m[k] < best_m[1 - winner])
            score++;
    return winner == SEAT_SENTE ? score : -score;
}

double vector_difference_m(const struct position *a, const struct position *b)
{
    double worst_m = 0.0;

    if (a->in_play != b->in_play)
        return (double)INFINITY;
    for (unsigned rest = a->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        worst_m = fmax(worst_m, vec2_distance(a->stone[k], b->stone[k]));
    }
    return worst_m;
}
