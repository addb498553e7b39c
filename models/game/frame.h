/* Converts the numbering and the axes of other programs to the project's own (sheet.h, position.h).
 * Used where data enters and leaves, and by the engines, because the reference simulators resolve
 * simultaneous contacts in the order of their own numbers. */
#ifndef RINKD_MODELS_GAME_FRAME_H
#define RINKD_MODELS_GAME_FRAME_H

#include "models/game/position.h"

/* The frame of Digital Curling 2 is the shot frame turned by 180 degrees about the tee, which lies
 * at (2.375, 4.88) there. The same call converts both ways. Metres. */
static inline struct vec2 frame_dc2_point(struct vec2 at)
{
    return (struct vec2){2.375 - at.x, 43.285 - at.y};
}

/* Velocities turn with the frame, the sense of rotation stays. Converts both ways. m/s. */
static inline struct vec2 frame_dc2_velocity(struct vec2 velocity)
{
    return (struct vec2){-velocity.x, -velocity.y};
}

/* Digital Curling 3 and 4 count a team's stones: slot 8t + s is the s-th stone of team t.
 * stone 0..15 -> slot 0..15. */
static inline int frame_slot_of_stone(bool team0_has_hammer, int stone)
{
    return 8 * team_of_stone(stone, team0_has_hammer) + slot_of_stone(stone);
}

/* … and back: slot 0..15 -> stone 0..15. */
static inline int frame_stone_of_slot(bool team0_has_hammer, int slot)
{
    return stone_of_slot(slot / 8, slot % 8, team0_has_hammer);
}

#endif
