/* A two-player game as learners see it: states, decisions, observations, chance and points, without
 * their meaning. Besides curling there are poker and line curling, whose known equilibria test the
 * learning code.
 *
 * States and observations are plain bytes of the sizes that the game gives. Equal ones have equal
 * bytes, padding included. They are copied with memcpy and kept in buffers by the million, so
 * observations are compact and become network inputs only when a network is evaluated.
 *
 * All functions are thread-safe. */
#ifndef RINKD_WORKERS_LEARN_GAMES_LEARNER_GAME_H
#define RINKD_WORKERS_LEARN_GAMES_LEARNER_GAME_H

#include "models/ice/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEARNER_ACTIONS_MAX = 1024, LEARNER_BYTES_MAX = 1024, LEARNER_DECISIONS_MAX = 64 };

/* The executed action, after noise, in the game's own coordinates. */
struct learner_deed {
    double at[3];
};

struct learner_game {
    const char *name;     /* of the game and its settings */
    const char *seats[2]; /* names of the seats */
    int actions;          /* numbered from 0; at most LEARNER_ACTIONS_MAX */
    int inputs;           /* of its networks */
    int decisions_max;    /* of a game, both seats together; at most LEARNER_DECISIONS_MAX */
    /* At most LEARNER_BYTES_MAX. States and observations are passed aligned as array elements. */
    size_t state_size, observation_size;

    /* Starts a game. Chance before the first decision depends on the key; the game sets its
     * purpose. */
    void (*start)(const struct learner_game *game, const struct random_key *key, void *ret_state);

    /* Returns the seat to decide, 0 or 1; -1: the game is over. */
    int (*mover)(const struct learner_game *game, const void *state);

    /* Sets everything that the mover knows, its own past decisions included (perfect recall). */
    void (*observe)(const struct learner_game *game, const void *state, void *ret_observation);

    /* Compute from an observation the legal actions (at least one) and the inputs of a network (of
     * magnitude about 1). */
    void (*legal)(const struct learner_game *game, const void *observation, bool *ret_legal);
    void (*fill_inputs)(const struct learner_game *game, const void *observation,
                        float *ret_inputs);

    /* Plays a legal action of the mover. Chance until the next decision depends on the key, which
     * differs at each decision. False: the action could not be played. */
    bool (*play)(const struct learner_game *game, void *state, int action,
                 const struct random_key *key);

    /* Returns the reward of a seat for the step from one state to the next, whichever seat moved,
     * scaled to about 1 a game. A seat's transition sums the rewards between its decisions. */
    double (*reward)(const struct learner_game *game, const void *before, const void *after,
                     int seat);

    /* Returns the points of seat 0 in a finished game; seat 1 has their negative. */
    double (*points)(const struct learner_game *game, const void *state);

    /* For games with chance only at the start, which can be searched exactly: sets start number k
     * of `starts` and returns its probability. 0 and NULL for other games. */
    int starts;
    double (*start_number)(const struct learner_game *game, int k, void *ret_state);

    /* For games with execution noise: deed() sets what play() with this key really does when aiming
     * at `action`; likelihood() returns the density of a deed when aiming at `action`, up to a
     * constant of the game. Both NULL: no such noise, or hidden information. */
    void (*deed)(const struct learner_game *game, int action, const struct random_key *key,
                 struct learner_deed *ret_deed);
    double (*likelihood)(const struct learner_game *game, int action,
                         const struct learner_deed *deed);

    /* Mirrors an observation in place and returns the mirror image of `action`; play in the mirror
     * is equally good. NULL: the game has no symmetry. */
    int (*mirror)(const struct learner_game *game, void *observation, int action);

    /* Fixed programs to train against, numbered 0 … opponents - 1: the program decides for the
     * mover and plays like play(). False: it failed. NULL: there are none. */
    int opponents;
    bool (*opponent_play)(const struct learner_game *game, int opponent, void *state,
                          const struct random_key *key);
};

/* Fills in a player's probabilities of the actions in `seat` at this observation, 0 if illegal. If
 * unknown, fills with NAN. */
typedef void learner_policy(void *context, int seat, const void *observation, double *ret_p);

/* Kuhn poker: three cards, one each, one bet. Kuhn, "A simplified two-person poker", 1950. Actions:
 * 0 pass (check or fold), 1 bet (or call). Points: chips. */
extern const struct learner_game kuhn_game;

/* Leduc hold'em: six cards of three ranks, one each and one on the board for the second round, bets
 * of 2 and 4 chips and two raises a round. Southey et al., "Bayes' bluff", UAI 2005. Actions: 0
 * fold, 1 check or call, 2 bet or raise. Points: chips. */
extern const struct learner_game leduc_game;

/* Implements `start` for games with `starts`: draws one of them. */
void learner_start_by_draw(const struct learner_game *game, const struct random_key *key,
                           void *ret_state);

#endif
