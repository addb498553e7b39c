/* A whole game: ends, extra ends, scores, hammer, shot number, and who won.
 *
 * A *team* (0 or 1) plays the whole game; a *seat* (sente or gote, position.h) is its role in one
 * end: the team with the hammer sits in gote. The game knows nothing of ice: the caller passes the
 * places where the stones came to rest, and the game applies the rules. The host keeps the clocks.
 * Under rules of mixed doubles an end begins with game_set_up(). */
#ifndef RINKD_MODELS_GAME_GAME_H
#define RINKD_MODELS_GAME_GAME_H

#include "models/game/position.h"
#include "models/game/position_check.h"
#include "models/game/rules.h"
#include "models/game/setup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(error, field that game_check() blames, in the words of the Digital Curling JSON, sentence). */
#define GAME_ERRORS(X)                                                                       \
    X(GAME_OK, NULL, "ok")                                                                   \
    X(GAME_OVER, "game_result", "the game is over")                                          \
    X(GAME_NOT_SET_UP, "stones", "the placed stones of this end are not on the sheet yet")   \
    X(GAME_NO_CONCEDE, "move", "these rules do not allow a concession")                      \
    X(GAME_BAD_TEAM, "team", "a team is 0 or 1")                                             \
    X(GAME_BAD_ENDS, "setting.max_end", "the number of ends is not 1 to 255")                \
    X(GAME_BAD_EXTRA_ENDS, "setting.extra_ends", "the number of extra ends is not 0 to 255") \
    X(GAME_BAD_END, "end", "the game does not have such an end, or was decided before it")   \
    X(GAME_BAD_SHOT, "shot", "the end does not have such a shot")                            \
    X(GAME_BAD_HAMMER, "hammer", "the hammer belongs to team 0 or 1")                        \
    X(GAME_BAD_SCORE, "scores", "not the score of an end")                                   \
    X(GAME_SCORE_TOO_EARLY, "scores", "the end has not been played yet")                     \
    X(GAME_BAD_RESULT, "game_result", "the result does not follow from the scores")          \
    X(GAME_BAD_SETUP, "setup", "no setup of this end of the game")                           \
    X(GAME_BAD_STONES, "stones", "the stones cannot lie like this")

enum game_error {
#define X(name, field, text) name,
    GAME_ERRORS(X)
#undef X
};

enum game_reason {
    GAME_RUNNING,
    GAME_WON_BY_SCORE,
    GAME_WON_BY_CONCESSION,
    GAME_WON_BY_TIME,
    GAME_DRAWN
};

struct game {
    const struct rules *rules;
    int ends;       /* regulation ends, 1 … RULES_ENDS_MAX */
    int extra_ends; /* most extra ends after a tie, 0 … RULES_ENDS_MAX; RULES_ENDS_MAX also limits
                       all ends together */

    int end;  /* the current end from 0; >= `ends`: an extra end. After a game decided by score or
                 drawn: the number of ends played. */
    int shot; /* the next shot of the end, 0 … rules->shots - 1 */
    int hammer_team;    /* throws last in the current end; in mixed doubles, before
                           game_set_up(): the team that chooses the setup */
    bool gave_hammer;   /* mixed doubles: the team that chose throws first in this end */
    bool power_used[2]; /* mixed doubles: [team] has taken its power play, this end included */
    int8_t scores[2][RULES_ENDS_MAX]; /* [team][end], extra ends too; 0 where not yet played */
    struct position position;         /* the stones before the next shot */

    struct {
        enum game_reason reason;
        int winner; /* -1 while running and when drawn */
    } result;
};

/* The effect of one shot. */
struct game_turn {
    struct position board; /* the stones after the shot; after a foul, those before it. When the end
                              is finished, the game itself already shows the next, empty sheet. */
    int offended;          /* the protected stone it illegally moved; -1: no foul */
    bool end_finished;
    int score; /* of the finished end, positive for sente; 0 during the end */
};

struct game_fault {
    enum game_error error;
    int team, end; /* of the score, for GAME_BAD_SCORE and GAME_SCORE_TOO_EARLY; else -1 */
    struct position_fault position; /* GAME_BAD_STONES: the stone and the reason */
};

/* Starts a game at end 0, shot 0. In all official servers team 1 has the first hammer. Errors:
 * GAME_BAD_ENDS, GAME_BAD_EXTRA_ENDS, GAME_BAD_TEAM. `rules` must outlive the game. */
enum game_error game_start(const struct rules *rules, int ends, int extra_ends, int hammer_team,
                           struct game *ret_game);

/* Mixed doubles: whether the end waits for game_set_up(). */
bool game_wants_setup(const struct game *game);

/* Mixed doubles: the team that chooses, or chose, the setup of the current end. */
static inline int game_chooser(const struct game *game)
{
    return game->gave_hammer ? 1 - game->hammer_team : game->hammer_team;
}

/* Mixed doubles: whether the team that chooses can take this setup: the power play only once a game
 * and not in extra ends. */
bool game_allows_setup(const struct game *game, enum setup setup);

/* Mixed doubles: places the stones of the end; game_chooser() chose. Errors: GAME_OVER,
 * GAME_BAD_SETUP (the end does not want a setup, or not this one; `pattern` out of range). */
enum game_error game_set_up(struct game *game, enum setup setup, int pattern);

/* Applies one shot: `after` holds the places of rest of all stones, before any free-guard-zone
 * decision. Decides on fouls and counts the shot. After the last shot of the end it counts the
 * score, passes the hammer (the scoring team loses it, a blank end keeps it; in mixed doubles a
 * blank end passes the choice of the setup to the team that did not have it), and goes to the next
 * end, an extra end (regulation ends are over and level) or the end of the game. *ret_turn (NULL:
 * not wanted) describes the effect. Errors: GAME_OVER, GAME_NOT_SET_UP, GAME_BAD_STONES (a stone in
 * `after` that was neither in play nor delivered). */
enum game_error game_play(struct game *game, const struct position *after,
                          struct game_turn *ret_turn);

/* `team` concedes and the other team wins. As on the official servers, the next shot counts as
 * taken. Errors: GAME_NO_CONCEDE, GAME_OVER, GAME_BAD_TEAM. */
enum game_error game_concede(struct game *game, int team);

/* The team to throw, -1 when the game is over. */
int game_next_team(const struct game *game);

/* Points of a team in all ends so far. */
int game_total(const struct game *game, int team);

/* The stone thrown next, and the seat that throws it. */
static inline int game_next_stone(const struct game *game)
{
    return rules_stone_of_shot(game->rules, game->shot);
}

static inline enum seat game_next_seat(const struct game *game)
{
    return seat_of_stone(game_next_stone(game));
}

static inline bool game_team0_has_hammer(const struct game *game)
{
    return game->hammer_team == 0;
}

/* Checks a game from outside, in the order of the fields; `rules` must be valid. Returns GAME_OK,
 * or the first fault, described in *ret_fault (NULL: not wanted); without a fault *ret_fault is
 * untouched. It does not check that the hammer follows from the scores, so users can make up
 * situations. */
enum game_error game_check(const struct game *game, struct game_fault *ret_fault);

/* A sentence for each error. Lives as long as the program. */
const char *game_error_text(enum game_error error);

/* "score", "concede", "time_limit", "draw" as in the Digital Curling JSON; NULL for GAME_RUNNING.
 */
const char *game_reason_name(enum game_reason reason);

/* Writes the path of the fault in the words of the Digital Curling JSON: "scores.team1[2]",
 * "stones.team0[3].position.x", "hammer". At most `size` bytes with the final 0; 40 are always
 * enough. */
void game_fault_path(const struct game *game, const struct game_fault *fault, size_t size,
                     char *ret_text);

#endif
