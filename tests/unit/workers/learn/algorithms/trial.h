/* A short run of an algorithm on a small game. */
#ifndef RINKD_TESTS_UNIT_WORKERS_LEARN_ALGORITHMS_TRIAL_H
#define RINKD_TESTS_UNIT_WORKERS_LEARN_ALGORITHMS_TRIAL_H

#include "workers/learn/algorithms/learner.h"
#include "workers/learn/algorithms/view_policy.h"

enum { TRIAL_NUMBERS_MAX = 24 };

/* The parts of a run; `numbers` override those of toy_numbers(). */
struct trial {
    const struct learner_class *class;
    const struct learner_game *game;
    struct learner_common common;
    struct learner_number numbers[TRIAL_NUMBERS_MAX];
    int count;
};

/* Returns a trial with one thread, seed 1, and an mlp with one hidden layer of this size. */
struct trial trial_of(const struct learner_class *class, const struct learner_game *game,
                      int hidden);

/* Adds a number or changes it. */
void trial_set(struct trial *trial, const char *name, double value);

/* Returns the run; on error trial_try() returns NULL and a sentence, the others fail the test. */
struct learner *trial_try(const struct trial *trial, char ret_error[LEARNER_ERROR_MAX]);
struct learner *trial_begin(const struct trial *trial);
struct learner *trial_read(const struct trial *trial, FILE *file,
                           char ret_error[LEARNER_ERROR_MAX]);

/* Makes steps; the test fails if one fails. */
void trial_go_on(struct learner *learner, int steps);

/* Returns policy number `number` as it is now, for view_policy_free(). */
struct view_policy *trial_policy(const struct trial *trial, const struct learner *learner,
                                 int number);

#endif
