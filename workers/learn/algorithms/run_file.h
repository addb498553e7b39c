/* The head of a run's file: its algorithm, game, settings and network. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_FILE_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_FILE_H

#include "workers/learn/algorithms/learner.h"

struct run_identity {
    const struct learner_class *class;
    const struct learner_game *game;
    const struct learner_common *common;
    const double *settings; /* at most RUN_SETTINGS_MAX */
    int settings_count;
};

enum { RUN_SETTINGS_MAX = 32, RUN_COUNTERS = 8 };

/* Writes the head with the run's counters. False: it cannot be written. */
bool run_head_write(const struct run_identity *identity, const uint64_t counters[RUN_COUNTERS],
                    FILE *file);

/* Returns NULL, or what is wrong with the file: no such head, or one that does not match. The seed
 * may differ. */
const char *run_head_read(const struct run_identity *identity, FILE *file,
                          uint64_t ret_counters[RUN_COUNTERS]);

#endif
