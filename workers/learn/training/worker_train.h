/* What `rink-learn worker` does (workers/worker.h). The spec is one that the daemon has resolved
 * (api/train_spec.h). */
#ifndef RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_H
#define RINKD_WORKERS_LEARN_TRAINING_WORKER_TRAIN_H

#include "workers/worker.h"

worker_function job_train;

/* True after a job that was cancelled in the middle of something long (a step of a large network, a
 * checkpoint): its thread still runs, so the process has to end by _exit(). */
bool job_train_is_left_behind(void);

#endif
