/* The shot query (which shot is best in this position?) and its answer: the body of POST /v1/shots
 * and the lines of rink-search.
 *
 *   {"id"?, "profile", "state", "setting"?, "player"?, "limits"?, "noise"?, "hands"?, "history"?,
 *    "seed"?, "top_k"?, "diversity"?, "timeout_ms"?, "report_interval_ms"?}
 *
 * profile, state, setting  as in game_json.h
 * player     NAME or NAME:SETTING=VALUE,…; absent: the default player of the program
 * limits     {"time_ms"?, "simulations"?, "clock"?}; without any, the player's own budget. clock:
 *            true takes a share of the state's thinking_time_remaining, as rink-compete does
 * noise      errors of both teams' hands: settings of the profile's kind of noise
 *            (models/tables/noise_kinds.h); absent ones keep the profile's values
 * hands      {"team0":[…],"team1":[…]}, in the place of noise: the hand of each thrower in the
 * order of throwing, four of a team, in mixed doubles two; null keeps the profile's values, and
 *            players of Digital Curling 3 can be pasted
 * history    throws of the opponent so far, oldest first, of this and earlier games, from which its
 *            style is told (game_throw_read()); players of `opponent=model` use it, and the answer
 *            says what is believed. Who threw is the side that `before` says is next; in games with
 *            other seats that may be either team
 * top_k      candidates in the answer
 * diversity  "kind": the best candidate of each kind; "none": the best ones
 * timeout_ms from the arrival of the query, waiting included
 * report_interval_ms  between two partial answers; none when absent
 *
 * An update of a Digital Curling 3 server is a query, too: its "cmd", "next_team" and "last_move"
 * may stay, and "game" of is_ready beside them gives profile, setting and hands, with
 * "player_order"
 * {"team0"?,"team1"?} as the teams have told it.
 *
 * With "map" or "calls" it asks for something else (map_json.h).
 *
 * Unknown fields are refused. All independent mistakes of a query are reported at once. */
#ifndef RINKD_API_CURLING_SHOT_JSON_H
#define RINKD_API_CURLING_SHOT_JSON_H

#include "api/curling/dc3_json.h"
#include "api/curling/map_json.h"
#include "api/fields/job_fields.h"
#include "models/game/game.h"
#include "models/game/shot.h"
#include "models/game/throw_seen.h"
#include "models/tables/noise_kinds.h"

enum {
    SHOT_QUERY_BYTES_MAX = 1 << 20,
    SHOT_QUERY_DEPTH_MAX = 32,
    SHOT_PLAYER_MAX = PLAYER_SPEC_MAX - 1, /* bytes of "player" */
    SHOT_CANDIDATES_MAX = 32,              /* largest "top_k" */
    SHOT_HISTORY_MAX = 256,                /* throws of "history" */
    SHOT_STYLES_MAX = 16,                  /* known styles in an answer */
    SHOT_SCORES = 17,
    SHOT_SCORE_ZERO = 8 /* entry SHOT_SCORE_ZERO + s is a score of s, -8 … 8 */
};

/* The members of a query that rinkctl offers as options, with ranges and defaults; name NULL at the
 * end. */
extern const struct field shot_fields[];
/* Those of a query for a map and for calls. */
extern const struct field map_query_fields[], calls_query_fields[];

/* The schema of a query: shot_schema.json, completed by the tables of fields, profiles and noise.
 * The caller owns it; NULL when memory is short. */
json_t *shot_query_schema(void);

/* Reads the member "noise" of a document for the profile or ice of this name (NULL: unknown);
 * absent settings are NAN. Adds mistakes to the document's errors. */
void shot_noise_decode(const struct strict_place *document, const char *profile,
                       struct noise_settings *ret_noise);

/* What a query asks for. */
enum shot_asks { SHOT_ASKS_BEST, SHOT_ASKS_MAP, SHOT_ASKS_CALLS };

/* The members of such a query; NULL at the end. */
const char *const *shot_query_keys(enum shot_asks asks);

struct shot_query {
    enum shot_asks asks;
    struct strict_id id; /* STRICT_ID_NONE where it has none */
    struct game game;    /* running, passes game_check(); the query is about its next shot */
    char player[SHOT_PLAYER_MAX + 1];  /* "": the default player */
    double time_s;                     /* 0: no such limit */
    int64_t simulations;               /* 0: no such limit */
    struct noise_settings noise;       /* NAN where absent from the query */
    bool has_hands;                    /* then `hands` count and not `noise` */
    struct hand hands[2][DC3_PLAYERS]; /* in the order of throwing, rules_throwers() of a team */
    bool has_clock;                    /* its time is the limit: */
    double remaining_s;                /* what is left to the side to move */
    int64_t seed;
    int candidates;
    bool diverse;               /* "diversity": the candidates are of different kinds */
    double timeout_s;           /* 0: none */
    double report_interval_s;   /* 0: no partial answers */
    struct throw_seen *history; /* history_count of them, allocated; NULL: the query has none */
    int history_count;
    struct map_setting map;      /* SHOT_ASKS_MAP */
    struct call call[CALLS_MAX]; /* SHOT_ASKS_CALLS, as the next two */
    int calls, call_throws;
};

/* Reads a query from a document, which the caller keeps. Returns true and *ret_query, or false and
 * at least one error; *ret_errors is overwritten either way. The caller frees a query with a
 * history by shot_query_free(). *ret_id (NULL: not wanted) is the id
 * if readable, for the answer that reports the errors. */
bool shot_query_decode(json_t *document, struct shot_query *ret_query, struct strict_id *ret_id,
                       struct strict_errors *ret_errors);

/* Frees the history, if there is one; the query stays as one without. */
void shot_query_free(struct shot_query *query);

/* What is believed about the opponent. */
struct shot_answer_opponent {
    int throws; /* seen */
    int styles;
    struct {
        const char *name; /* a player */
        double weight;    /* all and `stranger` add up to 1 */
    } style[SHOT_STYLES_MAX];
    double stranger;   /* none of these */
    double confidence; /* 0 to 1 */
    double errs;       /* chance that it errs as a weak player does, 0 to 1 */
};

/* A candidate. NAN: unknown, written as null. */
struct shot_answer_candidate {
    struct shot shot;
    const char *kind; /* "draw", "hit and roll", … */
    int64_t visits;
    double win_probability, expected_score, lcb, prior, success;
    double difference, difference_error; /* to the played shot, half the width of its interval */
    const struct vec2 *path; /* of the delivered stone without noise, from the hack on */
    int path_points;
};

/* Values are for the side to move. */
struct shot_answer {
    struct strict_id id;
    bool is_final;             /* false: a partial answer; another one follows */
    const struct rules *rules; /* decide how a shot is written */
    int team;                  /* the side to move, 0 or 1 */
    struct shot shot;
    bool concede;                           /* the player would concede */
    const char *stopped;                    /* "timeout" or "cancel"; NULL: ran to its end */
    bool has_value;                         /* false: the next three are written as a single null */
    double win_probability;                 /* NAN: not known */
    double expected_score;                  /* points of the end; NAN: not known */
    double score_distribution[SHOT_SCORES]; /* scores of probability 0 are left out */
    int candidates;
    const struct shot_answer_candidate *candidate; /* best first */
    int64_t simulations;
    int64_t simulations_to_repeat; /* with this limit the query gets the same answer again; 0: no
                                      such limit exists or is needed, written as null */
    const char *player_name, *player_spec; /* its name, and the name with its settings */
    const char *objective; /* the quantity that it maximises and its lcb bounds: "win" or "score";
                              NULL: neither */
    const char *weights_sha256;                  /* of its model's file; NULL: no model */
    const struct shot_answer_opponent *opponent; /* NULL: the query has no history */
    int64_t seed;
    double elapsed_s, queue_s; /* time to think, time in the queue */
};

/* {"id","is_final","side","shot","concede","stopped","value","candidates","simulations",
 * "simulations_to_repeat","player":{"name","spec","objective"?,"weights_sha256"?},
 * "opponent"?,"seed","elapsed_ms","queue_ms"}.
 * The two times come last: all other members depend on the query alone. The caller owns it; NULL
 * when memory is short. */
json_t *shot_answer_json(const struct shot_answer *answer);

/* {"id","is_final":true,"errors":[…]}. The caller owns it; NULL when memory is short. */
json_t *shot_errors_json(const struct strict_id *id, const struct strict_errors *errors);

/* An answer to a query or a scene as the text of one line, without its line end; numbers have nine
 * digits. The caller frees it; NULL when memory is short. */
char *shot_answer_text(const json_t *answer);

#endif
