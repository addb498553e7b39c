/* Reads and writes games, stones and shots in the JSON of Digital Curling 3 and 4. Shot queries and
 * simulations share it.
 *
 * profile    a row of models/tables/profiles.h: "dc2", "dc3", "dc4", "dc4-no-tick", …
 * state      as in an update of Digital Curling 3; it can be pasted whole: end, shot, hammer,
 *            scores (one entry an end, null for those not yet played), stones (a slot for each
 *            delivery of a team, null = not in play), and optionally extra_end_score, game_result
 *            (null: the game must be running) and thinking_time_remaining. The form of a stone's
 *            angle and of the thinking time is checked; they change nothing.
 *            In dc2 it may be {"native"} instead, the server's own words (dc2_json.h)
 * setting    {"max_end"?, "extra_ends"?}: regulation ends and the most extra ends after a tie.
 *            Without max_end, the number of ends is the length of `scores` if that list includes
 *            ends not yet played, is shorter than the ends played, or comes with an
 *            extra_end_score, as in an update of Digital Curling 3; else the profile's number. If
 *            both are given, they must agree. Without extra_ends: the profile's number
 * shot       {"velocity":{"x","y"},"rotation":"cw"|"ccw"|null} (null: no spin), in dc2 also
 *            "native":{"vx","vy","spin"} for a Digital Curling 2 server, in dc4 also
 *            "translational_velocity", "shot_angle" and "angular_velocity" (clockwise positive)
 *
 * All profiles use the shot frame (models/game/sheet.h). */
#ifndef RINKD_API_CURLING_GAME_JSON_H
#define RINKD_API_CURLING_GAME_JSON_H

#include "api/base/strict_json.h"
#include "models/game/game.h"
#include "models/game/shot.h"
#include "models/game/throw_seen.h"

struct ice_profile;

/* Larger numbers in documents are refused as mistakes. */
#define GAME_COORDINATE_MAX_M    100.0
#define GAME_SPEED_MAX_MPS       1000.0
#define GAME_SHOT_ANGLE_MAX_RAD  6.283186 /* one turn, in float32 */
#define GAME_SPIN_RATE_MAX_RADPS SHOT_TURN_MAX_RADPS

/* "team0", "team1". */
const char *game_team_name(int team);

/* Reads the members "profile", "state" and "setting" of a document: a running game that passes
 * game_check(). On failure returns false and adds errors to the document's; *ret_game is then
 * undefined, but its `rules` are NULL or the profile's. */
bool game_decode(const struct strict_place *document, struct game *ret_game);

/* Reads a shot: either velocity and rotation, or the numbers of the profile's own
 * server, which in dc2 and dc4 can also replace the rotation. If a shot has both forms, as in
 * answers, they must agree. A rotation without a rate means the rate of an ordinary delivery. All
 * numbers are rounded to float32, as the official servers do. */
bool game_shot_read(const struct strict_place *shot, const struct rules *rules,
                    struct shot *ret_shot);

/* Whether the ice takes the shot that the place tells, in any words; refuses the member that is
 * beyond its limit. Engines have the same limits. */
bool game_shot_fits(const struct strict_place *shot, const struct ice_profile *ice,
                    const struct shot *told);

/* game_shot_read() for the member "shot" of a document, which the ice of the rules has to take. */
bool game_shot_decode(const struct strict_place *document, const struct rules *rules,
                      struct shot *ret_shot);

/* Reads a throw that was seen: {"before","after"?,"shot"?}. before is a state, whose next shot it
 * was; after is {"stones"}, at rest; shot is as it was thrown. One of the last two must be there.
 * `pointer` is that of the entry; rules and numbers of ends are those of `like`. False: errors were
 * added. */
bool game_throw_read(const struct strict_place *entry, const char *pointer, const struct game *like,
                     struct throw_seen *ret_seen);

/* The stones of a sheet without a game, as after the last shot of an end:
 * {"profile","stones","hammer"?}; hammer is "team1" when absent. */
struct game_board {
    const struct rules *rules;
    bool team0_has_hammer;
    struct position position; /* passes position_check() */
};

/* Reads a board. Returns true and *ret_board, or false and at least one error; *ret_errors is
 * overwritten either way. */
bool game_board_decode(json_t *document, struct game_board *ret_board,
                       struct strict_errors *ret_errors);

/* --- writing: the caller owns the JSON; NULL when memory is short --- */

/* Writes a state that reads back as this game. A finished game has no hammer but a "game_result":
 * {"winner":"team0"|"team1"|null,"reason"}, as in the last update of Digital Curling 3. */
json_t *game_state_json(const struct game *game);

/* {"team0":[8 slots],"team1":[8 slots]}, a slot {"position":{"x","y"}} or null. */
json_t *game_stones_json(const struct position *position, bool team0_has_hammer);

/* Writes the shot with all members that its profile knows. */
json_t *game_shot_json(const struct rules *rules, const struct shot *shot);

#endif
