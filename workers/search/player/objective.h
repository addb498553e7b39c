/* The objective of a player: points in this end, or winning the game.
 *
 * Either way each score of an end has one worth, so a search needs only the distribution of scores
 * and this row of 17 numbers. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_OBJECTIVE_H
#define RINKD_WORKERS_SEARCH_PLAYER_OBJECTIVE_H

#include "models/game/game.h"

/* Scores of an end from -8 to 8: entry OBJECTIVE_ZERO + s belongs to a score of s. */
enum { OBJECTIVE_SCORES = 17, OBJECTIVE_ZERO = 8 };

/* Probabilities of the end's score, for the side to move. */
struct score_distribution {
    double p[OBJECTIVE_SCORES];
};

enum objective_kind {
    OBJECTIVE_SCORE, /* expected points of this end */
    OBJECTIVE_WIN    /* probability of winning the game, a draw counts one half; points weigh one
                        hundredth and decide between shots that win equally often */
};
extern const char *const objective_names[]; /* NULL at the end */

/* The setting of players, as the contents of a row in their tables. */
#define OBJECTIVE_SETTING(initial)                               \
    "objective", SETTING_CHOICE, initial, 0, 1, objective_names, \
        "play for points of this end or for winning the game"

struct win_table;
struct win_mix;

struct objective {
    /* Worth of each score, for the side to move. It can fall with the score: in the last ends a
     * point can be worth less than the hammer. */
    double worth[OBJECTIVE_SCORES];
    double win[OBJECTIVE_SCORES]; /* probability of winning the game after this score */
};

/* Computes the objective of the side to move in the game's current end. Chances are those of
 * `table`, or of the game's profile if it is NULL (win_table.h). */
void objective_of_game(const struct game *game, enum objective_kind kind,
                       const struct win_table *table, struct objective *ret_objective);

/* Replaces `win`, and not the worths, by the chances against an opponent of this mix (win_table.h).
 * A weak one lets almost every lead win, so that play for these chances is careless (rink.md). */
void objective_tell_against(const struct win_mix *opponent, const struct game *game,
                            struct objective *objective);

/* Expectations: the sums over s of p(s) worth(s), p(s) win(s), p(s) s. */
double objective_worth(const struct objective *objective, const struct score_distribution *d);
double objective_win(const struct objective *objective, const struct score_distribution *d);
double objective_score(const struct score_distribution *d);

#endif
