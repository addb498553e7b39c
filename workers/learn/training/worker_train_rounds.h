/* Tasks of a training in rounds (train_rounds.h): shards of items, and the fit of a round. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_ROUNDS_H
#define RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_ROUNDS_H

#include "workers/learn/training/train_rounds.h"
#include "workers/learn/training/training.h"
#include "workers/worker.h"

/* Reads the task of a round: its stage and units. False, and the job has failed: it is none. */
struct lead_units;
bool task_train_stage(struct worker *worker, const struct wire_job *job,
                      const struct train_plan *plan, struct train_stage *ret_stage,
                      struct lead_units *ret_units);

/* Says why a training failed (worker_fail()). `status` is not TRAIN_OK or TRAIN_STOPPED. */
json_t *task_train_blame(struct worker *worker, enum train_status status, const char *error);

/* Makes the items of a task. The worker function of such a task. */
json_t *task_train_items(struct worker *worker, const struct wire_job *job,
                         const struct train_plan *plan, const struct train_stage *stage,
                         const struct lead_units *units);

/* The files of the fit of a round. */
struct task_train_fit {
    struct training_round round;
    char state[TRAIN_PATH_MAX], items[ROUNDS_PARTS_MAX][TRAIN_PATH_MAX], output[TRAIN_PATH_MAX];
    char output_name[TRAIN_NAME_MAX];
};
/* Names the files of the fit of run number `index`. False: the name of the folder is too long. */
bool task_train_fit(const struct wire_job *job, const struct train_plan *plan,
                    const struct train_stage *stage, int index, struct task_train_fit *ret_fit);

/* Checks the hashes of all files that a task names. */
enum train_status task_train_files(const char *folder, const json_t *spec,
                                   char ret_error[TRAIN_ERROR_MAX]);

#endif
