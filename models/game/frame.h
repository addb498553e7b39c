/* Converts the numbering and the axes of other programs to the project's own (sheet.h, position.h).
 * Used at input and output, and by the engines: the reference simulators resolve simultaneous
 * contacts in the order of their own numbers. */
#ifndef RINKD_MODELS_GAME_FRAME_H
#define RINKD_MODELS_GAME_FRAME_H

#include "models/game/position.h"

/* Converts a point between the shot frame and the frame of Digital Curling 2, which is turned by
 * 180 degrees about the tee, there at (2.375, 4.88). Works both ways. Metres. */
static inline struct vec2 frame_dc2_point(struct vec2 at)
{
    return (struct vec2){2.375 - at.x, 43.285 - at.y};
}

/* Converts a velocity, both ways. Velocities turn with the frame; rotation keeps its sense. m/s. */
static inline struct vec2 frame_dc2_velocity(struct vec2 velocity)
{
    return (struct vec2){-velocity.x, -velocity.y};
}

/* stone 0..15 -> slot 0..15. In Digital Curling 3 and 4, slot 8t + s is stone s of team t. */
static inline int frame_slot_of_stone(bool team0_has_hammer, int stone)
{
    return 8 * team_of_stone(stone, team0_has_hammer) + slot_of_stone(stone);
}

/* Inverse: slot 0..15 -> stone 0..15. */
static inline int frame_stone_of_slot(bool team0_has_hammer, int slot)
{
    return stone_of_slot(slot / 8, slot % 8, team0_has_hammer);
}

#endif
