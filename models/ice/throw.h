/* Throwing one stone: position + shot -> places of rest of all stones.
 *
 * Two engines answer the same request:
 * - throw_fast (throw_fast.c), event-driven, the default: hundreds of thousands of shots a second,
 *   allocates nothing;
 * - throw_box2d (throw_box2d.cpp), the reference: steps Debian's Box2D 2.4.1
 *   by 1 ms as the official simulators do. Slow; the tests compare against it.
 *
 * The reference agrees with the official simulators in the frame of the shot (tests/vectors). A
 * Digital Curling 3 server steps in a shifted frame, where float32 rounds differently: stones that
 * touch nothing end up to 65 um apart, and chains of collisions may end elsewhere.
 *
 * Execution noise is not applied here: see noise.h. */
#ifndef RINKD_MODELS_ICE_THROW_H
#define RINKD_MODELS_ICE_THROW_H

#include "models/ice/profile.h"
#include "models/ice/trajectory.h"

struct throw_request {
    const struct ice_profile *ice;
    const struct position *before; /* the delivered stone's slot must be empty */
    int stone;                     /* number of the shot, 0..15: the index of the delivered stone */
    struct shot shot;
    bool team0_has_hammer;         /* false at the start of a game; see ice_body_of_stone() */
    struct trajectory *trajectory; /* NULL: not wanted. Else cleared and filled; initialised by the
                                    * caller. */
};

/* Statuses, and a few words for each. THROW_NO_MEMORY comes only from the box2d engine and from
 * trajectories; THROW_FAILED has never occurred. */
#define THROW_STATUSES(X)                                                                \
    X(THROW_OK, "ok")                                                                    \
    X(THROW_BAD_STONE, "the delivered stone's number is not 0..15 or its slot is taken") \
    X(THROW_BAD_POSITION, "a stone's coordinate is not a finite number")                 \
    X(THROW_BAD_SHOT, "the shot is not finite or faster than the profile allows")        \
    X(THROW_NO_MEMORY, "out of memory")                                                  \
    X(THROW_FAILED, "the stones did not come to rest")
enum throw_status {
#define X(name, text) name,
    THROW_STATUSES(X)
#undef X
};

struct throw_result {
    struct position after; /* all stones at rest, removals done, before any free-guard-zone
                            * restoration (models/game/free_guard_zone.h does that) */
    int32_t collisions;    /* pairs that began to touch while at least one of them moved */
    uint16_t moved;        /* bit k: stone k moved, the delivered one included */
    uint16_t removed;      /* bit k: stone k was in play or delivered, and is now out */
    bool hog_foul;         /* the delivered stone was taken off for lying short of the hog line */
};

/* The status in a few words, for messages. */
const char *throw_status_text(enum throw_status status);

/* Checks a request; both engines call it. Returns THROW_OK, THROW_BAD_STONE, THROW_BAD_POSITION or
 * THROW_BAD_SHOT. */
enum throw_status throw_check(const struct throw_request *request);

/* Throws the stone. *ret_result is untouched unless THROW_OK is returned. */
enum throw_status throw_fast(const struct throw_request *request, struct throw_result *ret_result);
enum throw_status throw_box2d(const struct throw_request *request, struct throw_result *ret_result);

/* Builds the tables of the ice, which takes tens of milliseconds; without this call the first throw
 * of the process does it. Later calls return at once. Thread-safe. */
void throw_warm_up(const struct ice_profile *ice);

typedef enum throw_status throw_engine(const struct throw_request *, struct throw_result *);

/* "fast" -> throw_fast, "box2d" -> throw_box2d. For other names, and for box2d in a build without
 * it (RINKD_BOX2D=OFF): NULL, and a sentence that lives as long as the program. */
throw_engine *throw_engine_find(const char *name, const char **ret_reason);

#endif
