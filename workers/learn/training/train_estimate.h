/* How long a training will take on this machine: a few seconds of it are done and thrown away. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_ESTIMATE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_ESTIMATE_H

#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"

#include <stdatomic.h>

struct train_estimate {
    double ends_per_s; /* while it learns */
    double learn_s;    /* of all runs */
    double judge_s;    /* matches and exploitability of all runs; NAN: they take too long to tell */
};

/* Learning is measured for about a second after the networks have begun to learn (their memories
 * need not be as full for that as the plan says), judging for a few more at most. TRAIN_BAD_SPEC
 * and a sentence that names the field, or what else went wrong. */
enum train_status train_estimate(const struct train_plan *plan, struct train_estimate *ret_estimate,
                                 char ret_error[TRAIN_ERROR_MAX]);

#endif
