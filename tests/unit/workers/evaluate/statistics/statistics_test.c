/* Intervals and the sequential test: against closed forms, brute force and simulation. */
#include "workers/evaluate/statistics/statistics.h"

#include "models/ice/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

/* Draws pairs from shares of half points. */
static void draw_pairs(const double share[PENTANOMIAL], int64_t pairs, uint64_t run,
                       int64_t count[PENTANOMIAL])
{
    const struct random_key key = {.seed = 99, .game = run, .purpose = RANDOM_SCENE};

    for (int h = 0; h < PENTANOMIAL; h++)
        count[h] = 0;
    for (int64_t k = 0; k < pairs; k++) {
        double u = random_uniform(&key, (uint64_t)k);
        int h = 0;
        while (h < PENTANOMIAL - 1 && u >= share[h])
            u -= share[h++];
        count[h]++;
    }
}

static double mean_of(const double share[PENTANOMIAL])
{
    double mean = 0.0;
    for (int h = 0; h < PENTANOMIAL; h++)
        mean += 0.25 * h * share[h];
    return mean;
}

static void the_mean_is_that_of_the_list(void **state)
{
    (void)state;
    const int64_t count[PENTANOMIAL] = {3, 1, 4, 1, 5}, none[PENTANOMIAL] = {0};

    assert_int_equal(pentanomial_pairs(count), 14);
    close_to(pentanomial_mean(count), (1 * 0.25 + 4 * 0.5 + 1 * 0.75 + 5) / 14.0, 1e-15);
    assert_true(isnan(pentanomial_mean(none)));
}

static struct interval interval_of(int64_t h0, int64_t h1, int64_t h2, int64_t h3, int64_t h4)
{
    const int64_t count[PENTANOMIAL] = {h0, h1, h2, h3, h4};
    return pentanomial_interval(count, 0.95);
}

static void few_one_sided_pairs_have_wide_intervals(void **state)
{
    (void)state;
    const int64_t none[PENTANOMIAL] = {0};
    struct interval won = interval_of(0, 0, 0, 0, 20), lost = interval_of(20, 0, 0, 0, 0);
    struct interval shared = interval_of(0, 0, 20, 0, 0);

    assert_true(interval_of(0, 0, 0, 0, 0).low == 0.0 && interval_of(0, 0, 0, 0, 0).high == 1.0);
    assert_true(bootstrap_interval(none, 0.95, 1).high == 1.0);
    assert_true(won.high == 1.0 && lost.low == 0.0);
    close_to(won.low, 0.8765, 5e-4); /* as in the header */
    close_to(lost.high, 1.0 - won.low, 1e-12);
    close_to(shared.low, 0.4383, 5e-4);
    close_to(shared.high, 1.0 - shared.low, 1e-12);
    for (int h = 0; h < PENTANOMIAL; h++) {
        int64_t one[PENTANOMIAL] = {0};
        one[h] = 1;
        struct interval interval = pentanomial_interval(one, 0.95);
        assert_true(interval.low <= 0.01 && interval.high >= 0.99);
        assert_true(interval.low <= 0.25 * h && 0.25 * h <= interval.high);
    }
}

/* A worse pair lowers both ends; more equal pairs narrow the interval. */
static void a_worse_result_does_not_prove_more(void **state)
{
    (void)state;
    for (int64_t wins = 20; wins > 0; wins--)
        for (int h = 0; h < PENTANOMIAL - 1; h++) {
            int64_t better[PENTANOMIAL] = {0}, worse[PENTANOMIAL] = {0};
            better[4] = wins;
            better[h] += 20 - wins;
            worse[4] = wins - 1;
            worse[h] += 21 - wins;
            struct interval a = pentanomial_interval(better, 0.95);
            struct interval b = pentanomial_interval(worse, 0.95);
            assert_true(b.low < a.low && b.high < a.high);
        }
    for (int64_t n = 1; n < 100; n *= 2) {
        struct interval few = interval_of(0, n, 2 * n, 0, n);
        struct interval many = interval_of(0, 2 * n, 4 * n, 0, 2 * n);
        assert_true(few.low < many.low && many.high < few.high);
    }
}

static void many_pairs_have_the_interval_of_their_variance(void **state)
{
    (void)state;
    const int64_t counts[][PENTANOMIAL] = {{40, 100, 200, 110, 50},
                                           {30, 80, 250, 90, 50},
                                           {5, 20, 60, 115, 300},
                                           {50, 0, 0, 0, 450},
                                           {4000, 10000, 20000, 11000, 5000}};

    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        double pairs = (double)pentanomial_pairs(counts[k]), mean = pentanomial_mean(counts[k]);
        double squares = 0.0;
        for (int h = 0; h < PENTANOMIAL; h++)
            squares += (0.25 * h - mean) * (0.25 * h - mean) * (double)counts[k][h];
        double half = 1.959963984540054 * sqrt(squares / (pairs - 1.0) / pairs);
        struct interval interval = pentanomial_interval(counts[k], 0.95);
        close_to((interval.high - interval.low) / (2.0 * half), 1.005, 0.0055);
        close_to(0.5 * (interval.high + interval.low), mean, 0.1 * half); /* skewness */
    }
}

/* Returns how often, in %, the interval of this many pairs contains the mean. */
static double coverage(const double share[PENTANOMIAL], int64_t pairs)
{
    enum { RUNS = 400 };
    double truth = mean_of(share);
    int held = 0;

    for (uint64_t run = 0; run < RUNS; run++) {
        int64_t count[PENTANOMIAL];
        draw_pairs(share, pairs, run, count);
        struct interval interval = pentanomial_interval(count, 0.95);
        held += interval.low <= truth && truth <= interval.high;
    }
    return 100.0 * held / RUNS;
}

static void the_interval_holds_the_truth_of_any_kind_of_pairs(void **state)
{
    (void)state;
    /* Ordinary pairs, strong players, almost only shared pairs, and pairs all won or lost. mean +-
     * z sqrt(variance / pairs) contains the mean of the fifth kind 23 times in 100 with 5 pairs,
     * and 64 times with 20. */
    const double shares[][PENTANOMIAL] = {
        {0.1, 0.15, 0.35, 0.25, 0.15}, {0.05, 0.2, 0.5, 0.2, 0.05}, {0.01, 0.01, 0.03, 0.15, 0.8},
        {0.0, 0.0, 0.0, 0.03, 0.97},   {0.0, 0.025, 0.95, 0.025},   {0.0, 0.0, 0.9, 0.1, 0.0},
        {0.1, 0.0, 0.0, 0.0, 0.9},     {0.02, 0.0, 0.0, 0.0, 0.98}, {0.5, 0.0, 0.0, 0.0, 0.5}};
    const int64_t pairs[] = {2, 5, 10, 20, 100};

    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
        for (size_t n = 0; n < sizeof pairs / sizeof pairs[0]; n++) {
            double percent = coverage(shares[k], pairs[n]);
            if (percent < 90.0)
                print_message("kind %zu, %d pairs: %.1f %%\n", k, (int)pairs[n], percent);
            assert_true(percent >= 90.0);
        }
}

static void both_intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    enum { RUNS = 200, PAIRS = 100 };
    const double share[PENTANOMIAL] = {0.1, 0.15, 0.35, 0.25, 0.15};
    double truth = mean_of(share), apart = 0.0;
    int pentanomial = 0, bootstrap = 0;

    for (uint64_t run = 0; run < RUNS; run++) {
        int64_t count[PENTANOMIAL];
        draw_pairs(share, PAIRS, run, count);
        struct interval p = pentanomial_interval(count, 0.95);
        struct interval b = bootstrap_interval(count, 0.95, run);
        pentanomial += p.low <= truth && truth <= p.high;
        bootstrap += b.low <= truth && truth <= b.high;
        apart = fmax(apart, fmax(fabs(p.low - b.low), fabs(p.high - b.high)));
    }
    /* 95 %, plus or minus three standard errors of 1.5 %. */
    assert_in_range(pentanomial, (int)(0.904 * RUNS), (int)(0.996 * RUNS));
    assert_in_range(bootstrap, (int)(0.904 * RUNS), (int)(0.996 * RUNS));
    assert_true(apart < 0.015);
}

/* As its header says: zero width. */
static void the_bootstrap_knows_the_seen_pairs_alone(void **state)
{
    (void)state;
    const int64_t shared[PENTANOMIAL] = {0, 0, 20}, won[PENTANOMIAL] = {0, 0, 0, 0, 20};

    assert_true(bootstrap_interval(shared, 0.95, 1).low == 0.5);
    assert_true(bootstrap_interval(shared, 0.95, 1).high == 0.5);
    assert_true(bootstrap_interval(won, 0.95, 1).low == 1.0);
}

/* All 27 equally likely resamples of three pairs, by hand. */
static void the_bootstrap_is_the_distribution_of_resampled_means(void **state)
{
    (void)state;
    const int64_t count[PENTANOMIAL] = {1, 0, 1, 0, 1};
    /* Sums of half points 0, 2, …, 12 occur in 1, 3, 6, 7, 6, 3, 1 of 27 ways: below 1/27 = 3.7 %
     * the percentile is the smallest sum, between 1/27 and 4/27 the next. */
    struct interval wide = bootstrap_interval(count, 0.96, 5);
    struct interval middle = bootstrap_interval(count, 0.80, 5);
    struct interval narrow = bootstrap_interval(count, 0.50, 5);

    assert_true(wide.low == 0.0 && wide.high == 1.0);
    close_to(middle.low, 2.0 / 12.0, 1e-15);
    close_to(middle.high, 10.0 / 12.0, 1e-15);
    close_to(narrow.low, 4.0 / 12.0, 1e-15);
    close_to(narrow.high, 8.0 / 12.0, 1e-15);
}

static void the_bootstrap_follows_its_seed(void **state)
{
    (void)state;
    const int64_t count[PENTANOMIAL] = {10, 321, 400, 317, 123};
    struct interval a = bootstrap_interval(count, 0.95, 1), b = bootstrap_interval(count, 0.95, 1);
    struct interval c = bootstrap_interval(count, 0.95, 2);

    assert_true(a.low == b.low && a.high == b.high);
    assert_true(a.low != c.low || a.high != c.high);
}

static void elo_and_score_are_inverse(void **state)
{
    (void)state;
    close_to(score_of_elo(0.0), 0.5, 0.0);
    close_to(score_of_elo(400.0), 10.0 / 11.0, 1e-15);
    for (double elo = -1000.0; elo <= 1000.0; elo += 125.0)
        close_to(elo_of_score(score_of_elo(elo)), elo, 1e-9);
    assert_true(isinf(elo_of_score(1.0)) && elo_of_score(1.0) > 0.0);
    assert_true(isinf(elo_of_score(0.0)) && elo_of_score(0.0) < 0.0);
}

/* ---- GSPRT ---- */

/* Returns the largest likelihood for a given mean by a search over the shares: coordinates move in
 * the plane where the shares sum to one and the mean is fixed. */
static double best_likelihood(const int64_t count[PENTANOMIAL], double mean)
{
    /* An interior start: a binomial can have any mean. */
    double share[PENTANOMIAL], chance = mean, step = 0.05;
    const double choose[PENTANOMIAL] = {1, 4, 6, 4, 1};
    for (int h = 0; h < PENTANOMIAL; h++)
        share[h] = choose[h] * pow(chance, h) * pow(1.0 - chance, 4 - h);
    /* (1, -2, 1) at three neighbouring bins preserves both, as do all its sums. */
    double best = -INFINITY;
    while (step > 1e-9) {
        bool better = false;
        for (int first = 0; first + 2 < PENTANOMIAL; first++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double trial[PENTANOMIAL], likelihood = 0.0;
                for (int h = 0; h < PENTANOMIAL; h++)
                    trial[h] = share[h];
                trial[first] += sign * step;
                trial[first + 1] -= 2 * sign * step;
                trial[first + 2] += sign * step;
                bool inside = true;
                for (int h = 0; h < PENTANOMIAL; h++) {
                    inside = inside && trial[h] > 0.0;
                    likelihood += inside ? (double)count[h] * log(trial[h]) : 0.0;
                }
                if (inside && likelihood > best) {
                    best = likelihood;
                    better = true;
                    for (int h = 0; h < PENTANOMIAL; h++)
                        share[h] = trial[h];
                }
            }
        if (!better)
            step *= 0.5;
    }
    return best;
}

static void the_ratio_is_that_of_the_best_likelihoods(void **state)
{
    (void)state;
    const int64_t counts[][PENTANOMIAL] = {
        {10, 20, 30, 20, 10}, {1, 2, 3, 40, 90}, {50, 3, 2, 1, 1}, {5, 5, 500, 6, 5}};
    const struct sprt sprt = {.elo0 = -10.0, .elo1 = 60.0, .alpha = 0.05, .beta = 0.05};

    for (int k = 0; k < 4; k++) {
        double brute = best_likelihood(counts[k], score_of_elo(60.0)) -
                       best_likelihood(counts[k], score_of_elo(-10.0));
        close_to(sprt_ratio(&sprt, counts[k]), brute, 1e-3 * (1.0 + fabs(brute)));
    }
}

static void the_bounds_are_those_of_wald(void **state)
{
    (void)state;
    const struct sprt sprt = sprt_between(0.0, 15.0);
    close_to(sprt_bounds(&sprt).low, -2.944, 0.001);
    close_to(sprt_bounds(&sprt).high, 2.944, 0.001);
}

static void nothing_is_decided_by_a_handful_of_pairs(void **state)
{
    (void)state;
    const struct sprt sprt = sprt_between(0.0, 15.0);
    const int64_t none[PENTANOMIAL] = {0}, won[PENTANOMIAL] = {0, 0, 0, 0, 10};
    const int64_t all[PENTANOMIAL] = {0, 0, 0, 0, 500}, even[PENTANOMIAL] = {0, 0, 100000};

    assert_int_equal(sprt_decide(&sprt, none), SPRT_OPEN);
    assert_int_equal(sprt_decide(&sprt, won), SPRT_OPEN);
    assert_int_equal(sprt_decide(&sprt, all), SPRT_H1);
    assert_int_equal(sprt_decide(&sprt, even), SPRT_H0);
}

/* Computes shares with the mean score of an Elo difference: a mixture of two dissimilar ones. */
static void shares_of_elo(double elo, double ret_share[PENTANOMIAL])
{
    const double weak[PENTANOMIAL] = {0.3, 0.2, 0.3, 0.1, 0.1};
    double score = score_of_elo(elo), low = mean_of(weak);
    double part = (score - low) / (1.0 - 2.0 * low); /* share of the mirror image */
    for (int h = 0; h < PENTANOMIAL; h++)
        ret_share[h] = (1.0 - part) * weak[h] + part * weak[PENTANOMIAL - 1 - h];
}

/* Returns how often, in %, H1 is accepted at this true difference. */
static double accepts_h1(const struct sprt *sprt, double elo)
{
    enum { RUNS = 200, PAIRS_MAX = 20000 };
    double share[PENTANOMIAL];
    int accepted = 0;

    shares_of_elo(elo, share);
    for (uint64_t run = 0; run < RUNS; run++) {
        const struct random_key key = {.seed = 4, .game = run, .purpose = RANDOM_SCENE};
        int64_t count[PENTANOMIAL] = {0};
        enum sprt_decision decision = SPRT_OPEN;
        for (uint64_t k = 0; decision == SPRT_OPEN; k++) {
            assert_true(k < PAIRS_MAX);
            double u = random_uniform(&key, k);
            int h = 0;
            while (h < PENTANOMIAL - 1 && u >= share[h])
                u -= share[h++];
            count[h]++;
            decision = sprt_decide(sprt, count);
        }
        accepted += decision == SPRT_H1;
    }
    return 100.0 * accepted / RUNS;
}

static void errors_are_as_rare_as_asked_for(void **state)
{
    (void)state;
    /* Hypotheses further apart than the default decide sooner; the theory is the same. */
    const struct sprt sprt = {.elo0 = 0.0, .elo1 = 80.0, .alpha = 0.05, .beta = 0.05};

    /* 5 % plus three standard errors of 1.5 %. */
    assert_true(accepts_h1(&sprt, 0.0) <= 9.6);
    assert_true(accepts_h1(&sprt, 80.0) >= 90.4);
    double between = accepts_h1(&sprt, 40.0);
    assert_true(between > 35.0 && between < 65.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_that_of_the_list),
        cmocka_unit_test(few_one_sided_pairs_have_wide_intervals),
        cmocka_unit_test(a_worse_result_does_not_prove_more),
        cmocka_unit_test(many_pairs_have_the_interval_of_their_variance),
        cmocka_unit_test(the_interval_holds_the_truth_of_any_kind_of_pairs),
        cmocka_unit_test(both_intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(the_bootstrap_is_the_distribution_of_resampled_means),
        cmocka_unit_test(the_bootstrap_knows_the_seen_pairs_alone),
        cmocka_unit_test(the_bootstrap_follows_its_seed),
        cmocka_unit_test(elo_and_score_are_inverse),
        cmocka_unit_test(the_ratio_is_that_of_the_best_likelihoods),
        cmocka_unit_test(the_bounds_are_those_of_wald),
        cmocka_unit_test(nothing_is_decided_by_a_handful_of_pairs),
        cmocka_unit_test(errors_are_as_rare_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
