/* The list of candidates under construction, shared by candidates.c, candidate_rests.c (stones that
 * come to rest) and candidate_hits.c (stones that meet others). */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_BUILDER_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_BUILDER_H

#include "models/game/sheet.h"
#include "workers/search/shots/candidate.h"
#include "workers/search/shots/shot_path.h"

/* In metres: the distance between the centres of touching stones; how far a take-out of ordinary
 * weight would run past the stone that it meets. */
#define CANDIDATE_CONTACT_M (2.0 * STONE_RADIUS)
#define CANDIDATE_MIDDLE_M  5.0

struct candidate_builder {
    const struct ice_profile *ice;
    const struct rules *rules;
    const struct position *position;
    const struct glide_table *table;
    int stone, most, count;
    double reach;                             /* from the hack to the tee, m */
    double max_speed;                         /* of a release, m/s */
    double max_run;                           /* of such a release, m */
    double across_per_speed, along_per_speed; /* metres at the tee per m/s of a tee draw's error */
    struct candidate *candidates;
    struct {
        bool known, reached;
        struct vec2 heading;
    } strong[POSITION_STONES][2]; /* heading of full-weight shots of each spin at each stone */
};

/* The purpose of a shot, before it is aimed. */
struct purpose {
    enum shot_kind kind;
    int stone, other_stone;
    struct vec2 target;
};

static inline struct vec2 tee_plus(double x, double y)
{
    return (struct vec2){SHEET_TEE_X + x, SHEET_TEE_Y + y};
}

static inline struct vec2 turned(struct vec2 v, double angle)
{
    return vec2_turn(v, (struct vec2){cos(angle), sin(angle)});
}

static inline struct vec2 unit(struct vec2 v)
{
    return vec2_scale(1.0 / vec2_length(v), v);
}

/* Returns the spin of side 0 (counter-clockwise) or 1, in rad/s. */
static inline double spin_of(const struct candidate_builder *b, int side)
{
    return side == 0 ? b->ice->spin : -b->ice->spin;
}

/* Adds a shot unless the list is full, the shot is too hard, or a similar one is already listed. */
void candidate_add(struct candidate_builder *b, const struct purpose *purpose,
                   const struct shot *shot);

/* True if the path of the shot, or of one with a small sideways error, is clear of all stones
 * except `about` (-1: none) until `until_left` metres are left to run. */
bool candidate_is_open(const struct candidate_builder *b, const struct shot *shot,
                       double until_left, int about);

/* True if the free guard zone allows putting this stone out of play now. */
bool candidate_may_remove(const struct candidate_builder *b, int stone);

/* --- candidate_rests.c: shots that come to rest --- */

/* Adds draws and guards at fixed places, whatever the position. */
void candidate_add_places(struct candidate_builder *b);

/* Adds one shot per spin that touches no stone. */
void candidate_add_through(struct candidate_builder *b);

/* Adds freezes against a stone in the house; shots that come to rest behind a stone; guards of an
 * own stone in the house. */
void candidate_add_freezes(struct candidate_builder *b, int about);
void candidate_add_come_arounds(struct candidate_builder *b, int about);
void candidate_add_guards_of(struct candidate_builder *b, int about);

/* --- candidate_hits.c: shots that meet other stones; `about` is the stone that the shot meets
 * first --- */

enum candidate_hits {
    CANDIDATE_TAKE_OUTS,      /* take-outs, rolls and peels */
    CANDIDATE_WEAK_TAKE_OUTS, /* the weakest weights that still remove a stone in the house */
    CANDIDATE_TAPS
};

/* Adds hits on an opponent's stone. */
void candidate_add_hits(struct candidate_builder *b, int about, enum candidate_hits hits);

/* Raises an own stone to `target`. */
void candidate_add_raise(struct candidate_builder *b, int about, struct vec2 target);

/* Removes two opponent's stones; sends any stone into an opponent's. */
void candidate_add_double(struct candidate_builder *b, int about, int other);
void candidate_add_raise_take_out(struct candidate_builder *b, int about, int other);

#endif
