/* One scene of rink-simulate as a line of JSON: stones, a shot, and its result. POST
 * /v1/simulations takes only the first form.
 *
 * The form of Digital Curling 3 and 4, as in a shot query (game_json.h):
 *   {"id"?,"profile":"dc3","state":{…},"setting"?:{…},"shot":{"velocity":{…},"rotation":"cw"}}
 * Two older forms, chosen by "model", are those of tests/vectors, the throws of the official
 * simulators. "dc2", in the frame of Digital Curling 2 (models/game/frame.h):
 *   {"model":"dc2","id":0,"n":5,"before":[[x,y]|null × 16],"shot":{"vx":…,"vy":…,"spin":0|1}}
 * before[k] is the stone of shot k; spin 0 turns counter-clockwise, 1 clockwise.
 * "fcv1", "dc3" and "dc4", in the shot frame, angles counter-clockwise from +x:
 *   {"model":"fcv1","id":0,"n":5,"before":[{"x":…,"y":…}|null × 16],
 *    "shot":{"speed":…,"angle":…,"angular_velocity":…}}
 * before[8t + s] is the s-th stone of team t.
 *
 * `n` is the entry of the delivered stone. An optional "hammer":"team0"|"team1" says who throws the
 * last stone ("team1" when absent); in dc2 team0 owns the even stones and throws first, so only
 * "team1" is possible. The other keys of tests/vectors are ignored; any unknown key is an error,
 * which catches misspelt keys.
 *
 * Options of a line:
 *   "trajectory":DT   the paths of the stones, a point every DT seconds
 *   "samples":N       N more throws of the shot, each with an error of the hand
 *   "noise":{…}       size of those errors, the keys of a shot query (shot_json.h); absent keys
 *                     keep the ice's values
 *   "seed":S          seed of those errors; with a state, 0 when absent */
#ifndef RINKD_API_CURLING_SCENE_JSON_H
#define RINKD_API_CURLING_SCENE_JSON_H

#include "api/base/strict_json.h"
#include "api/curling/shot_json.h"
#include "models/game/game.h"
#include "models/game/position.h"
#include "models/game/rules.h"
#include "models/game/shot.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCENE_LINE_MAX = 1 << 20, /* bytes of a line, without its end */
    SCENE_DEPTH_MAX = 8,      /* arrays and objects inside each other */
    SCENE_SAMPLES_MAX = 1000  /* "samples" of a line */
};

/* Seconds between two points of a trajectory. */
#define SCENE_INTERVAL_LEAST_S 0.001
#define SCENE_INTERVAL_MOST_S  1000.0

/* The form of a line and of its answer. */
enum scene_model { SCENE_DC2, SCENE_FCV1, SCENE_DC3, SCENE_DC4, SCENE_STATE };

/* A shot in the numbers of its line. The official programs read the numbers as float32. */
struct scene_shot {
    float first;  /* dc2, state: vx, m/s; else speed, m/s */
    float second; /* dc2, state: vy, m/s; else angle, rad */
    float spin;   /* dc2: 0 or 1; else angular velocity, rad/s */
};

struct scene {
    struct strict_id id;
    enum scene_model model;
    struct game game; /* SCENE_STATE: before the shot; else all 0 */
    bool team0_has_hammer;
    int stone;                /* number of the shot, 0..15; its slot in `before` is empty */
    struct position before;   /* shot frame, by shot number */
    struct scene_shot spoken; /* the shot in the numbers of the line */
    struct shot shot;         /* the same in the shot frame: scene_shot_decode(model, spoken) */

    double interval_s;           /* of "trajectory"; 0: none wanted */
    int samples;                 /* 0: none wanted; then noise and seed are absent too */
    struct noise_settings noise; /* NAN where absent from the line */
    int64_t seed;                /* -1: absent */
};

enum scene_status {
    SCENE_OK,
    SCENE_BAD_LINE,  /* too long, too deep, or not a JSON object */
    SCENE_BAD_FIELD, /* a field is missing, unknown, of the wrong type or out of range */
    SCENE_NO_MEMORY
};

/* The error of a line, as a line of text. */
struct scene_error {
    struct strict_id id; /* of the line, STRICT_ID_NONE if unreadable */
    char field[64];      /* "n", "before[3].x", "shot.vx", …; empty: the line as a whole */
    char text[160];      /* the reason */
};

/* Reads one line of `length` bytes, without its line end; no final 0 is needed, and any bytes are
 * safe. Writes *ret_scene on SCENE_OK and *ret_error otherwise. */
enum scene_status scene_read(const char *line, size_t length, struct scene *ret_scene,
                             struct scene_error *ret_error);

/* Reads a scene of SCENE_STATE from a document, which the caller keeps. Returns true and *ret_scene
 * (already checked: scene_check() is not needed), or false and at least one error; *ret_errors is
 * overwritten either way. */
bool scene_state_decode(json_t *document, struct scene *ret_scene,
                        struct strict_errors *ret_errors);

/* Checks that the stones lie on the sheet and do not overlap. It does not check whether each could
 * have been thrown before this shot: the vector files of FCV1 use any stone. Returns SCENE_OK, or
 * SCENE_BAD_FIELD and *ret_error. */
enum scene_status scene_check(const struct scene *scene, const struct rules *rules,
                              struct scene_error *ret_error);

/* The name of the ice on which the scene is thrown: in the older forms the name of its model,
 * "dc2", "fcv1", "dc3" or "dc4". */
const char *scene_ice_name(const struct scene *scene);

/* Decodes the shot of a line. As in the official program of FCV1, the velocity is
 * (speed cosf(angle), speed sinf(angle)), all float32. */
struct shot scene_shot_decode(enum scene_model model, struct scene_shot spoken);

/* The float32 numbers nearest to a shot (dc2: the spin is the sign of omega; omega 0 reads as 0).
 * A noisy shot is encoded and decoded before it is thrown, so the written numbers are exactly those
 * of the throw. */
struct scene_shot scene_shot_encode(enum scene_model model, struct shot shot);

/* Index of a stone in the scene's own numbering: its entry in "before", or, with a state, 8 team +
 * slot. */
int scene_entry_of_stone(const struct scene *scene, int stone);

/* The outcome of a scene. */
struct scene_outcome {
    struct position after; /* before any free-guard-zone restoration */
    int32_t collisions;
    int score;        /* of `after`, positive for the team that throws first (even stones) */
    bool fgz_applies; /* whether "fgz_foul" is written */
    bool fgz_foul;
    bool is_sample; /* whether "sample" and "shot" are written */
    int64_t sample;
    struct scene_shot thrown;
};

/* {"id","sample"?,"shot"?,"after","collisions","score","fgz_foul"?}, in the form of the scene; for
 * a state {"id","sample"?,"shot","stones","collisions","score":{"team0","team1"},
 * "free_guard_zone_foul","state"}: "stones" are the places of rest, "state" is the game after the
 * rules were applied: the next shot, the next end or the end of the game. The caller owns the
 * answer; NULL when memory is short. */
json_t *scene_answer(const struct scene *scene, const struct scene_outcome *outcome);

/* Appends a point to the answer's "trajectory": 16 entries numbered as in "before", or, for a
 * state, {"team0":[8 slots],"team1":[8 slots]}; null for a stone that did not move, else [[t_s, x,
 * y], …] in the frame of the scene. stone = -1: makes only the key. Returns 0, or -1 when memory is
 * short. */
int scene_answer_add_point(json_t *answer, const struct scene *scene, int stone, double t_s,
                           struct vec2 at);

/* {"id"?,"error","line"}: "error" is "field: text". The caller owns it; NULL when memory is short.
 */
json_t *scene_error_answer(const struct scene_error *error, int64_t line);

/* The first of some errors, its pointer "/before/3/x" as the field "before[3].x". */
void scene_error_of(const struct strict_errors *errors, const struct strict_id *id,
                    struct scene_error *ret_error);

/* Writes an error about `field` (may be ""), printf-like. A text that is too long is cut, and
 * steering characters become '?'. */
void scene_error_set(struct scene_error *error, const struct strict_id *id, const char *field,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
