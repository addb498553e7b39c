/* The lead of a training in rounds (train_rounds.h, workers/lead.h): offers tasks that make items
 * and tasks that fit, checks what they made and passes it on, by name and hash, to the next stage.
 *
 * Its journal task-0.rounds.jsonl has a line for each shard and each fit that is merged, and for
 * each stage whose items are complete:
 *
 *   {"task":N,"stage":S,"unit":U,"run":R,"spent":{…}}            units before U are merged
 *   {"task":N,"stage":S,"unit":U,"run":R,"state":SHA256,"result":{…}}
 *   {"task":N,"stage":S,"sealed":[SHA256,…]}                     of the file of each run
 *
 * A lead that starts again takes the lines of the tasks that the daemon knows as merged. If that is
 * fewer, because a node gave wrong answers long ago, the training goes back so far; where the files
 * of that time are gone, to the start of the round, or to its own start. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_ROUNDS_LEAD_H
#define RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_ROUNDS_LEAD_H

#include "workers/learn/training/train_plan.h"
#include "workers/worker.h"

/* Whether the job goes in rounds. One that an earlier version began goes on as that did it. */
bool lead_train_has_rounds(const struct wire_job *job, const struct train_plan *plan);

/* The worker function of the lead. */
json_t *lead_train_rounds(struct worker *worker, const struct wire_job *job,
                          const struct train_plan *plan);

#endif
