/* Hyper-parameters for games that are solved in seconds; the defaults of
 * api/jobs/train_algorithms.h suit curling. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TOY_NUMBERS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TOY_NUMBERS_H

#include "workers/learn/algorithms/learner.h"

enum { TOY_NUMBERS_MAX = 48 };

/* Returns the algorithm's numbers followed by `count` more, which take precedence; stored in
 * `room`. */
struct learner_hyper toy_numbers(const struct learner_class *class,
                                 const struct learner_number *more, int count,
                                 struct learner_number room[TOY_NUMBERS_MAX]);

#endif
