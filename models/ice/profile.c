/* The table of ice profiles. Facts measured on the official simulators. */
#include "models/ice/profile.h"

#include "models/game/shot.h"

#include "models/game/frame.h"

#include <string.h>

static const struct ice_profile profiles[] = {
    {
        .name = "dc2",
        .law = ICE_DC2,
        .about = "Digital Curling 2 (GAT 2015-2018), the ice of the research papers",
        .hack = {0.0, 43.285 - 41.28},
        .max_speed = 45.0,
        .max_omega = 10.0,
        .spin = SHOT_TURN_DC2_RADPS,
        .side_x = 2.375 - 0.145,
        .back_y = 43.285 - 2.905,
        .back = ICE_REMOVE_MOVING,
        .hog_y = 43.285 - 11.135,
        .hog = ICE_HOG_DELIVERED,
        .contact_friction = 12.009216,
        .restitution_threshold = 1.0,
        .velocity_iterations = 10,
        .position_iterations = 10,
        .noise = ICE_NOISE_GAT,
        .player_max_omega = HUGE_VAL,
    },
    {
        .name = "dc3",
        .law = ICE_FCV1,
        .about = "Digital Curling 3 (FCV1), the ice of today's competitions",
        .hack = {0.0, 0.0},
        .max_speed = 6.0,
        .max_omega = 10.0,
        .spin = SHOT_TURN_FCV1_RADPS,
        .side_x = 2.375 - 0.145,
        .back_y = 40.234 + 0.145,
        .back = ICE_REMOVE_MOVING,
        .hog_y = 32.004 + 0.145,
        .hog = ICE_HOG_ALL_STONES,
        .contact_friction = 0.2,
        .restitution_threshold = 0.0,
        .velocity_iterations = 8,
        .position_iterations = 3,
        .noise = ICE_NOISE_NORMAL_DIST,
        .player_max_omega = HUGE_VAL,
    },
    {
        .name = "dc4",
        .law = ICE_FCV1,
        .about = "Digital Curling 4 (FCV1 with free spin and its own rules)",
        .hack = {0.0, 0.0},
        .max_speed = 6.0,
        .max_omega = 10.0,
        .spin = SHOT_TURN_FCV1_RADPS,
        .side_x = 2.375 - 0.145,
        .back_y = 40.234 + 0.145,
        .back = ICE_REMOVE_AT_REST,
        .hog_y = 32.004 + 0.145,
        .hog = ICE_HOG_DELIVERED_UNTOUCHED,
        .contact_friction = 0.2,
        .restitution_threshold = 0.0,
        .velocity_iterations = 8,
        .position_iterations = 3,
        .noise = ICE_NOISE_NORMAL_DIST,
        .player_min_omega = 0.52359877559829887308,
        .player_max_omega = 1.57079632679489661923,
    },
};

enum { PROFILES = sizeof profiles / sizeof profiles[0] };

const struct ice_profile *ice_profile_at(int index)
{
    return index >= 0 && index < PROFILES ? &profiles[index] : NULL;
}

const struct ice_profile *ice_profile_find(const char *name)
{
    if (strcmp(name, "fcv1") == 0)
        name = "dc3";
    for (int k = 0; k < PROFILES; k++)
        if (strcmp(profiles[k].name, name) == 0)
            return &profiles[k];
    return NULL;
}

int ice_body_of_stone(const struct ice_profile *ice, bool team0_has_hammer, int stone)
{
    return ice->law == ICE_DC2 ? stone : frame_slot_of_stone(team0_has_hammer, stone);
}

int ice_stone_of_body(const struct ice_profile *ice, bool team0_has_hammer, int body)
{
    return ice->law == ICE_DC2 ? body : frame_stone_of_slot(team0_has_hammer, body);
}
