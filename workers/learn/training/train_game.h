/* The game that a plan is about: curling by its profile. For tests of what is around the learner
 * there are also the toys, kuhn, leduc and line (three stones), which are not judged. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_GAME_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_GAME_H

#include "models/networks/policy.h"
#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"

/* Lives as long as the plan. */
struct train_game {
    const struct learner_game *game;
    const struct rules *rules; /* NULL: a toy */
    struct policy_form form;   /* of curling: profile and network; the rest is for the writer */
    struct net_spec network;   /* for the learner; its texts belong to the plan */
    struct learner_game *made; /* for train_game_free() */
};

/* TRAIN_BAD_SPEC and a sentence that names the field, or TRAIN_NO_MEMORY. On TRAIN_OK for
 * train_game_free(); may not be moved. */
enum train_status train_game_make(const struct train_plan *plan, struct train_game *ret_game,
                                  char ret_error[TRAIN_ERROR_MAX]);
void train_game_free(struct train_game *game);

#endif
