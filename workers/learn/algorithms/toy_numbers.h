/* Hyper-parameters for games that are solved in seconds: the defaults of api/train_algorithms.h are
 * good for curling, and these differ from them. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TOY_NUMBERS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TOY_NUMBERS_H

#include "workers/learn/algorithms/learner.h"

enum { TOY_NUMBERS_MAX = 48 };

/* The numbers of this algorithm and, over them, `count` more. They lie in `room`. */
struct learner_hyper toy_numbers(const struct learner_class *class,
                                 const struct learner_number *more, int count,
                                 struct learner_number room[TOY_NUMBERS_MAX]);

#endif
