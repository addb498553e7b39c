/* Short runs. */
#include "tests/unit/workers/learn/algorithms/trial.h"

#include "workers/learn/algorithms/toy_numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct trial trial_of(const struct learner_class *class, const struct learner_game *game,
                      int hidden)
{
    return (struct trial){.class = class,
                          .game = game,
                          .common = {.network = {.architecture = "mlp", .hidden = {hidden}},
                                     .device = "cpu",
                                     .threads = 1,
                                     .seed = 1}};
}

void trial_set(struct trial *trial, const char *name, double value)
{
    int k = 0;
    while (k < trial->count && strcmp(trial->numbers[k].name, name) != 0)
        k++;
    assert_true(k < TRIAL_NUMBERS_MAX);
    trial->numbers[k] = (struct learner_number){name, value};
    trial->count += k == trial->count;
}

struct learner *trial_try(const struct trial *trial, char ret_error[LEARNER_ERROR_MAX])
{
    struct learner_number room[TOY_NUMBERS_MAX];
    const struct learner_hyper hyper =
        toy_numbers(trial->class, trial->numbers, trial->count, room);
    return trial->class->make(trial->class, trial->game, &trial->common, &hyper, ret_error);
}

struct learner *trial_begin(const struct trial *trial)
{
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = trial_try(trial, error);
    if (!learner)
        fail_msg("%s: %s", trial->class->name, error);
    assert_ptr_equal(learner->class, trial->class);
    return learner;
}

struct learner *trial_read(const struct trial *trial, FILE *file, char ret_error[LEARNER_ERROR_MAX])
{
    struct learner_number room[TOY_NUMBERS_MAX];
    const struct learner_hyper hyper =
        toy_numbers(trial->class, trial->numbers, trial->count, room);
    return trial->class->read(trial->class, trial->game, &trial->common, &hyper, file, ret_error);
}

void trial_go_on(struct learner *learner, int steps)
{
    char error[LEARNER_ERROR_MAX];
    for (int k = 0; k < steps; k++)
        if (!learner->class->step(learner, error))
            fail_msg("%s: %s", learner->class->name, error);
}

struct view_policy *trial_policy(const struct trial *trial, const struct learner *learner,
                                 int number)
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    char error[LEARNER_ERROR_MAX];
    assert_true(number < trial->class->policies(learner, views));
    struct view_policy *policy =
        view_policy_new(trial->game, &trial->common, &views[number], error);
    if (!policy)
        fail_msg("%s", error);
    return policy;
}
