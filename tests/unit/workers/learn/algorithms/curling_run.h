/* Runs that learn dc2 with an algorithm of curling, for the tests of these. A mistake ends the
 * test.
 */
#ifndef RINKD_TESTS_UNIT_WORKERS_LEARN_ALGORITHMS_CURLING_RUN_H
#define RINKD_TESTS_UNIT_WORKERS_LEARN_ALGORITHMS_CURLING_RUN_H

#include "workers/learn/algorithms/learner.h"

/* Fixtures: the game of all runs. */
int curling_make_game(void **state);
int curling_free_game(void **state);

/* A new run of seed 3. */
struct learner *curling_begin(const struct learner_class *class, const struct learner_hyper *hyper,
                              int threads);
/* Reads a run of seed 3 from the start of the file. NULL, with a sentence: it cannot be read. */
struct learner *curling_read(const struct learner_class *class, const struct learner_hyper *hyper,
                             FILE *file, char ret_error[LEARNER_ERROR_MAX]);
/* Steps until so many of the run's games (networks, stages) are finished. */
void curling_go_on(struct learner *learner, uint64_t games);
double curling_figure(const struct learner *learner, const char *name);
/* Asserts that the files of both runs have the same bytes. */
void curling_assert_same_file(const struct learner *a, const struct learner *b);

#endif
