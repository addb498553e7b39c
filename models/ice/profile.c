/* The order of stones. See profile.h. */
#include "models/ice/profile.h"

#include "models/game/frame.h"

int ice_body_of_stone(const struct ice_profile *ice, bool team0_has_hammer, int stone)
{
    return ice->law == ICE_DC2 ? stone : frame_slot_of_stone(team0_has_hammer, stone);
}

int ice_stone_of_body(const struct ice_profile *ice, bool team0_has_hammer, int body)
{
    return ice->law == ICE_DC2 ? body : frame_stone_of_slot(team0_has_hammer, body);
}
