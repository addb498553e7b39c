/* One throw, either as intended or as the stone leaves the hand. */
#ifndef RINKD_MODELS_GAME_SHOT_H
#define RINKD_MODELS_GAME_SHOT_H

#include "models/game/vec2.h"

/* |omega| of an ordinary delivery. */
#define SHOT_TURN_DC2_RADPS  ((double)0.066696f)
#define SHOT_TURN_FCV1_RADPS 1.57079632679489661923
/* The largest |omega| that readers and engines take. Servers take any; 15.7 is thrown on them. */
#define SHOT_TURN_MAX_RADPS 40.0

struct shot {
    struct vec2 velocity; /* m/s in the shot frame, in the profile's own strength units
                           * (Digital Curling 2 plays about ten times faster than real ice) */
    double omega; /* rad/s, counter-clockwise positive, 0 = no spin. In dc2 only its sign matters;
                     in FCV1 it decays, and the curl ends when it reaches 0. */
};

#endif
