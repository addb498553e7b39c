/* How a player throws, told from what its throws did.
 *
 * A throw is a row of classes: what kind of shot it was, in which situation (the part of the end,
 * with or without the hammer, who lies No. 1), where its stone came to rest, which way it turned
 * and how hard it was thrown. A style counts them; the likelihood of a throw under a style is the
 * product of the shares of its classes. */
#ifndef RINKD_WORKERS_SEARCH_STYLE_STYLE_H
#define RINKD_WORKERS_SEARCH_STYLE_STYLE_H

#include "models/game/rules.h"
#include "models/game/throw_seen.h"
#include "models/ice/profile.h"
#include "models/tables/profiles.h"

#include <stdbool.h>
#include <stdint.h>

/* What is looked at, each given the one behind "of". */
enum style_trait {
    STYLE_KIND,   /* of the situation: draw, guard, freeze, hit that stays, hit that goes, raise,
                     through, other */
    STYLE_PLACE,  /* of kind and No. 1: near, at a distance, far, gone */
    STYLE_TURN,   /* of kind and No. 1: counter-clockwise, clockwise */
    STYLE_WEIGHT, /* of kind and No. 1: to rest in the house or before it, firm, hard, hardest */
    STYLE_TRAITS
};

enum {
    STYLE_SITUATIONS = 24, /* 4 parts of the end x hammer x 3 owners of No. 1 */
    STYLE_KINDS = 8,
    STYLE_GROUPS = 3 * STYLE_KINDS, /* kinds x owners of No. 1 */
    STYLE_CLASSES_MAX = 8,
    STYLE_COUNTS = STYLE_SITUATIONS * STYLE_KINDS + STYLE_GROUPS * (4 + 2 + 4)
};

/* The numbers of a trait: `groups` times `classes` from `first` on. */
struct style_part {
    int first, groups, classes;
};
extern const struct style_part style_parts[STYLE_TRAITS];

/* A throw: its place among the numbers of each trait; -1: not known. */
struct style_throw {
    int16_t number[STYLE_TRAITS];
};

/* Tells what a throw was. False: its shot cannot be thrown. */
bool style_see(const struct rules *rules, const struct ice_profile *ice,
               const struct throw_seen *seen, struct style_throw *ret_throw);

/* A known style: how often each class was seen in measured games (rink-evaluate styles). */
struct style_row {
    const char *profile, *player; /* the player's spec */
    double errs; /* how far it errs as the opponent of rink:opponent=fallible does, 0 to 1 */
    int ends[2][PROFILE_SCORES]; /* how often rink scored -8 … 8 against it in ends played for
                                  * points, as sente and as gote; all 0: it is rink's equal */
    uint16_t count[STYLE_COUNTS];
};

/* The library, ordered by profile; at most STYLE_ROWS_MAX rows, then one with profile NULL. */
enum { STYLE_ROWS_MAX = 24 };
extern const struct style_row style_rows[];

bool style_has_ends(const struct style_row *row);

#endif
