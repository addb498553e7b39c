/* Curling as a game for learners (learner_game.h): one end on an empty sheet, seat 0 sente.
 *
 * A decision is one of the discretised actions of models/ice/action_grid.h; chance is the execution
 * noise of the throw. The free guard zone of the rules holds. Observations are struct
 * compact_position, the points are the score of the end for sente.
 *
 * Rewards. Phi(s) is the score for the seat if the end stopped in s, in twos, between -1 and 1. t =
 * 1 … n counts a seat's own decisions, n = 8 under the rules with 16 shots; s_t is what it sees at
 * decision t, z = Phi at the end of the end.
 *
 *   ser    "situation evaluation reward" of "NFSP + KR-UCT for digital curling":
 *          R_t = w(t) (Phi(s_(t+1)) - Phi(s_t)), w(t) = 1 / ln(c - t),
 *          over the own shot and the reply to it; at the end s_(t+1) is the final position.
 *          With c = n + e (the default) w(n) = 1.
 *   fr     "future reward": 0, and z when the end is over.
 *   ser-p  ser as a potential (Ng, Harada and Russell, "Policy invariance under reward
 *          transformations", 1999): R_t = discount * w(t+1) Phi(s_(t+1)) - w(t) Phi(s_t), the last
 *          potential 0, and z when the end is over. As early as ser, and what is best under fr is
 *          best under it; ser itself shifts what is best, as its weights grow with t.
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
    const struct rules *rules; /* the ice that belongs to them is played on */
    struct noise noise;        /* of both hands; passes noise_check() */
    enum policy_sees sees;
    enum curling_reward reward;
    double reward_c;                /* 0: the default, decisions of a seat + e */
    double discount;                /* ser-p: of the algorithm */
    const struct player *opponents; /* to train against, on one thread each */
    int opponent_count;
    struct player_limits opponent_limits;
};

/* The settings of a profile with its own noise: ser, stones, no opponents, discount 1. */
struct curling_learner_settings curling_learner_defaults(const struct rules *rules);

/* The game, for curling_learner_free(); lives on its own, `rules` and the opponents have to
 * outlive it. NULL and a sentence (CURLING_LEARNER_ERROR_MAX bytes): rules that place stones
 * before the first shot, c - t <= 1 for a decision t, no memory. */
enum { CURLING_LEARNER_ERROR_MAX = 160 };
struct learner_game *curling_learner_new(const struct curling_learner_settings *settings,
                                         char ret_error[CURLING_LEARNER_ERROR_MAX]);
void curling_learner_free(struct learner_game *game); /* NULL is fine */

/* The state after `thrown` stones of the end that lie like this. */
void curling_learner_place(const struct learner_game *game, const struct position *position,
                           int thrown, void *ret_state);

/* Phi of a score, from sente's or gote's view. */
double curling_phi(int score, enum seat seat);

/* w(t) = 1 / ln(c - t); NAN where c - t <= 1. */
double curling_reward_weight(double c, int t);

#endif
