/* The game that a plan trains on: curling under the plan's profile. Tests of the trainer also use
 * the toy games kuhn, leduc and line (three stones), which cannot be judged. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_GAME_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_GAME_H

#include "models/networks/policy.h"
#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"

/* The plan must outlive it. */
struct train_game {
    const struct learner_game *game;
    const struct rules *rules; /* NULL: a toy */
    struct policy_form form;   /* curling only: profile and network; policy writers set the rest */
    struct net_spec network;   /* for the learner; the plan owns its strings */
    struct learner_game *made; /* for train_game_free() */
};

/* Makes the game of a plan, for train_game_free(); it must not be moved. TRAIN_OK, TRAIN_NO_MEMORY,
 * or TRAIN_BAD_SPEC with a sentence that names the field. */
enum train_status train_game_make(const struct train_plan *plan, struct train_game *ret_game,
                                  char ret_error[TRAIN_ERROR_MAX]);
void train_game_free(struct train_game *game);

#endif
