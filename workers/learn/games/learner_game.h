/* A game of two as learners see it: states, decisions, what the mover knows, chance and points,
 * without their meaning. Curling is one; poker and line curling have known equilibria, which prove
 * the code that learns curling.
 *
 * States and observations are plain bytes of the sizes that the game says, without padding that
 * would differ between equals; they are copied with memcpy and kept in buffers by the million, so
 * observations are compact and are turned into the inputs of a network only when one is asked.
 *
 * All functions may be called from several threads at once. */
#ifndef RINKD_WORKERS_LEARN_GAMES_LEARNER_GAME_H
#define RINKD_WORKERS_LEARN_GAMES_LEARNER_GAME_H

#include "models/ice/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEARNER_ACTIONS_MAX = 1024, LEARNER_BYTES_MAX = 1024, LEARNER_DECISIONS_MAX = 64 };

/* A deed in the terms of its game. */
struct learner_deed {
    double at[3];
};

struct learner_game {
    const char *name;     /* of the game and of what else its numbers depend on */
    const char *seats[2]; /* what the sides are called */
    int actions;          /* numbered from 0, LEARNER_ACTIONS_MAX at most */
    int inputs;           /* of a network that plays it */
    int decisions_max;    /* of one game, both sides together; LEARNER_DECISIONS_MAX at most */
    /* LEARNER_BYTES_MAX at most; where they are handed over they lie as in an array of them. */
    size_t state_size, observation_size;

    /* A new game. Chance before the first decision depends on the key; the game sets its purpose.
     */
    void (*start)(const struct learner_game *game, const struct random_key *key, void *ret_state);

    /* Whose decision it is, 0 or 1; -1: the game is over. */
    int (*mover)(const struct learner_game *game, const void *state);

    /* All that the mover knows, its own past decisions included (perfect recall). */
    void (*observe)(const struct learner_game *game, const void *state, void *ret_observation);

    /* From an observation: which actions are legal, at least one of them, and the inputs of a
     * network, about as large as 1. */
    void (*legal)(const struct learner_game *game, const void *observation, bool *ret_legal);
    void (*fill_inputs)(const struct learner_game *game, const void *observation,
                        float *ret_inputs);

    /* The mover plays a legal action. Chance until the next decision depends on the key, which
     * differs at each decision. False: the action could not be played. */
    bool (*play)(const struct learner_game *game, void *state, int action,
                 const struct random_key *key);

    /* The reward of a seat for the step from one state to the next, whichever seat moved, scaled to
     * about 1 a game. A seat's transition has the sum from its decision to its next one. */
    double (*reward)(const struct learner_game *game, const void *before, const void *after,
                     int seat);

    /* Points of seat 0 in a game that is over; those of seat 1 are the opposite. */
    double (*points)(const struct learner_game *game, const void *state);

    /* Games where chance acts only at the start can be walked exactly: start number k of `starts`
     * and its probability. 0 and NULL otherwise. */
    int starts;
    double (*start_number)(const struct learner_game *game, int k, void *ret_state);

    /* Games where a hand errs: what play() with this key really does when `action` is wanted, and
     * how likely (a density, up to a constant of the game) a hand that wants `action` does a deed.
     * NULL both: there is no such noise, or something is hidden. */
    void (*deed)(const struct learner_game *game, int action, const struct random_key *key,
                 struct learner_deed *ret_deed);
    double (*likelihood)(const struct learner_game *game, int action,
                         const struct learner_deed *deed);

    /* Makes an observation its mirror image, in place, and returns what `action` is there: play in
     * the mirror is as good as play. NULL: the game has no symmetry. */
    int (*mirror)(const struct learner_game *game, void *observation, int action);

    /* Fixed programs to train against, by number 0 … opponents - 1: decides for the mover and plays
     * as play() does. False: it could not. NULL: there are none. */
    int opponents;
    bool (*opponent_play)(const struct learner_game *game, int opponent, void *state,
                          const struct random_key *key);
};

/* Fills in the probabilities of the actions, 0 where illegal, of a player in `seat` who sees this.
 * If unknown, fills with NAN. */
typedef void learner_policy(void *context, int seat, const void *observation, double *ret_p);

/* Kuhn poker: three cards, one each, one bet. Kuhn, "A simplified two-person poker", 1950. Actions:
 * 0 pass (check or fold), 1 bet (or call). Points: chips. */
extern const struct learner_game kuhn_game;

/* Leduc hold'em: six cards of three ranks, one each and one on the board for the second round, bets
 * of 2 and 4 chips and two raises a round. Southey et al., "Bayes' bluff", UAI 2005. Actions: 0
 * fold, 1 check or call, 2 bet or raise. Points: chips. */
extern const struct learner_game leduc_game;

/* `start` of games that have `starts`: a draw among them. */
void learner_start_by_draw(const struct learner_game *game, const struct random_key *key,
                           void *ret_state);

#endif
