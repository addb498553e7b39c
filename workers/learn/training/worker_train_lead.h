/* A training in tasks (workers/lead.h): one task a seed, which does not hear of the others. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_LEAD_H
#define RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_LEAD_H

#include "workers/learn/training/train_plan.h"
#include "workers/worker.h"

/* Member of a task's spec: that many lines of the journal of its run are known to the daemon. */
#define TRAIN_HEARD "heard"

/* The worker function of the lead. Puts the results of the seeds together. */
json_t *lead_train(struct worker *worker, const struct wire_job *job,
                   const struct train_plan *plan);

#endif
