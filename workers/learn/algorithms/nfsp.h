/* The class of NFSP that job specs do not offer. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_H

#include "workers/learn/algorithms/learner.h"

/* An ablation for toy games: the average policy learns from the latest decisions. */
extern const struct learner_class learner_nfsp_fifo;

#endif
