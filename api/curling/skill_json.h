/* The question of POST /v1/skills (which hand explains these throws?) and its answer.
 *
 *   {"id"?, "profile", "shots": [{"called", "thrown"|"rest", "kind"?}, …], "drift"?, "hand"?,
 *    "compare"?, "throws"?}
 *
 * called  the shot that was asked for, in any form of its profile (game_json.h)
 * thrown  the shot that left the hand
 * rest    in its place {"x","y"}: where the stone came to rest. It must have touched no other stone
 * kind    a word, such as "draw": the hand is estimated for each kind, too
 * drift   whether to look for a change of the hand over the shots, which are then in their order
 * hand    the kind of hand that is fitted (SKILL_HANDS); default "normal"
 * compare whether to fit all that the throws can tell apart, which draws alone cannot do for hit
 *         weight; without "hand" the answer's hand is the most probable one
 * throws  whether to tell the errors of each throw
 *
 * Unknown fields are refused. All independent mistakes are reported at once. */
#ifndef RINKD_API_CURLING_SKILL_JSON_H
#define RINKD_API_CURLING_SKILL_JSON_H

#include "api/base/strict_json.h"
#include "models/game/rules.h"
#include "models/game/shot.h"
#include "models/tables/noise_kinds.h"

enum {
    SKILL_SHOTS_LEAST = 5,
    SKILL_SHOTS_MOST = 2000,
    SKILL_KINDS_MAX = 16,
    SKILL_KIND_BYTES = 32,
    SKILL_SETTINGS = 2,         /* deviations of a kind of noise */
    SKILL_HAND_SETTINGS_MAX = 6 /* those, three traits and the spin */
};

/* What hands of people have beyond two deviations. */
enum skill_trait {
    SKILL_TRAIT_STUDENT = 1, /* degrees_of_freedom */
    SKILL_TRAIT_WEIGHT = 2,  /* hit_factor */
    SKILL_TRAIT_RELEASE = 4  /* release */
};

/* Kinds of hand: X(name, traits, description). */
#define SKILL_HANDS(X)                                                                          \
    X("normal", 0, "two deviations")                                                            \
    X("student", SKILL_TRAIT_STUDENT, "bad misses more often: Student's t")                     \
    X("weight", SKILL_TRAIT_WEIGHT, "another size of errors at hit weight")                     \
    X("release", SKILL_TRAIT_RELEASE, "a side to which it errs, by turn")                       \
    X("student_weight", SKILL_TRAIT_STUDENT | SKILL_TRAIT_WEIGHT, "bad misses, and hit weight") \
    X("student_release", SKILL_TRAIT_STUDENT | SKILL_TRAIT_RELEASE, "bad misses, and a side")   \
    X("weight_release", SKILL_TRAIT_WEIGHT | SKILL_TRAIT_RELEASE, "hit weight, and a side")     \
    X("student_weight_release", SKILL_TRAIT_STUDENT | SKILL_TRAIT_WEIGHT | SKILL_TRAIT_RELEASE, \
      "bad misses, hit weight, and a side")
#define SKILL_HAND_ONE(...) +1
enum { SKILL_HAND_COUNT = SKILL_HANDS(SKILL_HAND_ONE) };

struct skill_hand_kind {
    const char *name;
    unsigned traits;
    const char *about;
};

/* The row of a kind of hand, 0 … SKILL_HAND_COUNT - 1; 0 is the normal one. */
const struct skill_hand_kind *skill_hand_at(int hand);

struct skill_shot {
    struct shot called, thrown;
    bool has_rest; /* then `rest` counts and not `thrown` */
    struct vec2 rest;
    int kind; /* -1: none */
};

struct skill_query {
    struct strict_id id;
    const struct rules *rules;
    bool drift, compare, throws;
    int hand; /* -1: not asked for */
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

/* What is known of a hand: settings of the profile's noise, each with its interval, the two
 * deviations first. */
struct skill_hand {
    int settings;
    int setting[SKILL_HAND_SETTINGS_MAX]; /* indexes of noise_setting_at() */
    struct skill_interval value[SKILL_HAND_SETTINGS_MAX];
};

/* One of the hands that were compared. */
struct skill_comparison {
    int hand;
    double probability;    /* all hands are equally probable before */
    double log10_evidence; /* against a normal hand, decadic logarithm of the Bayes factor */
    struct skill_hand found;
};

/* Errors of a throw. */
struct skill_error {
    double across, along; /* to the right and long, in the units of the deviations */
    double weight;        /* 0 draw … 1 hit */
    bool is_left;         /* the stone curls to the left */
};

/* {"id","profile","shots","noise":{…},"intervals":{SETTING:{"value","low","high"},…},
 *  "kinds":{KIND:{"shots","noise","intervals"},…},"drift":{SETTING:{"log10_evidence","is_supported",
 *  "path":[…]},…}|null,"hand"?,"hands"?:[{"hand","about","probability","log10_evidence","noise",
 *  "intervals"},…],"throws"?:[{"across","along","weight","curls"},…]}. "noise" can be sent as the
 * `noise` of a query as it is. A kind of shot with fewer than SKILL_SHOTS_LEAST shots has null for
 * noise and intervals; kinds of shot have no factor of weight. "hand" is told where "hand" or
 * "compare" was asked for, "hands" with "compare", the most probable first. */
struct skill_answer {
    const struct skill_query *query;
    int hand;
    struct skill_hand all;
    int kind_shots[SKILL_KINDS_MAX];
    struct skill_hand of_kind[SKILL_KINDS_MAX];
    struct skill_drift drift[SKILL_SETTINGS];
    int compared; /* hands that the throws can tell apart; 0: not asked for */
    struct skill_comparison comparison[SKILL_HAND_COUNT];
    struct skill_error *error; /* one a shot; NULL: not wanted */
};

/* The index of the deviation `k`, 0 or 1, of this kind of noise among the settings. */
int skill_setting(enum ice_noise kind, int k);

/* The caller owns it; NULL when memory is short. */
json_t *skill_answer_json(const struct skill_answer *answer);

#endif
