/* Checks whether a position can occur, and names the offending stone and coordinate for error
 * messages. For positions from outside; those of the engines are valid. */
#ifndef RINKD_MODELS_GAME_POSITION_CHECK_H
#define RINKD_MODELS_GAME_POSITION_CHECK_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stdbool.h>
#include <stddef.h>

/* Two stones may overlap by this much. The reference simulators let resting stones overlap: within
 * a 1 ms step a pair that meets too slowly to bounce (< 1 m/s) overlaps by up to 1 mm, and their
 * position solver never removes the last 5 mm ("slop"). The largest overlap in the 8000 positions
 * of tests/vectors is 0.86 mm. */
#define POSITION_OVERLAP_TOLERANCE_M 0.006

/* A stone may lie beyond the edge of the sheet by this much: the reference simulators round a
 * coordinate near 40 m to 4 um (float32), and again when they rotate the sheet. */
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
    int stone;         /* the offending stone; -1 if no single stone is at fault */
    int other;         /* POSITION_OVERLAP: the lower-numbered stone it overlaps; else -1 */
    const char *field; /* field of the stone: "position.x", "position.y", "position"; NULL: the
                          whole stone. POSITION_BAD_SHOT: "shot". Lives as long as the program. */
};

/* Checks the position before shot number `shot` (0 … rules->shots; rules->shots: the board of a
 * finished end). Returns POSITION_OK, or the first fault, described in *ret_fault (NULL: not
 * wanted); without a fault *ret_fault is untouched. */
enum position_error position_check(const struct rules *rules, const struct position *position,
                                   int shot, struct position_fault *ret_fault);

/* A sentence for each error. Lives as long as the program. */
const char *position_error_text(enum position_error error);

/* Writes the path of the fault in the words of the Digital Curling JSON:
 * "stones.team0[3].position.x" or "shot". At most `size` bytes with the final 0; 40 are always
 * enough. */
void position_fault_path(const struct position_fault *fault, bool team0_has_hammer, size_t size,
                         char *ret_text);

#endif
