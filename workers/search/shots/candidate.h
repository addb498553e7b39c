/* A shot under consideration, and the kinds of shots. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_H

#include "models/game/position.h"
#include "models/game/rules.h"
#include "models/game/shot.h"
#include "models/ice/profile.h"
#include "models/ice/throw.h"

#include <stdbool.h>

#define SHOT_KINDS(X)                                                                       \
    X(SHOT_DRAW, "draw")                    /* comes to rest in the house */                \
    X(SHOT_GUARD, "guard")                  /* comes to rest in front of it */              \
    X(SHOT_FREEZE, "freeze")                /* comes to rest against a stone */             \
    X(SHOT_COME_AROUND, "come around")      /* comes to rest hidden behind a stone */       \
    X(SHOT_HIT, "hit and stay")             /* removes a stone and stays */                 \
    X(SHOT_HIT_AND_ROLL, "hit and roll")    /* removes a stone and moves on to a side */    \
    X(SHOT_RAISE, "raise")                  /* moves an own stone nearer to the tee */      \
    X(SHOT_TAP_BACK, "tap back")            /* moves an opponent's stone back a little */   \
    X(SHOT_PEEL, "peel")                    /* removes a stone and goes off itself */       \
    X(SHOT_DOUBLE, "double take-out")       /* removes two stones */                        \
    X(SHOT_RAISE_TAKEOUT, "raise take-out") /* sends one stone into another to remove it */ \
    X(SHOT_THROUGH, "through")              /* touches nothing, on purpose */               \
    X(SHOT_OTHER, "other")                  /* from a grid or a policy, not from geometry */

enum shot_kind {
#define X(name, text) name,
    SHOT_KINDS(X)
#undef X
        SHOT_KIND_COUNT
};

const char *shot_kind_name(enum shot_kind kind);

struct candidate {
    struct shot shot;
    enum shot_kind kind;
    int8_t stone;       /* the stone it is played on, -1: none */
    int8_t other_stone; /* the second one of a double or a raise take-out, -1 none */
    struct vec2 target; /* where the delivered stone (raise: the raised one) should come to rest;
                           for take-outs without a roll the place of the removed stone */
};

/* Wraps a shot that does not come from geometry: of kind SHOT_OTHER, played on no stone. */
static inline struct candidate candidate_of_shot(struct shot shot)
{
    return (struct candidate){.shot = shot, .kind = SHOT_OTHER, .stone = -1, .other_stone = -1};
}

enum { CANDIDATES_MAX = 512 };

/* True if an execution kept what the candidate is for; shot_kind.c defines success for each kind.
 */
bool candidate_succeeded(const struct rules *rules, const struct candidate *candidate,
                         const struct position *before, int stone,
                         const struct throw_result *result);

/* Classifies a shot by the result of its throw alone, for statistics of any player. Returns one of
 * DRAW, GUARD, FREEZE, HIT (any take-out), RAISE, THROUGH, OTHER. */
enum shot_kind shot_kind_of_result(const struct rules *rules, const struct position *before,
                                   int stone, const struct throw_result *result);

/* The same for a call that is known by its throw without an error, `call`, alone: a take-out is
 * kept if one of the stones that it takes is gone, and a call of no kind by a throw of none. */
bool shot_succeeded(const struct rules *rules, const struct position *before, int stone,
                    const struct throw_result *call, const struct throw_result *result);

/* Generates the geometric shots of `stone`, the next one (its parity gives the seat): at most
 * `most`, with both spins, in a fixed order, the plainest first. Returns how many. Leaves out shots
 * that cannot be aimed (unreachable, off the sheet), and blocked ones unless a small error gets
 * past the guard. Deterministic, allocates nothing. */
int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most);

#endif
