/* NFSP gives the same weights for any number of threads, with and without candidates, in curling
 * and in the toys. */
#include "models/tables/profiles.h"
#include "tests/unit/workers/learn/algorithms/trial.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/games/line_learner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The hash of all weights and the run's report of itself. */
struct outcome {
    char hash[65];
    struct learner_report report;
};

static struct outcome outcome_of(struct trial trial, int threads, int steps)
{
    struct outcome outcome = {.hash = ""};
    trial.common.threads = threads;
    struct learner *learner = trial_begin(&trial);
    trial_go_on(learner, steps);
    run_weights_sha256(learner, outcome.hash);
    struct learner_report *report = &outcome.report;
    trial.class->report(learner, report);
    assert_true(report->play_s > 0.0 && report->network_s > 0.0 && report->learn_s > 0.0);
    report->play_s = report->network_s = report->learn_s = 0.0;
    learner_free(learner);
    return outcome;
}

static void check(const struct trial *trial, int steps)
{
    struct outcome one = outcome_of(*trial, 1, steps);
    assert_true(one.report.updates > 0 && one.report.games > 0);
    for (int threads = 2; threads <= 3; threads++) {
        struct outcome more = outcome_of(*trial, threads, steps);
        assert_string_equal(one.hash, more.hash);
        assert_memory_equal(&one.report, &more.report, sizeof one.report);
    }
}

static struct trial small(const struct learner_game *game)
{
    struct trial trial = trial_of(&learner_nfsp, game, 16);
    trial_set(&trial, "parallel", 40); /* slices of 16, 16 and 8 tables */
    trial_set(&trial, "batch", 32);
    trial_set(&trial, "warm_up", 20);
    trial_set(&trial, "anticipatory", 0.3);
    return trial;
}

static void toys_give_the_same_numbers_on_any_threads(void **state)
{
    (void)state;
    struct trial trial = small(&leduc_game);
    check(&trial, 60);
    trial.game = line_learner_game(2);
    trial_set(&trial, "target_interval", 7);
    trial_set(&trial, "candidates", 20);
    check(&trial, 30);
    trial_set(&trial, "value_network", 1);
    trial_set(&trial, "value_lambda", 0.8);
    check(&trial, 30);
    trial.class = &learner_nfsp_literal;
    check(&trial, 30);
}

static void curling_gives_the_same_numbers_on_any_threads(void **state)
{
    (void)state;
    struct curling_learner_settings curling = curling_learner_defaults(rules_find("dc2"));
    char error[CURLING_LEARNER_ERROR_MAX];
    struct learner_game *game = curling_learner_new(&curling, error);
    struct trial trial = small(game);
    trial_set(&trial, "candidates", 12);
    check(&trial, 20);
    trial_set(&trial, "value_network", 1);
    check(&trial, 20);
    curling_learner_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_give_the_same_numbers_on_any_threads),
        cmocka_unit_test(curling_gives_the_same_numbers_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
