/* Positions from random play in many styles, to learn values from. */
#ifndef RINKD_WORKERS_LEARN_VALUES_END_STATES_H
#define RINKD_WORKERS_LEARN_VALUES_END_STATES_H

#include "models/game/game.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"

/* Plays `shots` shots of an end with execution noise and returns the settled position. Both sides
 * throw draws, guards, freezes, hits and raises at random. Each seat of each end has a style: how
 * often it hits and guards, how near to the tee it aims. `key`: seed, stream and game name the end.
 */
void end_state_random(const struct rules *rules, const struct ice_profile *ice,
                      const struct noise *noise, struct random_key key, int shots,
                      struct position *ret_position);

/* One random shot of the end that `key` names, before shot number key.shot of `position`: what a
 * thrower in that end's style would intend. False if it cannot be aimed. */
bool end_state_shot(const struct ice_profile *ice, struct random_key key,
                    const struct position *position, int shot, struct shot *ret_shot);

#endif
