/* NFSP gives the same weights for any number of threads, with and without candidates, in curling as
 * in the toys. */
#include "workers/learn/algorithms/nfsp.h"

#include "models/tables/profiles.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/games/line_learner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The hashes of the four networks and what the run tells of itself. */
struct outcome {
    char hash[4][65];
    struct nfsp_report report;
};

static struct outcome outcome_of(const struct learner_game *game, struct nfsp_settings settings,
                                 int threads, int steps)
{
    char error[LEARNER_ERROR_MAX] = "";
    struct outcome outcome = {.hash = {""}};
    settings.threads = threads;
    struct nfsp *nfsp = nfsp_new(game, &settings, error);
    if (!nfsp)
        fail_msg("%s", error);
    for (int k = 0; k < steps; k++)
        if (!nfsp_step(nfsp, error))
            fail_msg("%s", error);
    for (int seat = 0; seat < 2; seat++) {
        net_sha256(nfsp_average_network(nfsp, seat), outcome.hash[seat]);
        net_sha256(nfsp_response_network(nfsp, seat), outcome.hash[2 + seat]);
    }
    outcome.report = nfsp_report(nfsp);
    struct nfsp_seconds seconds = nfsp_seconds(nfsp);
    assert_true(seconds.play_s > 0.0 && seconds.network_s > 0.0 && seconds.learn_s > 0.0);
    nfsp_free(nfsp);
    return outcome;
}

static void check(const struct learner_game *game, const struct nfsp_settings *settings, int steps)
{
    struct outcome one = outcome_of(game, *settings, 1, steps);
    assert_true(one.report.updates > 0 && one.report.games > 0);
    for (int threads = 2; threads <= 3; threads++) {
        struct outcome more = outcome_of(game, *settings, threads, steps);
        assert_memory_equal(one.hash, more.hash, sizeof one.hash);
        assert_memory_equal(&one.report, &more.report, sizeof one.report);
    }
}

static struct nfsp_settings small_settings(void)
{
    struct nfsp_settings settings = nfsp_default_settings();
    settings.network.hidden[0] = 16;
    settings.parallel = 40; /* slices of 16, 16 and 8 tables */
    settings.batch = 32;
    settings.warm_up = 20;
    settings.anticipatory = 0.3;
    return settings;
}

static void toys_do_not_know_threads(void **state)
{
    (void)state;
    struct nfsp_settings settings = small_settings();
    check(&leduc_game, &settings, 60);
    settings.target_interval = 7;
    settings.candidates = 20;
    check(line_learner_game(2), &settings, 30);
    settings.value_network = true;
    settings.value_lambda = 0.8;
    check(line_learner_game(2), &settings, 30);
    settings.variant = NFSP_LITERAL;
    check(line_learner_game(2), &settings, 30);
}

static void curling_does_not_know_threads(void **state)
{
    (void)state;
    struct curling_learner_settings curling = curling_learner_defaults(rules_find("dc2"));
    char error[CURLING_LEARNER_ERROR_MAX];
    struct learner_game *game = curling_learner_new(&curling, error);
    struct nfsp_settings settings = small_settings();
    settings.candidates = 12;
    check(game, &settings, 20);
    settings.value_network = true;
    check(game, &settings, 20);
    curling_learner_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_do_not_know_threads),
        cmocka_unit_test(curling_does_not_know_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
