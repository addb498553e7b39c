/* Bounds of the step at which two stones can touch, or a stone can leave the sheet. They let the
 * fast engine skip almost all of the 1 ms steps.
 *
 * Every bound is safe: the step may be too early (one more look), never too late (a missed
 * collision). Notation: r the stone radius, e a unit heading, D the vector from one centre to
 * another, s path length. Three facts about a glide (glide.h) are used throughout: (F1) the heading
 * turns one way only, by less than 90 degrees from release to rest; (F2) hence the path lies in the
 * triangle start - corner - rest, where the corner is the meeting of the tangents at start and
 * rest: between the start tangent and the chord; (F3) speed only falls, and curvature only grows,
 * along the path. */
#ifndef RINKD_MODELS_ICE_APPROACH_H
#define RINKD_MODELS_ICE_APPROACH_H

#include "models/game/sheet.h"
#include "models/ice/glide.h"

#include <stdint.h>

/* Slack of length comparisons (m): the tables are exact to about 1e-6 m, and the reference overruns
 * the last fraction of a step by at most 1e-5 m. */
#define APPROACH_SLACK 2e-5

#define APPROACH_NEVER INT32_MAX
#define APPROACH_TOUCH (-1)

/* The hull of one glide, for the functions below. */
struct approach_hull {
    struct vec2 corner; /* meeting of the tangents at start and rest (F2) */
    double side;        /* +1 or -1: the side to which it bends; either if straight */
    struct vec2 chord;  /* unit, start to rest */
    double chord_length;
};

void approach_hull(const struct glide *glide, struct approach_hull *ret_hull);

/* Places of resting stones as two rows of float32 relative to the tee, for approach_filter(). */
struct approach_places {
    float x[POSITION_STONES], y[POSITION_STONES];
};

static inline void approach_place(struct approach_places *places, int index, struct vec2 at)
{
    places->x[index] = (float)(at.x - SHEET_TEE_X);
    places->y[index] = (float)(at.y - SHEET_TEE_Y);
}

/* Returns a mask; bit k: the glide may touch a stone at place k, or touches it at its start. A
 * clear bit is certain, a set bit is not. Compares all 16 places, even unused ones. */
uint32_t approach_filter(const struct glide *glide, const struct approach_hull *hull,
                         const struct approach_places *places);

/* First step at which a glide can touch a stone that rests at `at`, from the distance alone: a
 * cheap first bound for the pair. APPROACH_NEVER if the glide is too short. */
int32_t approach_soonest(const struct glide_table *table, const struct glide *glide,
                         struct vec2 at);

/* A gliding stone and a resting one at `at`, seen at `step`: APPROACH_TOUCH if they touch now,
 * APPROACH_NEVER if this glide can no longer touch it, else a later step before which they do not
 * touch. */
int32_t approach_resting(const struct glide_table *table, const struct glide *glide, int32_t step,
                         struct vec2 at);

/* The same for two gliding stones. */
int32_t approach_gliding(const struct glide_table *table, const struct glide *a,
                         const struct glide *b, int32_t step);

enum approach_fate {
    APPROACH_STAYS,  /* never out of play while it glides */
    APPROACH_LEAVES, /* goes out at some step and is out from then on */
    APPROACH_UNSURE  /* may go out and come back: approach_exit() finds the step */
};

/* Whether a glide leaves the sheet, judged by its hull. */
enum approach_fate approach_fate(const struct ice_profile *ice, const struct glide *glide,
                                 const struct approach_hull *hull);

/* Seen at `step`: APPROACH_TOUCH if the stone is out now, APPROACH_NEVER if it stays in, else a
 * later step before which it is not out. */
int32_t approach_exit(const struct ice_profile *ice, const struct glide_table *table,
                      const struct glide *glide, int32_t step);

/* True if a stone at this place is out of play while the game goes on around it. */
static inline bool approach_is_out(const struct ice_profile *ice, struct vec2 at)
{
    return !(fabs(at.x) < ice->side_x) || (ice->back == ICE_REMOVE_MOVING && !(at.y < ice->back_y));
}

#endif
