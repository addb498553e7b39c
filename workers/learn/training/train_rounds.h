/* A training in rounds (workers/learn/algorithms/rounds.h) as stages for a lead (workers/lead.h):
 * each round has a stage for each kind of items that it makes, and one for the fit. All runs of the
 * training go through the stages together.
 *
 * A unit of a stage of items is an item: first those of the first run, then those of the next. A
 * unit of a stage of a fit is a run. The files that tasks need and make:
 *
 *   task-0.RUN-N.state       the run after N rounds, of the lead: trainer_write_state()
 *   task-0.RUN-N.PART.items  all items of a part, of the lead: one shard (rounds_shard.h)
 *   task-N.items             shards that a task has made, one for each run its units belong to
 *   task-N.state             the run after the fit of a task
 *
 * Those of the lead go some rounds after the last stage that needs them, in case a lie is found,
 * and all when the job has ended. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_ROUNDS_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_ROUNDS_H

#include "workers/learn/algorithms/rounds_shard.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_game.h"
#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/trainer.h"

/* Members of a task's spec: the round, and its files [{"path","sha256"},…]; of a fit, also the
 * seconds {"cpu_s","play_s","elapsed_s"} that others spent (struct trainer_spent). */
#define TRAIN_ROUND "round"
#define TRAIN_FILES "files"
#define TRAIN_SPENT "spent"

/* Begins the names of the lead's files. */
#define TRAIN_OWN "task-0."

enum { TRAIN_FIT = -1 };

struct train_stage {
    int64_t round;
    int part;       /* TRAIN_FIT: the fit of the round */
    size_t items;   /* of each run; 1 for a fit */
    uint64_t batch; /* the first round that uses these items */
};

/* Whether the training can go in rounds: its algorithm does, and it has rounds to do. */
bool train_rounds_can(const struct train_plan *plan);
/* Returns the round that runs begin with: 0, or that of the checkpoint they branch from. */
int64_t train_rounds_first(const struct train_plan *plan);
/* Finds stage number `number`. False: the training is complete before it. */
bool train_rounds_stage(const struct train_plan *plan, int64_t number,
                        struct train_stage *ret_stage);
/* Finds which part of the work of the training is done before a stage and after it, 0 … 1. */
void train_rounds_shares(const struct train_plan *plan, const struct train_stage *stage,
                         double *ret_before, double *ret_after);

/* Returns the number of a stage of items for lead_stage.pace: by its part and what items cost. */
int64_t train_rounds_pace(const struct train_plan *plan, const struct train_stage *stage);

/* Names of the files of a run. */
void train_rounds_state_name(const char *run, int64_t rounds, char ret_name[TRAIN_NAME_MAX]);
void train_rounds_items_name(const struct train_plan *plan, const char *run, int part,
                             uint64_t batch, char ret_name[TRAIN_NAME_MAX]);

/* Returns the shard of items first … first + count - 1 of run number `index`. */
struct rounds_shard train_rounds_shard(const struct train_plan *plan,
                                       const struct train_stage *stage, int index, size_t first,
                                       size_t count);

/* Takes all items of a part from a file of the lead. TRAIN_STOPPED: `stop` became true; another
 * status with a sentence: the file is missing or not sound. */
enum train_status train_rounds_take(struct rounds *rounds, int part, const char *path,
                                    const atomic_bool *stop, char ret_error[TRAIN_ERROR_MAX]);

/* Fills in the setup of runs of a plan, but for the seed and when something is due. Both must
 * outlive it. */
void train_setup(const struct train_plan *plan, const struct train_game *game,
                 struct trainer_setup *ret_setup);

/* A run as a checkpoint has it, opened for one round. */
struct train_opened {
    struct train_game game;
    struct trainer_setup setup;
    struct trainer_events events;
    struct trainer *trainer;
};

/* Opens run number `index` as it is after `rounds` rounds: from a file, or NULL: from the start or
 * from the checkpoint that the plan names. On success the caller closes it; it must not move.
 * TRAIN_BAD_SPEC: the file holds another run, or is broken. */
enum train_status train_rounds_open(const struct train_plan *plan, int index, int64_t rounds,
                                    const char *state, struct train_opened *ret_opened,
                                    char ret_error[TRAIN_ERROR_MAX]);
void train_rounds_close(struct train_opened *opened);

#endif
