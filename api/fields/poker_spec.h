/* Players of heads-up hold'em as users write them:
 *
 *   poker:NAME                         o1 … o8, random, base, c1 … c8, ensemble, a-int, a-ave
 *   poker:model=MODEL                  a network, as in player_spec.h
 *   switch:PLAYER|PLAYER…,every=HANDS  each in turn; PLAYER is one of the above */
#ifndef RINKD_API_FIELDS_POKER_SPEC_H
#define RINKD_API_FIELDS_POKER_SPEC_H

#include "api/fields/player_spec.h"

enum {
    POKER_RULES = 8, /* rule players, and counter networks against them */
    POKER_PARTS_MAX = 8,
    POKER_EVERY = 500, /* hands between switches of poker:random */
    POKER_EVERY_MAX = 1000000
};

enum poker_kind {
    POKER_RULE,     /* `number` from 0 */
    POKER_COUNTER,  /* `number` from 0 */
    POKER_BASE,     /* shipped base network */
    POKER_ENSEMBLE, /* counters weighted by the model of the opponent, base while unsure */
    POKER_NO_BASE,  /* the same without base */
    POKER_EQUAL,    /* counters with equal weights */
    POKER_MODEL
};

struct poker_part {
    enum poker_kind kind;
    int number;
    char model[PLAYER_MODEL_MAX];
};

struct poker_spec {
    int parts, every; /* every: hands between switches; 0: one part */
    bool shuffled;    /* a new order each time all parts have played */
    struct poker_part part[POKER_PARTS_MAX];
};

/* The beginning of the text of a player. */
#define POKER_PREFIX       "poker:"
#define POKER_MODEL_PREFIX POKER_PREFIX "model="

/* Reads a text. On failure returns false and writes a sentence into ret_error (PLAYER_ERROR_MAX
 * bytes); *ret_spec is then undefined. */
bool poker_spec_read(const char *text, struct poker_spec *ret_spec,
                     char ret_error[PLAYER_ERROR_MAX]);

/* Players that forms offer; NULL at the end. */
extern const char *const poker_spec_examples[];

#endif
