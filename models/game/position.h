/* The stones of one end: their places, and which are in play.
 *
 * A stone's index is the number of the shot that delivered it, 0..15. Even stones belong to the
 * team that throws first (sente), odd ones to the team with the hammer (gote), so no list of owners
 * is needed. api/ converts from and to the team0/team1 slots of the Digital Curling JSON. */
#ifndef RINKD_MODELS_GAME_POSITION_H
#define RINKD_MODELS_GAME_POSITION_H

#include "models/game/sheet.h"
#include "models/game/vec2.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { POSITION_STONES = 16 };

struct position {
    struct vec2 stone[POSITION_STONES]; /* centre, shot frame, metres; 0,0 where not in play */
    uint16_t in_play;                   /* bit k: stone k is in play */
};

enum seat {
    SEAT_SENTE, /* throws first: stones 0, 2, 4, … */
    SEAT_GOTE   /* throws last, has the hammer: stones 1, 3, 5, … */
};

/* The bits of a seat's stones in position.in_play. */
enum { POSITION_SENTE_MASK = 0x5555, POSITION_GOTE_MASK = 0xAAAA };

static inline unsigned seat_mask(enum seat seat)
{
    return seat == SEAT_SENTE ? POSITION_SENTE_MASK : POSITION_GOTE_MASK;
}

static inline enum seat seat_of_stone(int stone)
{
    return (stone & 1) ? SEAT_GOTE : SEAT_SENTE;
}

static inline bool position_has(const struct position *position, int stone)
{
    assert(stone >= 0 && stone < POSITION_STONES);
    return (position->in_play >> stone) & 1;
}

static inline void position_put(struct position *position, int stone, struct vec2 at)
{
    assert(stone >= 0 && stone < POSITION_STONES);
    position->stone[stone] = at;
    position->in_play = (uint16_t)(position->in_play | 1u << stone);
}

/* The team/slot numbering of the Digital Curling JSON: slot = delivery number within the team.
 * `team0_has_hammer`: team0 throws the odd stones. */
static inline int team_of_stone(int stone, bool team0_has_hammer)
{
    return (stone & 1) ^ (team0_has_hammer ? 1 : 0);
}

static inline int slot_of_stone(int stone)
{
    return stone / 2;
}

static inline int stone_of_slot(int team, int slot, bool team0_has_hammer)
{
    return 2 * slot + (team ^ (team0_has_hammer ? 1 : 0));
}

/* Squared distance from the tee, for comparisons. */
static inline double tee_distance_squared(struct vec2 at)
{
    double dx = at.x - SHEET_TEE_X, dy = at.y - SHEET_TEE_Y;
    return dx * dx + dy * dy;
}

#endif
