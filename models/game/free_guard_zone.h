/* The free guard zone: which shots of an end are fouls, and the position after a foul.
 *
 * During the first shots of an end some stones must not be knocked away (rules.h says which, and
 * for how long). If one is, all stones go back to where they were, the delivered stone is taken
 * off, and the shot counts as thrown. */
#ifndef RINKD_MODELS_GAME_FREE_GUARD_ZONE_H
#define RINKD_MODELS_GAME_FREE_GUARD_ZONE_H

#include "models/game/position.h"
#include "models/game/rules.h"

#include <stdbool.h>

/* Whether a stone at `at` is a guard under the rules: before the tee line (dc4: its centre; else
 * all of it), in front of or beside the house and not touching it. */
bool free_guard_zone_has(const struct rules *rules, struct vec2 at);

/* The protected stone that the shot illegally moved (the lowest index if there are several), or -1
 * if the shot was legal. `shot` is the number of the shot within the end, 0 … rules->shots - 1;
 * `before` and `after` are the stones before it and at rest after it. */
int free_guard_zone_offended(const struct rules *rules, const struct position *before,
                             const struct position *after, int shot);

/* Writes the position for the next shot: `after`, or `before` if the shot was a foul. Returns true
 * on a foul. *ret_settled may be *after or *before. */
bool free_guard_zone_settle(const struct rules *rules, const struct position *before,
                            const struct position *after, int shot, struct position *ret_settled);

#endif
