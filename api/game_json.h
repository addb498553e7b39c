/* A game, its stones and a shot in the words of Digital Curling 3 and 4: what shot queries and
 * simulations have in common, reading and writing.
 *
 * profile    a row of models/game/rules.h: "dc2", "dc3", "dc4", "dc4-no-tick", …
 * state      as in an update of Digital Curling 3, which can be pasted whole: end, shot, hammer,
 *            scores (one entry an end, null for those not yet played), stones (a slot for each
 *            delivery of a team, null = not in play), and optionally extra_end_score, game_result
 *            (null: the game must be running) and thinking_time_remaining. A stone's angle and the
 *            thinking time are checked for their form and change nothing.
 * setting    {"max_end"?, "extra_ends"?}: regulation ends and the most extra ends after a tie;
 *            those of the profile when absent
 * shot       {"velocity":{"x","y"},"rotation":"cw"|"ccw"|null} (null: no spin), in dc2 also
 *            "native":{"vx","vy","spin"} for a Digital Curling 2 server, in dc4 also
 *            "translational_velocity", "shot_angle" and "angular_velocity" (clockwise positive)
 *
 * Positions and velocities are in the shot frame under all profiles (models/game/sheet.h). */
#ifndef RINKD_API_GAME_JSON_H
#define RINKD_API_GAME_JSON_H

#include "api/strict_json.h"
#include "models/game/game.h"
#include "models/game/shot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "team0", "team1". */
const char *game_team_name(int team);

/* Reads the members "profile", "state" and "setting" of a document: a game that is running and
 * passes game_check(), its next shot is wanted. False after adding errors to the document's;
 * *ret_game may then be anything, but its `rules` are NULL or the profile's. */
bool game_decode(const struct strict_place *document, struct game *ret_game);

/* Reads the member "shot": the velocity, or the numbers of the profile's own server in its place,
 * and the turn, which in dc2 and dc4 may be said by those numbers alone. A shot that is said twice,
 * as answers have it, must be the same both times; a rotation without a rate is that of an ordinary
 * delivery. All numbers are rounded to float32, which is what the official servers take. */
bool game_shot_decode(const struct strict_place *document, const struct rules *rules,
                      struct shot *ret_shot);

/* The stones of a sheet alone, whatever the game around them, as before the shot after the last:
 * {"profile","stones","hammer"?}; hammer is "team1" when absent. */
struct game_board {
    const struct rules *rules;
    bool team0_has_hammer;
    struct position position; /* passes position_check() */
};

/* Reads one. True and *ret_board, or false and at least one error in *ret_errors, which is
 * overwritten in both cases. */
bool game_board_decode(json_t *document, struct game_board *ret_board,
                       struct strict_errors *ret_errors);

/* --- writing; the caller owns the JSON, NULL when memory is short --- */

/* A state that reads back as this game. One that is over has no hammer, and a "game_result":
 * {"winner":"team0"|"team1"|null,"reason"}, as the last update of Digital Curling 3 has it. */
json_t *game_state_json(const struct game *game);

/* {"team0":[8 slots],"team1":[8 slots]}, a slot {"position":{"x","y"}} or null. */
json_t *game_stones_json(const struct position *position, bool team0_has_hammer);

/* In all the words that its profile has for it. */
json_t *game_shot_json(const struct rules *rules, const struct shot *shot);

#ifdef __cplusplus
}
#endif

#endif
