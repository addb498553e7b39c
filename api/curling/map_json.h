/* Maps and calls: shot queries that ask what given shots are worth instead of which one is best.
 * The bodies of POST /v1/maps and POST /v1/calls, and lines of rink-search.
 *
 *   map:   {"id"?,"profile","state","setting"?,"player"?,"noise"?,"hands"?,"seed"?,"timeout_ms"?,
 *           "report_interval_ms"?,"map":{"columns"?,"rows"?,"lines"?,"throws"?}}
 *   calls: the same with "calls":[…],"throws"? in the place of "map". A call is {"shot"} as in
 *          game_json.h, or {"aim":{"x","y"},"weight"?,"rotation"}
 *
 * weight  "draw": comes to rest at the aim, if nothing is in the way. "hit" and "hard": cross the
 *         tee line at the aim's x, and would run on 5 m or as far as the hand can */
#ifndef RINKD_API_CURLING_MAP_JSON_H
#define RINKD_API_CURLING_MAP_JSON_H

#include "api/fields/job_fields.h"
#include "models/game/game.h"
#include "models/game/shot.h"

enum aim_weight { AIM_DRAW, AIM_HIT, AIM_HARD, AIM_WEIGHTS };
extern const char *const aim_weight_names[]; /* NULL at the end */

struct map_setting {
    int columns, rows; /* of the squares for draws */
    int lines;         /* for hits */
    int throws;        /* of each aim */
};

enum { CALLS_MAX = 8, CALL_THROWS_LEAST = 64, CALL_ENDS = 200, CALL_DEVIATIONS = 9 };

/* What a caller wants to throw. */
struct call {
    bool has_shot;
    struct shot shot; /* if has_shot; otherwise: */
    struct vec2 aim;  /* shot frame, m */
    enum aim_weight weight;
    bool clockwise;
};

/* The members of "map", and "throws" beside "calls", with ranges and defaults. */
extern const struct field map_fields[];
#define CALL_THROWS \
    WHOLE("throws", CALL_THROWS_LEAST, 16384, 4096, "throws of each call, with errors of the hand")
extern const struct field call_throws;

/* Reads the member "map" of a document. */
void map_setting_decode(const struct strict_place *document, struct map_setting *ret_setting);

/* Reads "calls" and "throws"; returns the number of calls, at most CALLS_MAX. */
int calls_decode(const struct strict_place *document, const struct rules *rules,
                 struct call ret_calls[CALLS_MAX], int *ret_throws);

/* A mean and its standard error. */
struct valued_mean {
    double mean, error;
};

/* A shot that was valued by many throws, for the side to move. */
struct valued_shot {
    struct shot shot;
    const char *kind;                         /* of what it does without an error of the hand */
    const char *weight;                       /* of aim_weight_names; NULL: not known */
    struct valued_mean win, points;           /* the chance of winning; points of the end */
    struct valued_mean win_less, points_less; /* of the first shot, minus those of this one */
    double win_cost, points_cost;             /* of the hand: without an error minus with errors */
    const double *score_distribution;         /* [17] of the end, from -8 */
    const struct vec2 *path;                  /* of the delivered stone without an error */
    int path_points;
    /* Of calls only; NULL otherwise. */
    const struct vec2 *ends; /* where the stones of CALL_ENDS throws come to rest in play */
    int ends_count;
    const double *line, *weights; /* [CALL_DEVIATIONS] the chance of winning by the error */
};

/* Squares or lines of one weight and turn. NAN: no such shot. */
struct map_layer {
    enum aim_weight weight;
    bool clockwise;
    int columns, rows;                /* of a hit, rows is 1 */
    const float *win, *points, *cost; /* [rows][columns], from left to right, the first row is the
                                         nearest to the thrower; cost: in the chance of winning */
};

struct map_answer {
    const struct strict_id *id;
    bool is_final;
    const struct rules *rules;
    int team;
    const char *stopped;   /* "timeout", "cancel" or NULL */
    struct vec2 low, high; /* corners of the area of the aims */
    int throws;            /* of each aim */
    const struct map_layer *layer;
    int layers;
    const struct valued_shot *best; /* best first; none in partial answers */
    int best_count;
    int64_t simulations;
    const char *player_name, *player_spec;
    int64_t seed;
    double elapsed_s, queue_s;
};

/* The answer to a map; without layers, the answer to calls: `best` are these, in the order asked.
 * The caller owns it; NULL when memory is short. */
json_t *map_answer_json(const struct map_answer *answer);

#endif
