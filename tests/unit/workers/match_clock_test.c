/* The clock of a game: it uses the time, and the time never runs out. The server and the network
 * are simulated; no time passes. */
#include "workers/match_clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Numbers without a pattern, 0 … 1. */
static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

struct trial {
    double given_s, reserve;
    int ends, shots;
    double network_s, network_spread_s; /* what the server counts beyond our time */
    double use;                         /* share of the planned time that a search takes */
    double overrun;                     /* chance that a search runs to its stop */
    double late_s;                      /* after its stop a search still takes up to this long */
    uint64_t seed;
};

/* Plays a game whose first shot costs `begin_s` more, with at least `least_s` of thought for every
 * shot; returns the time that is left, negative if it ran out. */
static double play_from(const struct trial *trial, double begin_s, double least_s)
{
    struct match_clock clock = match_clock_start(trial->reserve);
    double left_s = trial->given_s, win = 0.5;
    uint64_t state = trial->seed;

    for (int end = 0; end < trial->ends; end++)
        for (int shot = 0; shot < trial->shots; shot++) {
            const struct clock_turn turn = {left_s, shot, trial->shots, trial->ends - 1 - end, win};
            struct clock_plan plan = match_clock_plan(&clock, &turn);
            assert_true(plan.think_s >= 0.0 && plan.stop_s >= plan.think_s);
            assert_true(plan.stop_s <= left_s);
            assert_true(plan.think_s >= least_s);
            double own_s = plan.think_s * trial->use;
            if (chance(&state) < trial->overrun)
                own_s = plan.stop_s + chance(&state) * trial->late_s;
            double counted_s = own_s + trial->network_s + chance(&state) * trial->network_spread_s;
            if (end == 0 && shot == 0)
                counted_s += begin_s;
            left_s -= counted_s;
            if (left_s <= 0.0)
                return left_s;
            match_clock_measure(&clock, counted_s, own_s, plan.think_s);
            win = 0.9 * win + 0.1 * chance(&state);
        }
    return left_s;
}

static double play(const struct trial *trial)
{
    return play_from(trial, 0.0, 0.0);
}

static void uses_nine_tenths_of_the_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct trial quiet = {219.0, 0.05, 8, 8, 0.002, 0.002, 1.0, 0.0, 0.0, seed};
        const struct trial lazy = {219.0, 0.05, 8, 8, 0.002, 0.002, 0.8, 0.0, 0.0, seed};
        const struct trial mixed = {600.0, 0.05, 8, 5, 0.02, 0.02, 0.95, 0.0, 0.0, seed};
        assert_true(play(&quiet) > 0.0 && play(&quiet) < 0.1 * quiet.given_s);
        assert_true(play(&lazy) > 0.0 && play(&lazy) < 0.1 * lazy.given_s);
        assert_true(play(&mixed) > 0.0 && play(&mixed) < 0.1 * mixed.given_s);
    }
}

/* Both teams wait for the server's first position on one clock; that does not come again. */
static void a_slow_beginning_leaves_time_for_every_shot(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct trial whole = {219.0, 0.05, 8, 8, 0.01, 0.01, 1.0, 0.0, 0.0, seed};
        const struct trial brief = {18.0, 0.05, 1, 8, 0.01, 0.01, 1.0, 0.0, 0.0, seed};
        double left_s = play_from(&whole, 5.0, 0.5);
        assert_true(left_s > 0.0 && left_s < 0.1 * whole.given_s);
        assert_true(play_from(&brief, 5.0, 0.1) > 0.0);
        /* Or a program is started again in the middle, while its time runs. */
        assert_true(play_from(&whole, 60.0, 0.5) > 0.0);
    }
}

/* 200 ms of network in a game with a tenth of the time: 12.8 s of 21.9 s are the network's. */
static void never_loses_on_time_over_a_slow_network(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct trial slow = {21.9, 0.05, 8, 8, 0.2, 0.02, 1.0, 0.0, 0.0, seed};
        const struct trial loaded = {21.9, 0.05, 8, 8, 0.2, 0.08, 1.0, 0.3, 0.2, seed};
        assert_true(play(&slow) > 0.0);
        assert_true(play(&loaded) > 0.0);
    }
}

static void never_loses_on_time_when_searches_overrun(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct trial always = {21.9, 0.05, 8, 8, 0.001, 0.001, 1.0, 1.0, 0.005, seed};
        const struct trial often = {21.9, 0.05, 10, 8, 0.01, 0.03, 1.0, 0.3, 0.1, seed};
        assert_true(play(&always) > 0.0);
        assert_true(play(&often) > 0.0);
    }
}

static void later_shots_and_open_games_get_more(void **state)
{
    struct match_clock clock = match_clock_start(0.05);
    struct clock_turn turn = {100.0, 0, 8, 3, 0.5};
    (void)state;
    match_clock_measure(&clock, 0.01, 0.01, 0.01);

    double first_s = match_clock_plan(&clock, &turn).think_s;
    turn.win = 0.99;
    double decided_s = match_clock_plan(&clock, &turn).think_s;
    assert_true(decided_s < first_s);
    turn.win = NAN;
    assert_true(fabs(match_clock_plan(&clock, &turn).think_s - first_s) < 1e-9);
    /* The same time for the same shots to come: only the weight differs. */
    turn.win = 0.5;
    turn.ends_after = 0;
    turn.shot = 7;
    double last_s = match_clock_plan(&clock, &turn).think_s;
    assert_true(last_s > 90.0 && last_s < 100.0);
}

static void no_time_is_no_thought(void **state)
{
    struct match_clock clock = match_clock_start(0.05);
    const double times[] = {0.0, -1.0, NAN};
    (void)state;

    for (int k = 0; k < 3; k++) {
        const struct clock_turn turn = {times[k], 3, 8, 2, 0.5};
        struct clock_plan plan = match_clock_plan(&clock, &turn);
        assert_true(plan.think_s == 0.0 && plan.stop_s == 0.0);
    }
}

static void nonsense_is_not_measured(void **state)
{
    struct match_clock clock = match_clock_start(0.05);
    (void)state;

    match_clock_measure(&clock, NAN, 1.0, 1.0);
    match_clock_measure(&clock, INFINITY, 1.0, 1.0);
    match_clock_measure(&clock, 1.0, NAN, 1.0);
    match_clock_measure(&clock, 1.0, 1.0, NAN);
    match_clock_measure(&clock, -1.0, 1.0, 1.0);
    assert_int_equal(clock.measured, 0);
    const double guess_s = clock.network_s;
    match_clock_measure(&clock, 0.5, 1.0, 1.0); /* a server that counts less than we took */
    assert_int_equal(clock.measured, 1);
    assert_true(clock.network_s >= 0.0 && clock.network_s < guess_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_nine_tenths_of_the_time),
        cmocka_unit_test(a_slow_beginning_leaves_time_for_every_shot),
        cmocka_unit_test(never_loses_on_time_over_a_slow_network),
        cmocka_unit_test(never_loses_on_time_when_searches_overrun),
        cmocka_unit_test(later_shots_and_open_games_get_more),
        cmocka_unit_test(no_time_is_no_thought),
        cmocka_unit_test(nonsense_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
