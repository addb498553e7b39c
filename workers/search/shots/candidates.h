/* The shots worth considering: every kind of curling shot, aimed exactly, for every stone on the
 * sheet. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATES_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATES_H

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
    X(SHOT_OTHER, "other")                  /* of a grid or a policy, not of geometry */

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
    int8_t stone;       /* the stone it is about, -1 none */
    int8_t other_stone; /* the second one of a double or a raise take-out, -1 none */
    struct vec2 target; /* where the delivered (raise: the raised) stone shall come to rest, after a
                         * roll too; for other take-outs the place of the stone to go */
};

enum { CANDIDATES_MAX = 512 };

/* All geometric shots of the stone that is delivered next (`stone`, whose parity says whose), at
 * most `most`, in a fixed order, the plainest first; both spins. Returns how many. Shots that
 * cannot be aimed (unreachable, off the sheet) are left out; blocked ones are kept only where they
 * still may do something, since noise and curl get past a guard's edge. Deterministic, allocates
 * nothing. */
int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most);

/* Whether an execution did what the candidate was for; each kind is defined in shot_kind.c. */
bool candidate_succeeded(const struct rules *rules, const struct candidate *candidate,
                         const struct position *before, int stone,
                         const struct throw_result *result);

/* What kind of shot a throw turned out to be, seen from its result alone: for statistics of any
 * player's habits. One of DRAW, GUARD, FREEZE, HIT (any take-out), RAISE, THROUGH, OTHER. */
enum shot_kind shot_kind_of_result(const struct rules *rules, const struct position *before,
                                   int stone, const struct throw_result *result);

#endif
