/* One scene of rink-simulate as a line of JSON: stones, a shot, and what came of it. POST
 * /v1/simulations takes the first form alone.
 *
 * The words of Digital Curling 3 and 4, as in a shot query (game_json.h):
 *   {"id"?,"profile":"dc3","state":{…},"setting"?:{…},"shot":{"velocity":{…},"rotation":"cw"}}
 * and two older forms, chosen by "model", in which tests/vectors has the throws of the official
 * simulators. "dc2", in the frame of Digital Curling 2 (models/game/frame.h):
 *   {"model":"dc2","id":0,"n":5,"before":[[x,y]|null × 16],"shot":{"vx":…,"vy":…,"spin":0|1}}
 * before[k] is the stone of shot k; spin 0 turns counter-clockwise, 1 clockwise.
 * "fcv1", "dc3" and "dc4", in the shot frame, angles counter-clockwise from +x:
 *   {"model":"fcv1","id":0,"n":5,"before":[{"x":…,"y":…}|null × 16],
 *    "shot":{"speed":…,"angle":…,"angular_velocity":…}}
 * before[8t + s] is the s-th stone of team t.
 *
 * `n` is the entry of the delivered stone. An optional "hammer":"team0"|"team1" says who throws the
 * last stone ("team1" when absent); in dc2 team0 owns the even stones and throws first, so there
 * only "team1" is possible. The other keys of tests/vectors are accepted and ignored; every other
 * key is an error, so that a misspelt one is not lost.
 *
 * What a line may ask for besides the throw itself:
 *   "trajectory":DT   the paths of the stones, a point every DT seconds
 *   "samples":N       the same shot N times more, each with an error of the hand
 *   "noise":{…}       … of which size: the keys of a shot query (shot_json.h), gat_stddev_x and
 *                     gat_stddev_y in dc2, else stddev_speed, stddev_angle and max_speed; what is
 *                     absent is as the ice has it
 *   "seed":S          … and of which luck; with a state 0 when absent */
#ifndef RINKD_API_SCENE_JSON_H
#define RINKD_API_SCENE_JSON_H

#include "api/shot_json.h"
#include "api/strict_json.h"
#include "models/game/game.h"
#include "models/game/position.h"
#include "models/game/rules.h"
#include "models/game/shot.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SCENE_LINE_MAX = 1 << 20, /* bytes of a line, without its end */
    SCENE_DEPTH_MAX = 8,      /* arrays and objects inside each other */
    SCENE_SAMPLES_MAX = 1000  /* "samples" of a line */
};

/* Seconds between two points of a trajectory. */
#define SCENE_INTERVAL_LEAST_S 0.001
#define SCENE_INTERVAL_MOST_S  1000.0

/* What a line says, and in which words its answer is. */
enum scene_model { SCENE_DC2, SCENE_FCV1, SCENE_DC3, SCENE_DC4, SCENE_STATE };

/* A shot in the numbers of its line. The official programs take them as float32. */
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
    struct scene_shot spoken; /* the shot as the line says it … */
    struct shot shot;         /* … and in the shot frame: scene_shot_decode(model, spoken) */

    double interval_s; /* of "trajectory"; 0: the line asks for none */
    int samples;       /* 0: the line asks for none; then noise and seed are not said either */
    struct shot_query_noise noise;
    int64_t seed; /* -1: the line says none */
};

enum scene_status {
    SCENE_OK,
    SCENE_BAD_LINE,  /* too long, too deep, or not a JSON object */
    SCENE_BAD_FIELD, /* a field is missing, unknown, of the wrong type or out of range */
    SCENE_NO_MEMORY
};

/* What is wrong with a line, in ASCII. */
struct scene_error {
    struct strict_id id; /* of the line, STRICT_ID_NONE if it could not be read */
    char field[64];      /* "n", "before[3].x", "shot.vx", …; empty: the line as a whole */
    char text[160];      /* what is wrong with it */
};

/* Reads one line of `length` bytes (no line end; need not end in 0). *ret_scene is written only on
 * SCENE_OK and *ret_error only otherwise. Any bytes are safe to give. */
enum scene_status scene_read(const char *line, size_t length, struct scene *ret_scene,
                             struct scene_error *ret_error);

/* Reads a scene of SCENE_STATE from a document, which stays the caller's. True and *ret_scene,
 * which needs no scene_check(), or false and at least one error in *ret_errors, which is
 * overwritten in both cases. */
bool scene_state_decode(json_t *document, struct scene *ret_scene,
                        struct strict_errors *ret_errors);

/* Whether the stones lie where they can under these rules: on the sheet and not in each other.
 * Whether each can have been thrown before this shot is not asked: the scenes of FCV1 put any stone
 * anywhere, as its vector files do. SCENE_OK, or SCENE_BAD_FIELD and *ret_error. */
enum scene_status scene_check(const struct scene *scene, const struct rules *rules,
                              struct scene_error *ret_error);

/* "dc2", "fcv1", "dc3", "dc4", all but SCENE_STATE: also the names of the ice and of the rules. */
const char *scene_model_name(enum scene_model model);

/* The name of the ice on which the scene is thrown. */
const char *scene_ice_name(const struct scene *scene);

/* The shot that a line means. FCV1 as its official program does it: the velocity is
 * (speed cosf(angle), speed sinf(angle)), all float32. */
struct shot scene_shot_decode(enum scene_model model, struct scene_shot spoken);

/* The float32 numbers nearest to a shot (dc2: its spin is the sign of omega; omega 0 reads as 0).
 * A shot that is thrown and then written, such as a noisy one, goes through here and back first:
 * then the written numbers name exactly the shot that was thrown. */
struct scene_shot scene_shot_encode(enum scene_model model, struct shot shot);

/* Where a scene lists a stone: in "before", or, of a state, 8 team + slot. */
int scene_entry_of_stone(const struct scene *scene, int stone);

/* What the throw of a scene led to. */
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

/* {"id","sample"?,"shot"?,"after","collisions","score","fgz_foul"?}, in the words of the scene; of
 * a state {"id","sample"?,"shot","stones","collisions","score":{"team0","team1"},
 * "free_guard_zone_foul","state"}: "stones" where they came to rest, "state" what the rules make of
 * it, with the next shot, end or the end of the game. The caller owns the answer; NULL when memory
 * is short. */
json_t *scene_answer(const struct scene *scene, const struct scene_outcome *outcome);

/* Appends a point to the answer's "trajectory": 16 entries numbered as in "before", of a state
 * {"team0":[8 slots],"team1":[8 slots]}; null for a stone that did not move, else [[t_s, x, y], …]
 * in the frame of the scene. With stone = -1 only the key is made. 0, or -1 when memory is short.
 */
int scene_answer_add_point(json_t *answer, const struct scene *scene, int stone, double t_s,
                           struct vec2 at);

/* {"id"?,"error","line"}: "error" is "field: text". The caller owns it; NULL when memory is short.
 */
json_t *scene_error_answer(const struct scene_error *error, int64_t line);

/* The answer as the text of one line, without the line end; numbers have nine digits (a float32
 * round trip). The caller gives it to free(); NULL when memory is short. */
char *scene_answer_text(const json_t *answer);

/* Writes an error about `field` (may be ""). printf-like; what does not fit is cut off and bytes
 * other than printable ASCII become '?'. */
void scene_error_set(struct scene_error *error, const struct strict_id *id, const char *field,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif

#endif
