/* How the list of candidates is built: shared by candidates.c (stones that come to rest) and
 * candidate_hits.c (stones that meet others), for nobody else. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_BUILDER_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_BUILDER_H

#include "models/game/sheet.h"
#include "workers/search/shots/candidates.h"
#include "workers/search/shots/shot_path.h"

/* Two stones touch at this distance of their centres; one nearer to the tee than that is in the
 * house or touches it. Metres. */
#define CANDIDATE_CONTACT_M (2.0 * STONE_RADIUS)
#define CANDIDATE_HOUSE_M   1.974
/* Ordinary weight of a take-out: would run on so far behind the stone it meets. */
#define CANDIDATE_MIDDLE_M 5.0

/* The list of candidates in the making, and what all its makers need to know. */
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
    } strong[POSITION_STONES][2]; /* how full-weight shots of each spin come in at the stones */
};

/* What a shot is about, before it is aimed. */
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

/* Spin of side 0 (counter-clockwise) and 1, rad/s. */
static inline double spin_of(const struct candidate_builder *b, int side)
{
    return side == 0 ? b->ice->spin : -b->ice->spin;
}

/* Puts a shot on the list unless it is full, the shot too hard, or one like it stands there. */
void candidate_add(struct candidate_builder *b, const struct purpose *purpose,
                   const struct shot *shot);

/* Whether the way of the shot, or of one that errs a little to a side, is clear of all stones but
 * `about` (-1: none) until it has `until_left` metres to run. */
bool candidate_is_open(const struct candidate_builder *b, const struct shot *shot,
                       double until_left, int about);

/* Whether the free guard zone lets this stone be put out of play now. */
bool candidate_may_remove(const struct candidate_builder *b, int stone);

/* Take-outs, rolls and peels of an opponent's stone; those with just enough weight; taps. */
void candidate_add_take_outs(struct candidate_builder *b, int about);
void candidate_add_weak_take_outs(struct candidate_builder *b, int about);
void candidate_add_taps(struct candidate_builder *b, int about);

/* An own stone raised to `target`. */
void candidate_add_raise(struct candidate_builder *b, int about, struct vec2 target);

/* Two opponent's stones at one go; any stone sent into an opponent's. */
void candidate_add_double(struct candidate_builder *b, int about, int other);
void candidate_add_raise_take_out(struct candidate_builder *b, int about, int other);

#endif
