/* The rules of a game: number of shots in an end, free guard zone, counting, and where a resting
 * stone may lie. Each profile's rules are in its row of models/tables/profiles.h. All lengths are
 * metres in the shot frame (sheet.h) and refer to the centre of a stone. */
#ifndef RINKD_MODELS_GAME_RULES_H
#define RINKD_MODELS_GAME_RULES_H

#include "models/game/vec2.h"

#include <stdbool.h>

/* No game has more ends than this, extra ends included; Digital Curling 3 has the same limit. */
enum { RULES_ENDS_MAX = 255 };

/* Stones protected during the first shots of an end, and from what. */
enum rules_protection {
    RULES_PROTECT_GUARDS,         /* an opponent stone in the zone must stay in play */
    RULES_PROTECT_GUARDS_IN_ZONE, /* an opponent stone in the zone must stay in the zone */
    RULES_PROTECT_ALL_STONES      /* every stone of either team, anywhere, must stay in play */
};

/* Rule for stones of both teams at exactly the same distance from the tee. */
enum rules_tie {
    RULES_TIE_NOBODY, /* neither is nearer; these stones do not count */
    RULES_TIE_TEAM0   /* team0's stone counts as the nearer one */
};

/* An area of the sheet: |x| < side_x and near_y < y < far_y. */
struct rules_area {
    double side_x, near_y, far_y;
};

struct rules {
    const char *name; /* of the profile */

    /* The game. */
    int shots;        /* per end, both teams together */
    int preplaced;    /* stones of each team that lie on the sheet before the first shot, 0 or 1 */
    int ends;         /* default number of ends of a game */
    int extra_ends;   /* default limit of extra ends after a tie */
    bool can_concede; /* a team may concede */

    /* The free guard zone: y in (guard_near_y, guard_far_y), at least guard_house_radius from the
     * tee. Shots 0 … protected_shots - 1 must respect it. */
    int protected_shots;
    enum rules_protection protection;
    double guard_near_y, guard_far_y;
    double guard_house_radius;
    double no_tick_half_width; /* > 0: an opponent guard with |x| <= this, i.e. on the centre line,
                                * must still touch the centre line afterwards; 0: no such rule */

    /* Counting. */
    double score_radius;         /* a stone nearer to the tee than this is in the house */
    bool score_radius_inclusive; /* so is a stone exactly that near */
    enum rules_tie tie;

    /* Limits for stones. */
    struct rules_area sheet; /* all stones of a position lie in here */
    struct rules_area play;  /* a stone outside counts as gone; dc2 still reports it after the shot
                                and removes it with the next one */
};

/* Number of stones of an end, placed and thrown; their indices are 0 … rules_stones() - 1. */
static inline int rules_stones(const struct rules *rules)
{
    return rules->shots + 2 * rules->preplaced;
}

/* The index of the stone delivered by a shot. Placed stones come first (stone 0 is sente's, stone 1
 * gote's), like slot 0 in Digital Curling 4, so even stones are sente's under all rules. */
static inline int rules_stone_of_shot(const struct rules *rules, int shot)
{
    return shot + 2 * rules->preplaced;
}

/* The shot that delivers a stone: the inverse. */
static inline int rules_shot_of_stone(const struct rules *rules, int stone)
{
    return stone - 2 * rules->preplaced;
}

/* How many players of a team throw: four, two shots each in a row, or in mixed doubles two. */
static inline int rules_throwers(const struct rules *rules)
{
    return rules->preplaced > 0 ? 2 : 4;
}

/* Which of them throws this shot of the end; in mixed doubles the first player of a team throws its
 * first and its last shot. */
static inline int rules_thrower_of_shot(const struct rules *rules, int shot)
{
    int own = shot / 2;

    if (rules->preplaced == 0)
        return own / 2;
    return own == 0 || own == rules->shots / 2 - 1 ? 0 : 1;
}

/* Whether a stone's centre is inside the area; false for NaN. */
static inline bool rules_area_has(const struct rules_area *area, struct vec2 at)
{
    return fabs(at.x) < area->side_x && at.y > area->near_y && at.y < area->far_y;
}

#endif
