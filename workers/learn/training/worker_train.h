/* The job of `rink-learn worker` (workers/worker.h). The daemon has resolved its spec
 * (api/jobs/train_spec.h). */
#ifndef RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_H
#define RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_H

#include "workers/worker.h"

worker_function job_train;

/* True if the training thread still runs after its job was cancelled, because a step of a large
 * network or a checkpoint takes long. The process must then end by _exit(). */
bool job_train_is_left_behind(void);

#endif
