/* One end of a game as a responder sees it: states, actions, noise and points, and nothing of what
 * they mean. Real curling (curling_end.h) and line curling (line_end.h), whose exploitability is
 * known exactly, are two of them, so that the code which measures the one is checked by the other.
 *
 * Sente plays the even shots, gote the odd ones. States and actions are plain bytes of the size
 * that the game says, suitably aligned for anything; they are copied with memcpy. */
#ifndef RINKD_WORKERS_EVALUATE_END_GAME_H
#define RINKD_WORKERS_EVALUATE_END_GAME_H

#include "models/game/position.h"
#include "models/ice/random.h"

#include <stdbool.h>
#include <stddef.h>

/* All functions may be called from several threads at once and return false (or -1) only when they
 * fail: no memory, a shot that cannot be thrown. */
struct end_game {
    size_t state_size, action_size; /* bytes */
    int shots;                      /* of an end, both sides together */

    void (*start)(const struct end_game *game, void *ret_state);

    /* Executes an action with this error of the hand: state -> the state before the next shot. */
    bool (*play)(const struct end_game *game, void *state, int shot, const void *action,
                 struct normal_pair error);

    /* The actions that are worth trying, at most `most`; returns how many, -1 on failure. The key
     * is for games that draw some of them at random. */
    int (*actions)(const struct end_game *game, const void *state, int shot,
                   const struct random_key *key, int most, void *ret_actions);

    /* Points of the finished end, positive for sente. */
    int (*score)(const struct end_game *game, const void *state);
};

/* Somebody who plays such ends, either side. Everything it draws at random depends on the key
 * alone. Thread-safe. choose() returns false when it fails, and when it is cancelled, if its maker
 * gave it something to look at. */
struct end_policy {
    bool (*choose)(const struct end_policy *policy, const struct end_game *game, const void *state,
                   int shot, const struct random_key *key, void *ret_action);
};

/* Points of a seat, given those of sente. */
static inline int end_score_of(enum seat seat, int sente_score)
{
    return seat == SEAT_SENTE ? sente_score : -sente_score;
}

/* A key that shares no numbers with `key` nor with its other children: for what is imagined below
 * a decision. */
static inline struct random_key end_child_key(const struct random_key *key, uint64_t child)
{
    struct random_key from = *key;
    uint64_t bits[4];
    from.purpose = RANDOM_PLANNING;
    random_bits(&from, child, 16, bits);
    return (struct random_key){.seed = bits[0], .stream = bits[1], .game = bits[2]};
}

#endif
