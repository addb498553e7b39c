/* Positions from random play in many styles, as training data for values. */
#ifndef RINKD_WORKERS_LEARN_VALUES_END_STATES_H
#define RINKD_WORKERS_LEARN_VALUES_END_STATES_H

#include "models/game/game.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"

/* Returns the stones before the first shot of end number `number`: none, or in mixed doubles one
 * setup after the other. */
struct position end_state_begin(const struct rules *rules, uint64_t number);

/* Plays `shots` shots of an end with execution noise and returns the settled position. Both sides
 * throw draws, guards, freezes, hits and raises at random. In each end each seat has a style: how
 * often it hits and guards, how close to the tee it aims. seed, stream and game of `key` identify
 * the end. */
void end_state_random(const struct rules *rules, const struct ice_profile *ice,
                      const struct noise *noise, struct random_key key, int shots,
                      struct position *ret_position);

/* Returns a random shot number `shot` for `position`, before execution noise, in the thrower's
 * style in the end that `key` identifies. False if it cannot be aimed. */
bool end_state_shot(const struct ice_profile *ice, struct random_key key,
                    const struct position *position, int shot, struct shot *ret_shot);

/* Throws a shot with execution noise drawn from the key and the shot number, and settles the
 * position. A stone that cannot be thrown leaves it as it is. */
void end_state_throw(const struct rules *rules, const struct ice_profile *ice,
                     const struct noise *noise, struct random_key key, int shot, struct shot aimed,
                     struct position *position);

#endif
