/* NFSP: it finds Kuhn's equilibrium, its ablations do not, and a run that was broken off and gone
 * on with is the same run. */
#include "workers/learn/algorithms/nfsp.h"

#include "tests/unit/slow.h"
#include "workers/learn/games/best_response_walker.h"
#include "workers/learn/games/line_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct nfsp *run_new(const struct learner_game *game, const struct nfsp_settings *settings)
{
    char error[LEARNER_ERROR_MAX] = "";
    struct nfsp *nfsp = nfsp_new(game, settings, error);
    if (!nfsp)
        fail_msg("%s", error);
    return nfsp;
}

static void go_on(struct nfsp *nfsp, int steps)
{
    char error[LEARNER_ERROR_MAX];
    for (int k = 0; k < steps; k++)
        if (!nfsp_step(nfsp, error))
            fail_msg("%s", error);
}

/* Smaller and quicker than the defaults. */
static struct nfsp_settings quick_settings(void)
{
    struct nfsp_settings settings = nfsp_default_settings();
    settings.network.hidden[0] = 32;
    settings.batch = 64;
    settings.updates = 1;
    settings.average.rate = 0.02;
    return settings;
}

static double exploitability(struct nfsp *nfsp)
{
    double e[2];
    assert_int_equal(walked_exploitability(&kuhn_game, nfsp_average, nfsp, e), EXPLOITABILITY_OK);
    return 0.5 * (e[0] + e[1]);
}

static double after(const struct nfsp_settings *settings, int steps)
{
    struct nfsp *nfsp = run_new(&kuhn_game, settings);
    go_on(nfsp, steps);
    double e = exploitability(nfsp);
    nfsp_free(nfsp);
    return e;
}

enum { ENOUGH = 12000, SOME = 5000 };

static void kuhn_is_learned(void **state)
{
    (void)state;
    skip_where_slow();
    struct nfsp_settings settings = quick_settings();
    double e = after(&settings, ENOUGH);
    print_message("nfsp: exploitability %.4f\n", e);
    assert_true(e <= 0.1);
}

/* With the latest decisions instead of a sample of all, the average is none. */
static void the_latest_are_no_average(void **state)
{
    (void)state;
    skip_where_slow();
    struct nfsp_settings settings = quick_settings();
    settings.average_rule = RESERVOIR_LATEST;
    settings.average_memory = 1000;
    double e = after(&settings, SOME);
    print_message("nfsp-fifo: exploitability %.4f\n", e);
    assert_true(e >= 0.15);
}

static void the_printed_algorithm_stands_still(void **state)
{
    (void)state;
    skip_where_slow();
    struct nfsp_settings settings = quick_settings();
    settings.variant = NFSP_LITERAL;
    settings.response_memory = settings.average_memory = 512;
    settings.warm_up = 1;
    double e = after(&settings, SOME);
    print_message("nfsp-literal: exploitability %.4f\n", e);
    assert_true(e >= 0.3);
}

/* Best responses that try actions out before they play one find line curling's equilibrium too,
 * and soon. */
static void check_candidates(bool value_network, double most, double likeliest_most)
{
    struct nfsp_settings settings = quick_settings();
    settings.value_network = value_network;
    const struct learner_game *line = line_learner_game(2);
    double e[2], likeliest[2];
    settings.candidates = 36;
    settings.parallel = 32;
    settings.warm_up = 200;
    struct nfsp *nfsp = run_new(line, &settings);
    go_on(nfsp, 3000);
    assert_int_equal(line_learner_exploitability(line, nfsp_average, nfsp, e), EXPLOITABILITY_OK);
    assert_int_equal(line_learner_exploitability(line, nfsp_likeliest, nfsp, likeliest),
                     EXPLOITABILITY_OK);
    struct nfsp_report report = nfsp_report(nfsp);
    print_message("nfsp with candidates: exploitability %.4f, likeliest %.4f, %.1f throws each\n",
                  0.5 * (e[0] + e[1]), 0.5 * (likeliest[0] + likeliest[1]),
                  (double)report.throws / (double)report.decisions);
    assert_true(0.5 * (e[0] + e[1]) <= most); /* uniform: 1.53 */
    assert_true(0.5 * (likeliest[0] + likeliest[1]) <= likeliest_most);
    assert_true(report.throws > 5 * report.decisions);
    for (int seat = 0; seat < 2; seat++)
        assert_int_equal(isnan(report.seat[seat].value_loss), !value_network);
    nfsp_free(nfsp);
}

static void candidates_find_good_play(void **state)
{
    (void)state;
    skip_where_slow();
    check_candidates(false, 0.8, 0.15);
    check_candidates(true, 0.8, 0.15);
}

/* Probabilities of all three policies: legal, and of sum 1. */
static void policies_are_policies(void **state)
{
    (void)state;
    learner_policy *const policies[] = {nfsp_average, nfsp_likeliest, nfsp_response};
    struct nfsp_settings settings = quick_settings();
    struct nfsp *nfsp = run_new(&leduc_game, &settings);
    _Alignas(16) unsigned char now[LEARNER_BYTES_MAX], seen[LEARNER_BYTES_MAX];
    leduc_game.start_number(&leduc_game, 1, now);
    leduc_game.observe(&leduc_game, now, seen);
    for (int k = 0; k < 3; k++) {
        double p[3];
        policies[k](nfsp, 0, seen, p);
        assert_true(p[0] == 0.0); /* there is nothing to fold to */
        assert_true(fabs(p[1] + p[2] - 1.0) < 1e-12);
        assert_true(k == 0 || p[1] == 1.0 || p[2] == 1.0);
    }
    nfsp_free(nfsp);
}

/* 300 steps at once, and 150, a file, and 150 more in a new run. */
static void check_resume(const struct learner_game *game, const struct nfsp_settings *settings)
{
    struct nfsp *whole = run_new(game, settings), *begun = run_new(game, settings);
    char error[LEARNER_ERROR_MAX] = "", hash[65], same[65];
    FILE *file = tmpfile();

    go_on(whole, 300);
    go_on(begun, 150);
    assert_true(nfsp_write(begun, file));
    nfsp_free(begun);
    rewind(file);
    struct nfsp *resumed = nfsp_read(game, settings, file, error);
    if (!resumed)
        fail_msg("%s", error);
    go_on(resumed, 150);
    for (int seat = 0; seat < 2; seat++) {
        net_sha256(nfsp_average_network(whole, seat), hash);
        net_sha256(nfsp_average_network(resumed, seat), same);
        assert_string_equal(hash, same);
        net_sha256(nfsp_response_network(whole, seat), hash);
        net_sha256(nfsp_response_network(resumed, seat), same);
        assert_string_equal(hash, same);
    }
    struct nfsp_report a = nfsp_report(whole), b = nfsp_report(resumed);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.updates >= 1000); /* it did learn */
    fclose(file);
    nfsp_free(whole);
    nfsp_free(resumed);
}

static void a_resumed_run_is_the_same_run(void **state)
{
    (void)state;
    struct nfsp_settings settings = quick_settings();
    settings.warm_up = 100;
    settings.response_memory = 3000; /* full before the file is written, as is the next */
    settings.average_memory = 300;
    check_resume(&leduc_game, &settings);
    check_resume(line_learner_game(3), &settings);

    settings.candidates = 9;
    check_resume(line_learner_game(3), &settings);
    settings.value_network = true;
    settings.value_lambda = 0.8;
    check_resume(line_learner_game(3), &settings);

    settings.response.rule = NET_ADAM;
    settings.response.rate = 0.001;
    settings.average.rule = NET_MOMENTUM;
    settings.average.momentum = 0.9;
    settings.target_interval = 7;
    check_resume(&kuhn_game, &settings);

    settings.variant = NFSP_LITERAL;
    settings.warm_up = 1;
    check_resume(&kuhn_game, &settings);
}

static void states_of_other_runs_are_refused(void **state)
{
    (void)state;
    struct nfsp_settings settings = quick_settings(), other = settings;
    struct nfsp *nfsp = run_new(&leduc_game, &settings);
    char error[LEARNER_ERROR_MAX];
    FILE *file = tmpfile(), *cut = tmpfile();

    go_on(nfsp, 20);
    assert_true(nfsp_write(nfsp, file));
    nfsp_free(nfsp);
    rewind(file);
    assert_null(nfsp_read(&kuhn_game, &settings, file, error));
    assert_non_null(strstr(error, "another game"));
    other.average.rate *= 2.0;
    rewind(file);
    assert_null(nfsp_read(&leduc_game, &other, file, error));
    assert_non_null(strstr(error, "other settings"));

    /* Some beginnings of it. */
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    for (long length = 0; length < size; length += size / 10) {
        rewind(file);
        rewind(cut);
        assert_int_equal(ftruncate(fileno(cut), 0), 0);
        for (long k = 0; k < length; k++)
            putc(getc(file), cut);
        rewind(cut);
        assert_null(nfsp_read(&leduc_game, &settings, cut, error));
        assert_non_null(strstr(error, "state of the run"));
    }
    fclose(file);
    fclose(cut);
}

/* A few steps take the average policies so far that their outputs are no numbers: neither these nor
 * the largest of them are a policy. */
static void networks_that_have_diverged_are_no_policies(void **state)
{
    (void)state;
    struct nfsp_settings settings = quick_settings();
    char error[LEARNER_ERROR_MAX];
    double e[2];
    settings.average.rate = 1e9;
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        settings.network.hidden[k] = 32;
    struct nfsp *nfsp = run_new(&kuhn_game, &settings);
    while (nfsp_step(nfsp, error))
        continue;
    assert_non_null(strstr(error, "average policy: "));
    assert_int_equal(walked_exploitability(&kuhn_game, nfsp_average, nfsp, e),
                     EXPLOITABILITY_FAILED);
    assert_int_equal(walked_exploitability(&kuhn_game, nfsp_likeliest, nfsp, e),
                     EXPLOITABILITY_FAILED);
    nfsp_free(nfsp);
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    char error[LEARNER_ERROR_MAX];
    struct nfsp_settings settings = quick_settings();
    settings.anticipatory = 1.5;
    assert_null(nfsp_new(&kuhn_game, &settings, error));
    assert_string_equal(error, "anticipatory: 1.5 is not in 0..1");
    settings = quick_settings();
    settings.discount = NAN;
    assert_null(nfsp_new(&kuhn_game, &settings, error));
    assert_non_null(strstr(error, "discount"));
    settings = quick_settings();
    settings.network.architecture = "tree";
    assert_null(nfsp_new(&kuhn_game, &settings, error));
    assert_non_null(strstr(error, "architecture"));
}

static void a_loss_that_is_no_number_ends_the_run(void **state)
{
    (void)state;
    struct nfsp_settings settings = quick_settings();
    char error[LEARNER_ERROR_MAX] = "";
    settings.response.rate = 1e6;
    struct nfsp *nfsp = run_new(&kuhn_game, &settings);
    int steps = 0;
    while (steps < 1000 && nfsp_step(nfsp, error))
        steps++;
    assert_true(steps < 1000);
    assert_non_null(strstr(error, "best response: its loss"));
    nfsp_free(nfsp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kuhn_is_learned),
        cmocka_unit_test(the_latest_are_no_average),
        cmocka_unit_test(the_printed_algorithm_stands_still),
        cmocka_unit_test(candidates_find_good_play),
        cmocka_unit_test(policies_are_policies),
        cmocka_unit_test(a_resumed_run_is_the_same_run),
        cmocka_unit_test(states_of_other_runs_are_refused),
        cmocka_unit_test(networks_that_have_diverged_are_no_policies),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(a_loss_that_is_no_number_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
