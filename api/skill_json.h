/* The question of POST /v1/skills (which hand explains these throws?) and its answer.
 *
 *   {"id"?, "profile", "shots": [{"called", "thrown"|"rest", "kind"?}, …], "drift"?}
 *
 * called  the shot that was asked for, in any form of its profile (game_json.h)
 * thrown  the shot that left the hand
 * rest    in its place {"x","y"}: where the stone came to rest. It must have touched no other stone
 * kind    a word, such as "draw": the hand is estimated for each kind, too
 * drift   whether to look for a change of the hand over the shots, which are then in their order
 *
 * Unknown fields are refused. All independent mistakes are reported at once. */
#ifndef RINKD_API_SKILL_JSON_H
#define RINKD_API_SKILL_JSON_H

#include "api/strict_json.h"
#include "models/game/rules.h"
#include "models/game/shot.h"
#include "models/tables/noise_kinds.h"

enum {
    SKILL_SHOTS_LEAST = 5,
    SKILL_SHOTS_MOST = 2000,
    SKILL_KINDS_MAX = 16,
    SKILL_KIND_BYTES = 32,
    SKILL_SETTINGS = 2 /* deviations of a kind of noise */
};

struct skill_shot {
    struct shot called, thrown;
    bool has_rest; /* then `rest` counts and not `thrown` */
    struct vec2 rest;
    int kind; /* -1: none */
};

struct skill_query {
    struct strict_id id;
    const struct rules *rules;
    bool drift;
    int count, kinds;
    char kind[SKILL_KINDS_MAX][SKILL_KIND_BYTES + 1];
    struct skill_shot *shot; /* owned */
};

/* Whether a document is such a question: it has "shots". */
bool skill_is_query(const json_t *document);

/* Reads a question from a document, which the caller keeps. Returns true and *ret_query, to be
 * freed by skill_query_free(), or false, the id if it is readable and at least one error;
 * *ret_errors is overwritten either way. */
bool skill_query_decode(json_t *document, struct skill_query *ret_query,
                        struct strict_errors *ret_errors);
void skill_query_free(struct skill_query *query);

/* A value and its interval of 95 %. */
struct skill_interval {
    double value, low, high;
};

/* One deviation over the shots. */
struct skill_drift {
    double log10_evidence; /* of a hand that changes against one that stays, decadic logarithm of
                              the Bayes factor */
    bool is_supported;
    struct skill_interval *path; /* one a shot; NULL: not wanted */
};

/* {"id","profile","shots","noise":{…},"intervals":{SETTING:{"value","low","high"},…},
 *  "kinds":{KIND:{"shots","noise","intervals"},…},"drift":{SETTING:{"log10_evidence","is_supported",
 *  "path":[…]},…}|null}. "noise" can be sent as the `noise` of a query as it is. A kind with fewer
 * than SKILL_SHOTS_LEAST shots has null for noise and intervals. */
struct skill_answer {
    const struct skill_query *query;
    struct skill_interval all[SKILL_SETTINGS];
    int kind_shots[SKILL_KINDS_MAX];
    struct skill_interval of_kind[SKILL_KINDS_MAX][SKILL_SETTINGS];
    struct skill_drift drift[SKILL_SETTINGS];
};

/* The index of the deviation `k`, 0 or 1, of this kind of noise among the settings. */
int skill_setting(enum ice_noise kind, int k);

/* The caller owns it; NULL when memory is short. */
json_t *skill_answer_json(const struct skill_answer *answer);

#endif
