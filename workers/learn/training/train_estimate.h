/* Estimates how long a training will take on this machine, from a few seconds of trial. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_ESTIMATE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_ESTIMATE_H

#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"

#include <stdatomic.h>

struct train_estimate {
    double ends_per_s; /* while learning */
    double learn_s;    /* of all runs */
    double matches_s;  /* of all runs; NAN: too slow to try out */
    double measures_s; /* of exploitability, of all runs; NAN likewise */
};

/* Measures learning for about a second once the networks have begun to learn (warm-up is shortened
 * for this), and judging for some seconds more. TRAIN_BAD_SPEC with a sentence that names
 * the field, or another status. */
enum train_status train_estimate(const struct train_plan *plan, struct train_estimate *ret_estimate,
                                 char ret_error[TRAIN_ERROR_MAX]);

#endif
