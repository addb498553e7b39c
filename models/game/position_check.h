/* Checks whether a position can occur, and names the offending stone and coordinate for whoever
 * sent it. For positions from outside; the engines produce good ones. */
#ifndef RINKD_MODELS_GAME_POSITION_CHECK_H
#define RINKD_MODELS_GAME_POSITION_CHECK_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stdbool.h>
#include <stddef.h>

/* Two stones may overlap by this much. The reference simulators let resting stones overlap: in
 * their 1 ms step a pair that meets too slowly to bounce (< 1 m/s) sinks in by up to 1 mm, and
 * their position solver never removes the last 5 mm ("slop"). The worst of the 8000 positions
 * in tests/vectors is 0.86 mm. */
#define POSITION_OVERLAP_TOLERANCE_M 0.006

/* A stone may lie beyond the edge of the sheet by this much: a coordinate near 40 m in the float32
 * of the reference simulators is rounded to 4 um, and again when they rotate the sheet. */
#define POSITION_EDGE_TOLERANCE_M 1e-5

#define POSITION_FAULTS(X)                                                                    \
    X(POSITION_OK, "ok")                                                                      \
    X(POSITION_BAD_SHOT, "the shot number does not exist in an end under these rules")        \
    X(POSITION_TOO_MANY_STONES, "a team has more stones in play than it has thrown")          \
    X(POSITION_NOT_YET_THROWN, "a stone in play has not been thrown yet at this shot number") \
    X(POSITION_NOT_FINITE, "a coordinate is not a finite number")                             \
    X(POSITION_OUT_OF_SHEET, "a stone lies outside the sheet")                                \
    X(POSITION_OVERLAP, "two stones overlap")

enum position_error {
#define X(name, text) name,
    POSITION_FAULTS(X)
#undef X
};

struct position_fault {
    enum position_error error;
    int stone;         /* the offending stone; -1 if it is not about one */
    int other;         /* POSITION_OVERLAP: the lower-numbered stone it overlaps; else -1 */
    const char *field; /* below the stone: "position.x", "position.y", "position"; NULL: all of it.
                        * POSITION_BAD_SHOT: "shot". Lives as long as the program. */
};

/* Checks the position before shot number `shot` (0 … rules->shots; the last is the board of a
 * finished end). Returns POSITION_OK, or the first fault found, which is then also described in
 * *ret_fault (NULL: not wanted); *ret_fault is untouched if there is none. */
enum position_error position_check(const struct rules *rules, const struct position *position,
                                   int shot, struct position_fault *ret_fault);

/* A sentence for each error. Lives as long as the program. */
const char *position_error_text(enum position_error error);

/* Writes where the fault is, in the words of the Digital Curling JSON: "stones.team0[3].position.x"
 * or "shot". At most `size` bytes with the final 0; 40 are always enough. */
void position_fault_path(const struct position_fault *fault, bool team0_has_hammer, size_t size,
                         char *ret_text);

#endif
