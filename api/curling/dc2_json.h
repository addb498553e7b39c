/* The state of a Digital Curling 2 server, in its own words and frame:
 *
 *   {"shot","end","ends","to_move","position":[x0,y0,…,x15,y15],"scores"?}
 *
 * shot, end, ends and to_move are the numbers of SETSTATE, position those of POSITION in order of
 * delivery, "0 0" is out of play; scores are those of SCORE, one for each finished end, absent
 * while there is none. to_move 0 is team0, and positive scores are its own; where a server calls
 * the team that throws first 1, swap both. */
#ifndef RINKD_API_CURLING_DC2_JSON_H
#define RINKD_API_CURLING_DC2_JSON_H

#include "api/base/strict_json.h"

/* Returns the same as a state of Digital Curling 3 (game_json.h). NULL after adding an error, or
 * when memory is short. The caller owns it. */
json_t *dc2_state_json(const struct strict_place *native);

#endif
