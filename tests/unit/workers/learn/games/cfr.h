/* Vanilla counterfactual regret minimisation with alternating updates (Zinkevich et al., "Regret
 * minimization in games with incomplete information", 2007), for games that can be walked exactly:
 * the reference for the games, the walker and NFSP's results. */
#ifndef RINKD_TESTS_UNIT_WORKERS_LEARN_GAMES_CFR_H
#define RINKD_TESTS_UNIT_WORKERS_LEARN_GAMES_CFR_H

#include "workers/learn/games/learner_game.h"

enum { CFR_PLACES = 4096, CFR_ACTIONS_MAX = 4, CFR_OBSERVATION_MAX = 16 };

/* Initialise with zeros, except the game at the start. */
struct cfr {
    const struct learner_game *game;
    struct cfr_spot { /* an observation of one seat */
        bool used;
        int seat;
        unsigned char observation[CFR_OBSERVATION_MAX];
        double regret[CFR_ACTIONS_MAX], sum[CFR_ACTIONS_MAX]; /* of the strategies so far */
        double strategy[CFR_ACTIONS_MAX];                     /* in this traversal */
    } spot[CFR_PLACES]; /* by a hash of seat and observation */
};

/* Runs one iteration: a traversal for each seat. */
void cfr_iterate(struct cfr *cfr);

/* The average strategy; the context is the struct cfr. */
learner_policy cfr_average;

#endif
