/* Curling as a game for learners (learner_game.h): one end, seat 0 sente. It begins on an empty
 * sheet, or in mixed doubles with the placed stones of end_state_begin(): one setup after the
 * other.
 *
 * A decision is one of the discretised actions of models/ice/action_grid.h; chance is the execution
 * noise of the throw. The free guard zone of the rules holds. Observations are struct
 * compact_position, the points are the score of the end for sente.
 *
 * Rewards. Phi(s) is the seat's score if the end stopped in state s, in units of two points,
 * clipped to -1 … 1. t = 1 … n counts a seat's own decisions (n = 8 under rules with 16 shots);
 * s_t is the state at decision t, z is Phi of the final position.
 *
 *   ser    "situation evaluation reward" of "NFSP + KR-UCT for digital curling":
 *          R_t = w(t) (Phi(s_(t+1)) - Phi(s_t)), w(t) = 1 / ln(c - t),
 *          over the own shot and the reply to it; at the end s_(t+1) is the final position.
 *          With c = n + e (the default) w(n) = 1. Before the first shot Phi counts placed stones.
 *   fr     "future reward": 0, and z when the end is over.
 *   ser-p  ser as a potential (Ng, Harada and Russell, "Policy invariance under reward
 *          transformations", 1999): R_t = discount * w(t+1) Phi(s_(t+1)) - w(t) Phi(s_t), the last
 *          potential 0, plus z when the end is over. It gives rewards as early as ser and has the
 *          same best policies as fr; ser itself has other ones, because its weights grow with t.
 *
 * Rewards before a seat's first decision are not counted. */
#ifndef RINKD_WORKERS_LEARN_GAMES_CURLING_LEARNER_H
#define RINKD_WORKERS_LEARN_GAMES_CURLING_LEARNER_H

#include "models/game/rules.h"
#include "models/ice/noise.h"
#include "models/networks/policy.h"
#include "workers/learn/games/learner_game.h"
#include "workers/search/player/player.h"

enum curling_reward { CURLING_SER, CURLING_FR, CURLING_SER_P };
/* "ser", "fr", "ser-p", NULL at the end. */
extern const char *const curling_reward_names[];

struct curling_learner_settings {
    const struct rules *rules; /* select the ice, too: that of their profile */
    struct noise noise;        /* of both teams; must pass noise_check() */
    enum policy_sees sees;
    enum curling_reward reward;
    double reward_c;                /* 0: the default, decisions of a seat + e */
    double discount;                /* for ser-p: the algorithm's discount */
    const struct player *opponents; /* to train against; each plays on one thread */
    int opponent_count;
    struct player_limits opponent_limits;
};

/* Returns settings for rules with their profile's noise: ser, stones, no opponents, discount 1. */
struct curling_learner_settings curling_learner_defaults(const struct rules *rules);

/* Makes the game, for curling_learner_free(). It copies the settings; `rules` and the opponents
 * must outlive it. NULL and a sentence (CURLING_LEARNER_ERROR_MAX bytes): c - t <= 1 for a
 * decision t, or no memory. */
enum { CURLING_LEARNER_ERROR_MAX = 160 };
struct learner_game *curling_learner_new(const struct curling_learner_settings *settings,
                                         char ret_error[CURLING_LEARNER_ERROR_MAX]);
void curling_learner_free(struct learner_game *game); /* NULL is fine */

/* The settings of a game that curling_learner_new() made; NULL for any other game. */
const struct curling_learner_settings *curling_learner_settings_of(const struct learner_game *game);

/* Makes the state with this position after `thrown` stones of the end. */
void curling_learner_place(const struct learner_game *game, const struct position *position,
                           int thrown, void *ret_state);

/* Returns Phi of sente's score from the seat's view. */
double curling_phi(int score, enum seat seat);

/* Returns w(t) = 1 / ln(c - t); NAN if c - t <= 1. */
double curling_reward_weight(double c, int t);

#endif
