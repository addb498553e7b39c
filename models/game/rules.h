/* The rules of a game: how many shots an end has, which stones the free guard zone protects and
 * how, who counts, and where a resting stone may lie. The rules of each profile are in its row of
 * models/tables/profiles.h. All lengths are metres in the shot frame (sheet.h) and refer to the
 * centre of a stone. */
#ifndef RINKD_MODELS_GAME_RULES_H
#define RINKD_MODELS_GAME_RULES_H

#include "models/game/vec2.h"

#include <stdbool.h>

/* No game has more ends than this, extra ends included; Digital Curling 3 has the same limit. */
enum { RULES_ENDS_MAX = 255 };

/* What the free guard zone protects during the first shots of an end, and from what. */
enum rules_protection {
    RULES_PROTECT_GUARDS,         /* an opponent stone in the zone must not be put out of play */
    RULES_PROTECT_GUARDS_IN_ZONE, /* … and must not be moved out of the zone either */
    RULES_PROTECT_ALL_STONES /* no stone of either team, wherever it lies, may go out of play */
};

/* What happens when stones of both teams are at exactly the same distance from the tee. */
enum rules_tie {
    RULES_TIE_NOBODY, /* neither is nearer: such stones do not count */
    RULES_TIE_TEAM0   /* team0's stone is taken as the nearer one */
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
    int ends;         /* of a game, unless the setting says otherwise */
    int extra_ends;   /* most extra ends after a tie, unless the setting says otherwise */
    bool can_concede; /* there is a move to give up the game */

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
    bool score_radius_inclusive; /* … or exactly as near */
    enum rules_tie tie;

    /* Where stones may be. */
    struct rules_area sheet; /* any stone of a position lies in here */
    struct rules_area play;  /* a stone outside counts as gone: dc2 still reports it after the shot
                                and removes it with the next one */
};

/* Stones of an end, placed and thrown: they have the indices 0 … rules_stones() - 1. */
static inline int rules_stones(const struct rules *rules)
{
    return rules->shots + 2 * rules->preplaced;
}

/* The index of the stone delivered by a shot. Placed stones come first (stone 0 is sente's, stone
 * 1 gote's), as slot 0 of Digital Curling 4, so even stones are sente's under all rules. */
static inline int rules_stone_of_shot(const struct rules *rules, int shot)
{
    return shot + 2 * rules->preplaced;
}

/* Whether a stone's centre is inside the area; false for NaN. */
static inline bool rules_area_has(const struct rules_area *area, struct vec2 at)
{
    return fabs(at.x) < area->side_x && at.y > area->near_y && at.y < area->far_y;
}

#endif
