/* A pair: two games between the same two players with the seats swapped and all else equal. It is
 * the unit of every comparison of strength.
 *
 * Both games share their luck: errors of the hands and the random key of the players. Each draw
 * depends on (seed, stream, pair, end, shot) and on the team that has the hammer, which is the same
 * in both games if the other player has it. So an end that is the swapped one of the other game
 * gives each player the luck that the other one had there, and two identical players share every
 * pair. After an end that came out differently one player may have the hammer in both games. Then
 * the games do not share their luck: the same throws by the same player with the same errors would
 * be a copy, which tells nothing and makes results vary up to 1.5 times as much as those of
 * independent games. Pairs of setting.luck_by JOB_LUCK_BY_SEAT share it there, too: matches that
 * began before the team counted go on so.
 *
 * In mixed doubles the player whose choice it is chooses the setup of each end
 * (models/game/setup.h); the place of the guards is the same in all ends of a pair, and the pairs
 * go through all places. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_PAIR_H
#define RINKD_WORKERS_EVALUATE_PLAY_PAIR_H

#include "api/curling/match_record.h"
#include "models/game/game.h"
#include "workers/evaluate/play/luck.h"
#include "workers/search/player/player.h"

/* The setting of all pairs of a match. Rules and ice must outlive it. */
struct pair_setting {
    const struct rules *rules;
    const struct ice_profile *ice;
    struct noise noise; /* of the hands of both players; passes noise_check() */
    int ends;           /* 1 … PAIR_ENDS_MAX */
    int extra_ends; /* most extra ends after a tie, 0 … PAIR_EXTRA_ENDS_MAX; a remaining tie is a
                       draw */
    struct player_limits limits; /* of each move; `threads` is ignored: games run in parallel, a
                                    move has one thread */
    uint64_t seed;
    enum job_luck_by luck_by;
    struct luck_setting luck; /* whether the luck of the hands is measured; see luck_setting_of() */
};

/* Returns NULL if pairs can be played with this setting, else a sentence that says why not. */
const char *pair_setting_check(const struct pair_setting *setting);

static inline void pair_effort_add(struct pair_effort *sum, const struct pair_effort *effort)
{
    sum->moves += effort->moves;
    sum->simulations += effort->simulations;
    sum->cpu_s += effort->cpu_s;
    sum->elapsed_s += effort->elapsed_s;
}

/* True if a finished game of `ends` ends went to extra ends. A game conceded in the first extra end
 * did not: none was finished. */
static inline bool pair_game_went_on(const struct pair_game *game, int ends)
{
    return game->ends > ends || (game->ends == ends && game->conceded);
}

/* Returns the player with the hammer of the first end in a game of a pair. */
static inline int pair_first_hammer(int game)
{
    return 1 - game;
}

/* Returns the half points of player 0 in both games, 0 … 4: the bin of the pentanomial. */
static inline int pair_half_points(const struct pair_result *result)
{
    return result->game[0].half_points + result->game[1].half_points;
}

/* The setup of an end of mixed doubles. */
struct pair_setup {
    enum setup setup;
    int pattern; /* place of the guard */
    int player;  /* of the pair, who chose it */
};

/* Returns the place of the guards in the ends of a pair, or in end number `pair` of a measurement.
 */
static inline int pair_pattern(uint64_t pair)
{
    return (int)(pair % SETUP_PATTERNS);
}

/* One move, for a listener. Pointers are valid during the call. */
struct pair_move {
    int game, player; /* of the pair: 0 or 1 */
    const struct game *game_before;
    const struct player_answer *answer; /* the intended shot, its value and its cost */
    const char *hand; /* the thrower's, as JSON (dc3_json.h); NULL: the one of the game */
    bool has_no_call; /* … but what was intended is not known */
    double cpu_s;
    bool conceded;                /* nothing was thrown; the rest is not set */
    struct shot executed;         /* the intended shot with the noise of this slot */
    const struct game_turn *turn; /* its outcome */
    const struct pair_setup
        *setup;            /* of the end, before its first shot in mixed doubles; else NULL */
    bool has_luck;         /* luck is measured */
    struct pair_luck luck; /* of the thrower; positive: lucky */
};

typedef void pair_listener(void *context, const struct pair_move *move);

enum pair_status {
    PAIR_OK,
    PAIR_CANCELLED,     /* *cancel became true */
    PAIR_PLAYER_FAILED, /* a player gave no answer */
    PAIR_BAD_SHOT,      /* a player chose a shot that cannot be thrown */
    PAIR_NO_MEMORY      /* tendencies_measure() only */
};

/* The move that made a pair fail. */
struct pair_failure {
    int game, player, end, shot;
};

/* Plays pair number `pair` of `stream` (the pairing, in a tournament) between players[0] and
 * players[1]. The result depends on the arguments alone, unless the limits are of time. If
 * players[1] is NULL, players[0] plays game 0 against itself; game 1 would be identical and is
 * skipped. `cancel` is passed to the players; `cancel` and `listener` may be NULL. *ret_result is
 * set on PAIR_OK only, *ret_failure on PAIR_PLAYER_FAILED and PAIR_BAD_SHOT only. */
enum pair_status pair_play(const struct pair_setting *setting,
                           const struct player *const players[2], uint64_t stream, uint64_t pair,
                           const atomic_bool *cancel, pair_listener *listener, void *context,
                           struct pair_result *ret_result, struct pair_failure *ret_failure);

#endif
